"""The flatten layer."""

from __future__ import annotations

from tabgrad.nn.module import Module
from tabgrad.tensor import Tensor


class Flatten(Module):
    """Merge the axes ``start_dim`` to ``end_dim`` into one; by default all but the batch axis."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """``[n, a, b, ...]`` to ``[n, a * b * ...]``."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


__all__ = ["Flatten"]
