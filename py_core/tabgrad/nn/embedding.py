"""The embedding table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.checks import whole_number
from tabgrad.dtypes import DType
from tabgrad.errors import AssertedError, ShapeError
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
        max_norm: vectors that are looked up and longer, by the norm of ``norm_type``, are scaled to it in place.
        scale_grad_by_freq: whether a vector's gradient is divided by how often it is looked up.

    Shapes: input integers ``[...]``, weight ``[num_embeddings, embedding_dim]``, output
    ``[..., embedding_dim]``. Initial values are standard normal.
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        num_embeddings = whole_number(num_embeddings, "Embedding", "num_embeddings", 1)
        embedding_dim = whole_number(embedding_dim, "Embedding", "embedding_dim", 1)
        if padding_idx is not None:
            padding_idx = whole_number(padding_idx, "Embedding", "padding_idx")
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise AssertedError(
                    f"Embedding: expected padding_idx within {num_embeddings} vectors, got {padding_idx}"
                )
            padding_idx %= num_embeddings
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = padding_idx
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.sparse = sparse
        if sparse:
            raise NotImplementedError("Embedding with sparse=True is not supported; gradients are dense: leave it out")
        if _weight is None:
            self.weight = Parameter(np.zeros((num_embeddings, embedding_dim), np.float32), not _freeze)
            self.reset_parameters()
        else:
            if _weight.shape != (num_embeddings, embedding_dim):
                raise ShapeError(
                    f"Embedding: expected weight {[num_embeddings, embedding_dim]}, got {list(_weight.shape)}"
                )
            self.weight = Parameter(_weight, not _freeze)
        self._placed(device, dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A table of given vectors ``[num_embeddings, embedding_dim]``, which are not trained if ``freeze``."""
        if embeddings.ndim != 2:
            raise AssertedError(f"from_pretrained: expected embeddings of 2 dimensions, got {list(embeddings.shape)}")
        rows, width = embeddings.shape
        return cls(rows, width, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)

    def reset_parameters(self) -> None:
        """Draw new initial vectors."""
        init.normal_(self.weight, zero_row=self.padding_idx)

    def forward(self, input: Tensor) -> Tensor:
        """Integers ``[...]`` to ``[..., embedding_dim]``."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, default in (
            ("padding_idx", None),
            ("max_norm", None),
            ("norm_type", 2),
            ("scale_grad_by_freq", False),
        ):
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        return text


__all__ = ["Embedding"]
