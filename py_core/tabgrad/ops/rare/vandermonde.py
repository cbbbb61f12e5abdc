"""Matrices of powers."""

from __future__ import annotations

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.creation import ones
from tabgrad.ops.movement import broadcast_to, unsqueeze
from tabgrad.ops.scan import cumprod
from tabgrad.ops.slicing import cat, flip, narrow
from tabgrad.tensor import Tensor


def powers(caller: str, x: Tensor, count: int | None) -> Tensor:
    """``x ** 0``, ``x ** 1`` and so on, in a last dimension."""
    if not x.ndim:
        raise ShapeError(f"{caller}: expected at least 1 dimension, got a 0-d tensor")
    n = x.shape[-1] if count is None else count
    if n < 0:
        raise ArgumentError(f"{caller}: expected N of at least 0, got {n}")
    x = ew.cast(x, dtypes.int32) if x.dtype.category < 2 else x
    first = ones((*x.shape, 1), dtype=x.dtype)
    if n < 2:
        return narrow(first, -1, 0, n)
    return cat([first, cumprod(broadcast_to(unsqueeze(x, -1), (*x.shape, n - 1)), -1)], -1)


@public()
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of each element of ``[k]`` in a row ``[k, N]``, the highest first unless ``increasing``."""
    if x.ndim != 1:
        raise ShapeError(f"vander: expected 1 dimension, got {list(x.shape)}")
    found = powers("vander", x, N)
    return found if increasing else flip(found, -1)
