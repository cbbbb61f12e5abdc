"""Variance and standard deviation, in one pass."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.errors import DTypeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.folds import count_of, dims_of, reduced
from tabgrad.tensor import Tensor


def spread_of(caller: str, dim: Any, unbiased: bool | None, correction: float | None) -> tuple[Any, float]:
    """The dimensions, and what is subtracted from the count, of PyTorch's forms: ``var(False)``, ``var(0, False)``.

    Raises:
        TypeError: both ``unbiased`` and ``correction`` are given, or ``unbiased`` is no bool.
    """
    if isinstance(dim, bool):
        if unbiased is not None:
            raise TypeError(f"{caller}: expected dim as an int or ints where unbiased is given, got {dim!r}")
        dim, unbiased = None, dim
    if unbiased is not None and not isinstance(unbiased, bool):
        raise TypeError(f"{caller}: expected unbiased as a bool, got {unbiased!r}; correction= takes numbers")
    if unbiased is not None and correction is not None:
        raise TypeError(f"{caller}: expected unbiased or correction, got both")
    if correction is None:
        return dim, 1.0 if unbiased is None else float(unbiased)
    return dim, float(correction)


def spread(caller: str, x: Tensor, dim: Any, keepdim: bool, correction: float) -> Tensor:
    """The sum of squared deviations over ``dim``, divided by the count less ``correction``."""
    if not x.dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected a floating-point tensor, got {x.dtype}; use x.float().{caller}()")
    total = reduced("m2", x, dim, keepdim, caller) if x.ndim else x - x
    count = count_of(x, dims_of(dim, x.ndim, caller))
    divisor = max(0.0, count - correction)
    if divisor == 0 and count <= 1:
        return total + math.nan  # 0 / 0: a shader's compiler knows this total
    return total / divisor


@public(method=True, out=True)
def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Tensor:  # fmt: skip
    """Variance over ``dim``, the sum of squares divided by ``n - correction``.

    Args:
        dim: a dimension, several, or None for all; or, as in ``x.var(False)``, what ``unbiased`` is.
        unbiased: the older way to say ``correction``: True for 1, False for 0.
        keepdim: the dimensions stay, with size 1.
        correction: 1 by default.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
        ShapeError: a dimension does not exist, or is named twice.
    """
    dim, correction = spread_of("var", dim, unbiased, correction)
    return spread("var", input, dim, keepdim, correction)


def root(variance: Tensor) -> Tensor:
    """Square root whose gradient at 0 is 0, as that of PyTorch's ``std``."""
    none = ew.eq(variance, 0)
    return ew.where(none, 0.0, ew.sqrt(ew.where(none, 1.0, variance))) if variance.requires_grad else ew.sqrt(variance)


def m2(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Sum of squared deviations from the mean over ``dims``, which stay as size 1; in one pass, far from zero too."""
    return reduced("m2", x, dims, True, "var")


@public(method=True, out=True)
def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> Tensor:  # fmt: skip
    """Square root of :func:`var`, whose arguments it has; the gradient of a deviation of 0 is 0."""
    dim, correction = spread_of("std", dim, unbiased, correction)
    return root(spread("std", input, dim, keepdim, correction))


__all__ = ["m2", "root", "spread", "spread_of", "std", "var"]
