"""The embedding table."""

from __future__ import annotations

import numpy as np

from tabgrad.checks import whole_number
from tabgrad.errors import TabgradError
from tabgrad.nn import functional as F
from tabgrad.nn import init
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.tensor import Tensor


class Embedding(Module):
    """A lookup table with a trained vector for each index below ``num_embeddings``.

    Args:
        num_embeddings: number of vectors.
        embedding_dim: size of a vector.
        padding_idx: index of a vector that starts at 0 and is never trained.

    Shapes: input integers ``[...]``, weight ``[num_embeddings, embedding_dim]``, output
    ``[..., embedding_dim]``. Initial values are standard normal.
    """

    weight: Parameter

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None) -> None:
        super().__init__()
        num_embeddings = whole_number(num_embeddings, "Embedding", "num_embeddings", 1)
        embedding_dim = whole_number(embedding_dim, "Embedding", "embedding_dim", 1)
        if padding_idx is not None:
            padding_idx = whole_number(padding_idx, "Embedding", "padding_idx")
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise TabgradError(
                    f"Embedding: expected padding_idx within {num_embeddings} vectors, got {padding_idx}"
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.weight = Parameter(np.zeros((num_embeddings, embedding_dim), np.float32))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial vectors."""
        init.normal_(self.weight, zero_row=self.padding_idx)

    def forward(self, input: Tensor) -> Tensor:
        """Integers ``[...]`` to ``[..., embedding_dim]``."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


__all__ = ["Embedding"]
