"""Norms of vectors, distances, and what is made of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.extremes import amax, amin
from tabgrad.ops.folds import Dims, dims_of
from tabgrad.ops.indexing import index_select
from tabgrad.ops.movement import normalize_dim, unsqueeze
from tabgrad.ops.reduce import sum
from tabgrad.tensor import Tensor


def floats(caller: str, x: Tensor, dtype: DType | None) -> Tensor:
    """The tensor in a dtype, which must be one of floats."""
    x = x if dtype is None else ew.cast(x, dtype)
    if not x.dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected a floating-point tensor, got {x.dtype.name}; use x.float()")
    return x


def lengths(caller: str, x: Tensor, p: float, dim: Dims, keepdim: bool) -> Tensor:
    """``sum(|x| ** p) ** (1 / p)``; the gradient where all elements are 0 is 0, as PyTorch's."""
    if x.dtype.is_narrow:  # which may not hold the powers
        return ew.cast(lengths(caller, ew.cast(x, x.dtype.computed), p, dim, keepdim), x.dtype)
    if not x.numel() and (p < 0 or p == math.inf) and any(not x.shape[d] for d in dims_of(dim, x.ndim, caller)):
        raise ShapeError(f"{caller}: expected at least one element for order {p}, got shape {list(x.shape)}")
    if p == math.inf:
        return amax(ew.abs(x), dim, keepdim)
    if p == -math.inf:
        return amin(ew.abs(x), dim, keepdim)
    none = ew.eq(x, 0)
    if p == 0:
        return sum(ew.where(none, 0.0, 1.0), dim, keepdim) + 0.0 * sum(ew.where(ew.isfinite(x), x, 0.0), dim, keepdim)
    if p == 1:
        return sum(ew.abs(x), dim, keepdim)
    if p == 2:
        total = sum(x * x, dim, keepdim)
        flat = ew.eq(total, 0)
        return ew.where(flat, 0.0, ew.sqrt(ew.where(flat, 1.0, total)))
    powers = ew.pow(ew.abs(ew.where(none, 1.0, x)), float(p))
    total = sum(ew.where(none, 0.0 if p > 0 else math.inf, powers), dim, keepdim)
    flat = ew.eq(total, 0) if p > 0 else ew.eq(total, math.inf)
    return ew.where(flat, 0.0, ew.pow(ew.where(flat, 1.0, total), 1.0 / p))


@public(namespace="linalg", out=True)
def vector_norm(
    x: Tensor, ord: float = 2, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """``sum(|x| ** ord) ** (1 / ord)`` over ``dim`` (all by default).

    Args:
        ord: any number; infinite for the largest (or smallest) absolute value, 0 for how many are not 0.
        dtype: what elements are converted to first.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
        ShapeError: a dimension does not exist, or has no element that could be the largest.
    """
    return lengths("linalg.vector_norm", floats("linalg.vector_norm", x, dtype), float(ord), dim, keepdim)


@public(method=True)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The norm of order ``p`` of ``input - other``, broadcast."""
    return lengths("dist", floats("dist", ew.sub(input, other), None), float(p), None, False)


@public(method=True, inplace=True, out=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Scale each slice along ``dim`` whose norm of order ``p`` is larger than ``maxnorm`` down to it."""
    x = floats("renorm", input, None)
    if x.ndim < 2:
        raise ShapeError(f"renorm: expected at least 2 dimensions, got {list(x.shape)}")
    if p <= 0 or maxnorm < 0:
        raise ArgumentError(f"renorm: expected p above 0 and maxnorm of at least 0, got {p} and {maxnorm}")
    d = normalize_dim(dim, x.ndim, "renorm")
    norm = lengths("renorm", x, float(p), tuple(k for k in range(x.ndim) if k != d), True)
    large = ew.gt(norm, maxnorm)
    return x * ew.where(large, maxnorm / (ew.where(large, norm, 1.0) + 1e-7), 1.0)


@public()
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    """Distances of order ``p`` between each row of ``x1`` ``[..., P, M]`` and each of ``x2`` ``[..., R, M]``.

    Args:
        compute_mode: accepted; differences are always computed one by one.

    Returns:
        ``[..., P, R]``.

    Raises:
        DTypeError: they are no floats.
        ShapeError: the sizes M differ.
    """
    a, b = floats("cdist", x1, None), floats("cdist", x2, None)
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-1]:
        raise ShapeError(f"cdist: expected [..., P, M] and [..., R, M], got {list(a.shape)} and {list(b.shape)}")
    if p < 0:
        raise ArgumentError(f"cdist: expected p of at least 0, got {p}")
    return lengths("cdist", unsqueeze(a, -2) - unsqueeze(b, -3), float(p), -1, False) if a.shape[-1] else _flat(a, b)


def _flat(a: Tensor, b: Tensor) -> Tensor:
    return sum(unsqueeze(a, -2) - unsqueeze(b, -3), -1)


@public(functional=True)
def pdist(input: Tensor, p: float = 2) -> Tensor:
    """Distances of order ``p`` between each two rows of ``input`` ``[N, M]``; ``[N (N - 1) / 2]``.

    Raises:
        ShapeError: it is no matrix.
    """
    x = floats("pdist", input, None)
    if x.ndim != 2:
        raise ShapeError(f"pdist: expected a matrix, got {list(x.shape)}")
    first, second = (Tensor._of(i.astype(np.int32), dtypes.int32) for i in np.triu_indices(x.shape[0], 1))
    return lengths("pdist", index_select(x, 0, first) - index_select(x, 0, second), float(p), -1, False)
