"""Dropout."""

from __future__ import annotations

from tabgrad.errors import ArgumentError, ArgumentTypeError
from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.tensor import Tensor


class Dropout(Module):
    """In training, set each element to 0 with probability ``p`` and scale the others by 1 / (1 - p).

    Source: Hinton et al. 2012, https://arxiv.org/abs/1207.0580
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not isinstance(p, int | float) or not 0 <= p <= 1:
            raise (ArgumentError if isinstance(p, int | float) else ArgumentTypeError)(
                f"Dropout: expected a probability between 0 and 1, got {p!r}"
            )
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Same shape; in evaluation the input itself."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"p={self.p}, inplace={self.inplace}"


__all__ = ["Dropout"]
