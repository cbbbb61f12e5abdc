"""Sums, extremes and moments along dimensions, and running ones."""

from __future__ import annotations

import tabgrad
from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import ShapeError
from tabgrad.tensor import Tensor

Axes = int | tuple[int, ...]


def _dims(x: Tensor, axis: Axes | None) -> tuple[int, ...]:
    """The dimensions that are reduced; the empty tuple is none of them, not all as in PyTorch."""
    return tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)


def _reduced(name: str, x: Tensor, axis: Axes | None, keepdims: bool) -> Tensor:
    dims = _dims(x, axis)
    found: Tensor = getattr(tabgrad, name)(x, dims, keepdims) if dims else tabgrad.clone(x)
    return found


def all(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true along dimensions, or of the whole tensor."""
    return _reduced("all", x.to(dtypes.bool_), axis, keepdims)


def any(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether an element is true along dimensions, or of the whole tensor."""
    return _reduced("any", x.to(dtypes.bool_), axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The number of elements that are not 0, as int32."""
    return _reduced("sum", (x != 0).to(dtypes.int32), axis, keepdims)


def max(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The largest elements along dimensions, or of the whole tensor."""
    return _reduced("amax", x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The smallest elements along dimensions, or of the whole tensor."""
    return _reduced("amin", x, axis, keepdims)


def mean(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The means along dimensions, or of the whole tensor."""
    return _reduced("mean", x, axis, keepdims)


def _summable(x: Tensor, dtype: DType | None) -> Tensor:
    """``x`` in the dtype of its sums: integers as int32."""
    return x.to(dtype or (x.dtype if x.dtype.is_floating_point else dtypes.int32))


def sum(x: Tensor, /, *, axis: Axes | None = None, dtype: DType | None = None, keepdims: bool = False) -> Tensor:
    """The sums along dimensions, or of the whole tensor; of integers as int32 without ``dtype``."""
    return _reduced("sum", _summable(x, dtype), axis, keepdims).to(dtype or _summable(x, dtype).dtype)


def prod(x: Tensor, /, *, axis: Axes | None = None, dtype: DType | None = None, keepdims: bool = False) -> Tensor:
    """The products along dimensions, or of the whole tensor; of integers as int32 without ``dtype``."""
    values = _summable(x, dtype)
    found = values
    dims = sorted({d % x.ndim for d in _dims(x, axis)}, reverse=True)
    for dim in dims:
        found = tabgrad.prod(found, dim, keepdims)
    return found.to(values.dtype) if dims else tabgrad.clone(found)


def std(x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The standard deviations along dimensions, or of the whole tensor."""
    return tabgrad.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def var(x: Tensor, /, *, axis: Axes | None = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The variances along dimensions, or of the whole tensor, divided by their number less ``correction``."""
    dims = _dims(x, axis)
    if not dims:
        return (x - x) / (1 - correction) if correction != 1 else x * float("nan")
    return tabgrad.var(x, dims, correction=correction, keepdim=keepdims)


def _running(name: str, x: Tensor, axis: int | None, dtype: DType | None, include_initial: bool) -> Tensor:
    if axis is None:
        if x.ndim != 1:
            raise ShapeError(f"{name}: expected axis for a tensor of {x.ndim} dimensions, got None")
        axis = 0
    values = _summable(x, dtype)
    first = 0 if name == "cumulative_sum" else 1
    function = tabgrad.cumsum if first == 0 else tabgrad.cumprod
    found = function(values, axis).to(values.dtype)
    if not include_initial:
        return found
    edge = list(x.shape)
    edge[axis] = 1
    return tabgrad.cat([tabgrad.full(tuple(edge), first, dtype=values.dtype), found], axis)


def cumulative_sum(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Tensor:
    """The sums of the elements up to each one along a dimension, after a 0 with ``include_initial``."""
    return _running("cumulative_sum", x, axis, dtype, include_initial)


def cumulative_prod(
    x: Tensor, /, *, axis: int | None = None, dtype: DType | None = None, include_initial: bool = False
) -> Tensor:
    """The products of the elements up to each one along a dimension, after a 1 with ``include_initial``."""
    return _running("cumulative_prod", x, axis, dtype, include_initial)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along a dimension, ``n`` times."""
    return tabgrad.diff(x, n, axis, prepend, append)


__all__ = [
    "all", "any", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod", "std",
    "sum", "var",
]  # fmt: skip
