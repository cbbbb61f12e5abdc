"""Flattening undone."""

from __future__ import annotations

from typing import Any

from tabgrad.nn.module import Module
from tabgrad.tensor import Tensor


class Unflatten(Module):
    """Split the axis ``dim`` into several, of sizes ``unflattened_size``; one may be -1."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise NotImplementedError(
                f"Unflatten: expected dim as a number, got {dim!r}; named dimensions are not supported"
            )
        if not isinstance(unflattened_size, tuple | list) or not all(isinstance(n, int) for n in unflattened_size):
            raise TypeError(f"unflattened_size must be tuple of ints, but found {unflattened_size!r}")
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """``[..., a * b, ...]`` to ``[..., a, b, ...]``."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


__all__ = ["Unflatten"]
