"""What lies at a place of the sorted order: quantiles, the median without NaN, and the most frequent element."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.indexing import gather
from tabgrad.ops.movement import broadcast_to, normalize_dim, reshape, squeeze, transpose, unsqueeze
from tabgrad.ops.reduce import sum
from tabgrad.ops.result_types import ValuesAndIndices
from tabgrad.ops.scan import cummax
from tabgrad.ops.slicing import pad_dims
from tabgrad.ops.sorting import sort
from tabgrad.tensor import Tensor

_WAYS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(
    caller: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, *, ignores_nan: bool
) -> Tensor:
    if input.dtype is not dtypes.float32:
        raise DTypeError(f"{caller}: expected a float32 tensor, got {input.dtype.name}; use x.float()")
    if interpolation not in _WAYS:
        raise ArgumentError(f"{caller}: expected interpolation as one of {', '.join(_WAYS)}, got {interpolation!r}")
    if isinstance(q, Tensor):
        if q.ndim > 1 or q.dtype is not input.dtype:
            raise ShapeError(f"{caller}: expected q as a number or [k] of float32, got {list(q.shape)} of {q.dtype}")
        at = q
    elif not 0 <= q <= 1:
        raise ArgumentError(f"{caller}: expected q in [0, 1], got {q}")
    else:
        at = Tensor._of(float(q), dtypes.float32)
    if not input.numel():
        raise ShapeError(f"{caller}: expected at least one element, got shape {list(input.shape)}")
    d = 0 if dim is None else normalize_dim(dim, input.ndim, caller)
    lines = reshape(input, (1, -1)) if dim is None or not input.ndim else unsqueeze(transpose(input, d, -1), 0)
    lines = lines if dim is not None and input.ndim else unsqueeze(lines, 0)  # (1, ..., n)
    lines = reshape(lines, (math.prod(lines.shape[:-1]), lines.shape[-1]))  # (rows, n)
    n = lines.shape[1]
    ordered = sort(lines, 1).values
    strange = sum(ew.cast(ew.isnan(lines.detach()), dtypes.int32), 1, keepdim=True)  # (rows, 1)
    known = ew.cast(n - strange, dtypes.float32) if ignores_nan else float(n)
    place = reshape(at, (1, -1)) * (known - 1.0)  # (rows or 1, k)
    place = ew.maximum(broadcast_to(place, (lines.shape[0], place.shape[1])), 0.0)
    if not ignores_nan:  # NaN are the last ones
        place = ew.where(ew.gt(strange, 0), float(n - 1), place)
    if interpolation in ("lower", "higher", "nearest"):
        rounding = {"lower": ew.floor, "higher": ew.ceil, "nearest": ew.round}[interpolation]
        found = gather(ordered, 1, ew.cast(rounding(place), dtypes.int32))
    else:
        low = ew.floor(place)
        weight = place - low if interpolation == "linear" else 0.5 + 0.0 * place
        below = gather(ordered, 1, ew.cast(low, dtypes.int32))
        above = gather(ordered, 1, ew.cast(ew.ceil(place), dtypes.int32))
        found = ew.where(ew.eq(below, above), below, below + (above - below) * weight)
    rest = () if dim is None or not input.ndim else tuple(s for k, s in enumerate(transpose(input, d, -1).shape[:-1]))
    out = reshape(transpose(found, 0, 1), (found.shape[1], *rest))  # (k, ...)
    if dim is not None and input.ndim:
        # the dimension that took the place of the last one goes back to where it was
        out = unsqueeze(out, -1)
        out = transpose(out, d + 1, -1)
        out = out if keepdim else squeeze(out, d + 1)
    elif keepdim:
        out = reshape(out, (out.shape[0], *(1,) * input.ndim))
    return out if at.ndim else squeeze(out, 0)


@public(method=True, out=True)
def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The elements below which fractions ``q`` of those along ``dim`` (of all by default) lie; NaN if any is.

    Args:
        q: a number in [0, 1], or a float32 tensor ``[k]`` of such: the result has a first dimension k then.
        interpolation: between neighbours: ``linear``, ``lower``, ``higher``, ``midpoint`` or ``nearest``.

    Raises:
        DTypeError: the tensor is not float32.
        ShapeError: there is no element.
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation, ignores_nan=False)


@public(method=True, out=True)
def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """As :func:`quantile`, of the elements that are not NaN; NaN where all are."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, ignores_nan=True)


@public(method=True, out=True)
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """As ``median``, of the elements that are not NaN; NaN where all are."""
    if dim is None:
        return nanmedian(reshape(input, (-1,)), 0).values
    if not input.dtype.is_floating_point or not input.ndim:
        return input.median(dim, keepdim)
    d = normalize_dim(dim, input.ndim, "nanmedian")
    if not input.shape[d]:
        raise ShapeError(f"nanmedian: expected at least one element along dim {dim}, got {list(input.shape)}")
    order = sort(input.detach(), d).indices
    known = sum(ew.cast(ew.logical_not(ew.isnan(input.detach())), dtypes.int32), d, keepdim=True)
    place = ew.floor_divide(ew.maximum(known - 1, 0), 2)
    index = gather(order, d, place)
    found = ValuesAndIndices(gather(input, d, index), index)
    return found if keepdim else ValuesAndIndices(*(squeeze(t, d) for t in found))


@public(method=True, out=True)
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ValuesAndIndices:
    """The most frequent element along ``dim``, the smallest of several, and its last place: (values, indices)."""
    if not input.ndim:
        return ValuesAndIndices(ew.clone(input), ew.iota((1,), 0).reshape(()))
    d = normalize_dim(dim, input.ndim, "mode")
    if not input.shape[d]:
        raise ShapeError(f"mode: expected at least one element along dim {dim}, got {list(input.shape)}")
    ordered, order = sort(input.detach(), d)
    n = input.shape[d]
    place = ew.iota(input.shape, d)
    if n > 1:
        before = ordered.narrow(d, 0, n - 1)
        after = ordered.narrow(d, 1, n - 1)
        starts = ew.cast(ew.ne(after, before), dtypes.int32) * place.narrow(d, 1, n - 1)
        first = cummax(pad_dims(starts, {d: (1, 0)}), d).values
    else:
        first = place
    run = place - first  # how many equal ones come before each
    best = run.argmax(d, keepdim=True)
    index = gather(order, d, best)
    found = ValuesAndIndices(gather(input, d, index), index)
    return found if keepdim else ValuesAndIndices(*(squeeze(t, d) for t in found))
