"""Sums, means, products and what is composed of them. Other files find all reductions here."""

from __future__ import annotations

import math

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import DTypeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.extremes import amax, amin, argmax, argmin, max, min
from tabgrad.ops.folds import FOLDS, REDUCE, Dims, Reduce, dims_of, numeric, prod_dims, reduced
from tabgrad.ops.variance import m2, std, var
from tabgrad.tensor import Tensor


@public(method=True, out=True)
def sum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Sum over ``dim`` (all by default), in a fixed order. Bools and narrow integers are summed as int32.

    Args:
        dim: a dimension or several; None or an empty tuple for all.
        keepdim: they stay, with size 1.
        dtype: what elements are converted to first.

    Raises:
        ShapeError: a dimension does not exist, or is named twice.
    """
    return reduced("sum", numeric(input) if dtype is None else ew.cast(input, dtype), dim, keepdim, "sum")


@public(method=True, out=True)
def mean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Mean over ``dim`` (all by default) of a float tensor.

    Arguments and errors are those of :func:`sum`.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
    """
    x = input if dtype is None else ew.cast(input, dtype)
    if not x.dtype.is_floating_point:
        raise DTypeError(f"mean: expected a floating-point tensor, got {x.dtype}; use x.float().mean()")
    if x.dtype.is_narrow:  # which may not hold the sum
        return ew.cast(mean(ew.cast(x, x.dtype.computed), dim, keepdim), x.dtype)
    total = reduced("sum", x, dim, keepdim, "mean")
    count = x.numel() / total.numel() if total.numel() else _count(x, dim)
    return total / count if count else total / 0.0


def _count(x: Tensor, dim: Dims) -> float:
    return float(math.prod(x.shape[d] for d in dims_of(dim, x.ndim, "mean")))


@public(method=True, out=True)
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Product over ``dim`` (all by default). Arguments and errors: :func:`sum`; one dimension at most."""
    if dim is not None and not isinstance(dim, int):
        raise TypeError(f"prod: expected dim as an int, got {dim!r}; reduce one dimension after the other")
    return reduced("prod", numeric(input) if dtype is None else ew.cast(input, dtype), dim, keepdim, "prod")


@public(method=True, out=True)
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """``log(sum(exp(x)))`` in one pass that does not overflow.

    Arguments and errors are those of :func:`sum`; integers become float32.
    """
    wide = input if input.dtype is dtypes.float64 else ew.cast(input, dtypes.float32)
    total = reduced("logsumexp", wide, dim, keepdim, "logsumexp")
    return ew.cast(total, input.dtype) if input.dtype.is_floating_point else total


def log_normalizer(x: Tensor, dim: int) -> Tensor:
    """:func:`logsumexp` along ``dim``, which stays, for softmax: NaN where it is infinite, as PyTorch's softmax is."""
    total = reduced("logsumexp", x, dim, True, "softmax")
    return ew.where(ew.isfinite(total), total, math.nan)


def _truth(counted: Tensor, input: Tensor) -> Tensor:
    return ew.cast(counted, dtypes.uint8) if input.dtype is dtypes.uint8 else counted


@public(method=True, out=True)
def any(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element is nonzero; bool, of uint8 tensors uint8."""
    if dim == () and input.ndim:
        return _truth(ew.ne(input, 0), input)
    return _truth(ew.ne(reduced("sum", ew.cast(ew.ne(input, 0), dtypes.int32), dim, keepdim, "any"), 0), input)


@public(method=True, out=True)
def all(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether every element is nonzero; bool, of uint8 tensors uint8."""
    if dim == () and input.ndim:
        return _truth(ew.ne(input, 0), input)
    return _truth(ew.eq(reduced("sum", ew.cast(ew.eq(input, 0), dtypes.int32), dim, keepdim, "all"), 0), input)


__all__ = [
    "FOLDS", "REDUCE", "Dims", "Reduce", "all", "amax", "amin", "any", "argmax", "argmin", "log_normalizer",
    "logsumexp", "m2", "max", "mean", "min", "prod", "prod_dims", "std", "sum", "var",
]  # fmt: skip
