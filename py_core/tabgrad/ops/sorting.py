"""Sorting along a dimension, and what is picked from a sorted order. NaN is the largest number, as in PyTorch."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.creation import full
from tabgrad.ops.indexing import gather
from tabgrad.ops.movement import normalize_dim, reshape, squeeze, transpose
from tabgrad.ops.order import inverse, order_of, sort_keys
from tabgrad.ops.reduce import sum
from tabgrad.ops.result_types import ValuesAndIndices
from tabgrad.ops.slicing import flip, narrow, pad_dims
from tabgrad.tensor import Tensor


def _order(x: Tensor, dim: int, descending: bool) -> Tensor:
    """Positions along ``dim``, in the order of the elements; equal ones keep theirs."""
    if not x.numel():
        return ew.iota(x.shape, dim)
    wide = x.dtype is dtypes.float64
    if wide and descending:  # NaN is the last of float64 keys, and cannot be negated
        return x.shape[dim] - 1 - flip(_order(flip(x.detach(), (dim,)), dim, False), (dim,))
    keys = transpose(x.detach() if wide else sort_keys(x, descending=descending), dim, -1)
    order = order_of(reshape(keys, (-1, x.shape[dim])))
    return transpose(reshape(order, keys.shape), dim, -1)


def _picked(x: Tensor, dim: int, order: Tensor, count: int) -> Tensor:
    """The first elements in an order of all of them."""
    with no_grad():
        out = gather(x.detach(), dim, narrow(order, dim, 0, count))
    record(out, "sort", _picked_grad, (x, order), {"dim": dim})
    return out


def _picked_grad(g: Tensor, out: Tensor, x: Tensor, order: Tensor, dim: int) -> tuple[Any, ...]:
    n, count = x.shape[dim], g.shape[dim]
    if not x.numel():
        return g, None
    lines = transpose(order, dim, -1)
    place = transpose(reshape(inverse(reshape(lines, (-1, n))), lines.shape), dim, -1)
    whole = g if count == n else pad_dims(g, {dim: (0, n - count)})
    return gather(whole, dim, place), None


def _line(x: Tensor, dim: int, caller: str) -> tuple[Tensor, int]:
    """The tensor with at least one dimension, and which is meant."""
    d = normalize_dim(dim, max(x.ndim, 1), caller)
    return (reshape(x, (1,)) if x.ndim == 0 else x), d


@public(method=True, out=True)
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None) -> ValuesAndIndices:
    """Elements along ``dim`` in order, and where they were: (values, indices). Equal ones keep their order."""
    y, d = _line(input, dim, "sort")
    order = _order(y, d, descending)
    values = _picked(y, d, order, y.shape[d])
    return ValuesAndIndices(reshape(values, input.shape), reshape(order, input.shape))


@public(method=True, out=True)
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Tensor:
    """Where the elements along ``dim`` are, in their order; int32. Equal ones keep their order."""
    y, d = _line(input, dim, "argsort")
    return reshape(_order(y, d, descending), input.shape)


@public(method=True, out=True)
def msort(input: Tensor) -> Tensor:
    """Elements along the first dimension in order."""
    return sort(input, 0).values


@public(method=True, out=True)
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> ValuesAndIndices:
    """The ``k`` largest (or smallest) elements along ``dim`` in order, and where they were: (values, indices).

    Args:
        sorted: they are sorted anyway. Of equal elements the first ones are taken.

    Raises:
        ShapeError: there are fewer than ``k``.
    """
    y, d = _line(input, dim, "topk")
    if not 0 <= k <= y.shape[d]:
        raise ShapeError(f"topk: expected k from 0 to {y.shape[d]}, the size of dim {dim}, got {k}")
    order = _order(y, d, largest)
    found = ValuesAndIndices(_picked(y, d, order, k), narrow(order, d, 0, k))
    return found if input.ndim else ValuesAndIndices(*(reshape(t, ()) if k else t for t in found))


def _at(x: Tensor, dim: int, order: Tensor, place: Tensor, keepdim: bool) -> ValuesAndIndices:
    """The element at a place (size 1 along ``dim``) of the order."""
    index = gather(order, dim, place)
    values = gather(x, dim, index)
    return ValuesAndIndices(*(t if keepdim else squeeze(t, dim) for t in (values, index)))


@public(method=True, out=True)
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices:
    """The ``k``-th smallest element along ``dim``, counted from 1, and where it was: (values, indices).

    Raises:
        ShapeError: there are fewer than ``k``.
    """
    y, d = _line(input, dim, "kthvalue")
    if not 1 <= k <= y.shape[d]:
        raise ShapeError(f"kthvalue: expected k from 1 to {y.shape[d]}, the size of dim {dim}, got {k}")
    order = _order(y, d, False)
    shape = (*y.shape[:d], 1, *y.shape[d + 1 :])
    return _at(y, d, order, ew.iota(shape, d) + (k - 1), keepdim and input.ndim > 0)


@public(method=True, out=True)
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The element in the middle, the lower one of two; with ``dim`` the pair (values, indices). NaN if any is."""
    if dim is None:
        if not input.numel():
            return full((), float("nan"), dtype=input.dtype)
        return median(reshape(input, (-1,)), 0).values
    y, d = _line(input, dim, "median")
    n = y.shape[d]
    if n == 0:
        raise ShapeError(f"median: expected at least one element along dim {dim}, got shape {list(input.shape)}")
    order = _order(y, d, False)
    shape = (*y.shape[:d], 1, *y.shape[d + 1 :])
    middle = ew.iota(shape, d) + (n - 1) // 2
    if input.dtype.is_floating_point:  # NaNs are the last ones
        strange = sum(ew.cast(ew.isnan(y.detach()), dtypes.int32), d, keepdim=True)
        middle = ew.where(ew.gt(strange, 0), n - strange, middle)
    return _at(y, d, order, middle, keepdim and input.ndim > 0)
