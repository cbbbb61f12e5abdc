"""Bags of embeddings."""

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


class EmbeddingBag(Module):
    """Sums, means or largest elements of bags of vectors; arguments as :func:`tabgrad.nn.functional.embedding_bag`.

    Shapes: weight ``[num_embeddings, embedding_dim]``, output ``[B, embedding_dim]``.
    """

    weight: Parameter

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = whole_number(num_embeddings, "EmbeddingBag", "num_embeddings", 1)
        self.embedding_dim = whole_number(embedding_dim, "EmbeddingBag", "embedding_dim", 1)
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                raise ShapeError(
                    f"EmbeddingBag: expected padding_idx within {num_embeddings} vectors, got {padding_idx}"
                )
            padding_idx %= num_embeddings
        if sparse:
            raise NotImplementedError(
                "EmbeddingBag with sparse=True is not supported; gradients are dense: leave it out"
            )
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset
        self.padding_idx = padding_idx
        if _weight is None:
            self.weight = Parameter(np.zeros((num_embeddings, embedding_dim), np.float32))
            self.reset_parameters()
        else:
            if _weight.shape != (num_embeddings, embedding_dim):
                raise ShapeError(
                    f"EmbeddingBag: expected weight {[num_embeddings, embedding_dim]}, got {list(_weight.shape)}"
                )
            self.weight = Parameter(_weight)
        self._placed(device, dtype)

    def reset_parameters(self) -> None:
        """Draw new initial vectors."""
        init.normal_(self.weight, zero_row=self.padding_idx)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """``[B, embedding_dim]``."""
        return F.embedding_bag(
            input, self.weight, offsets, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, False,
            per_sample_weights, self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Of given vectors, which are not trained if ``freeze``."""
        if embeddings.ndim != 2:
            raise AssertedError(f"from_pretrained: expected embeddings of 2 dimensions, got {list(embeddings.shape)}")
        rows, width = embeddings.shape
        made = cls(
            rows, width, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings,
            include_last_offset, padding_idx,
        )  # fmt: skip
        made.weight.requires_grad_(not freeze)
        return made

    def extra_repr(self) -> str:
        """As PyTorch's."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        defaults = {"max_norm": None, "norm_type": 2, "scale_grad_by_freq": False}
        text += "".join(f", {n}={getattr(self, n)}" for n, d in defaults.items() if getattr(self, n) != d)
        text += f", mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


__all__ = ["EmbeddingBag"]
