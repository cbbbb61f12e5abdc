"""Writing where a bool mask holds: one value, or the next of several at each place, in row-major order.

How many places a mask has is known on the device alone, so nothing is read back: a scan of the mask counts them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.dtypes import DType
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.graph.op import Shape
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.indexed_writes import of_dtype
from tabgrad.ops.indexing import rows_named
from tabgrad.ops.movement import broadcast_to, reshape
from tabgrad.ops.order import first_at_least
from tabgrad.ops.scan import cumsum
from tabgrad.ops.slicing import narrow
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


@public(method=True)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """``value`` where ``mask`` holds, else ``input``; both are broadcast.

    Args:
        mask: bool, of a shape that broadcasts with that of ``input``.
        value: a number or a 0-d tensor, which is converted to the dtype of ``input``.

    Raises:
        DTypeError: the mask is not bool, or float32 cannot hold the number.
        ShapeError: the shapes do not broadcast, or ``value`` has dimensions.
    """
    if mask.dtype is not dtypes.bool_:
        raise DTypeError(f"masked_fill: expected a bool mask, got {mask.dtype.name}; compare it first (mask != 0)")
    if not isinstance(value, Tensor):
        dtypes.check_fits("masked_fill", value)
    elif value.ndim:
        raise ShapeError(f"masked_fill: expected value as a number or a 0-d tensor, got {list(value.shape)}")
    return ew.where(mask, of_dtype(value, input.dtype), input)


@public(method=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """``input`` with the next element of ``source`` at each place where ``mask`` holds, in row-major order.

    Where the mask lies on a device, a source with too few elements cannot raise: as :func:`written` says.

    Args:
        mask: bool; it and ``input`` are broadcast.
        source: of any shape and the dtype of ``input``; elements beyond the mask's places are not used.

    Raises:
        DTypeError: the mask is not bool, or the dtypes differ.
        ShapeError: the shapes do not broadcast, or a mask on the host has more places than the source elements.
    """
    if mask.dtype is not dtypes.bool_:
        raise DTypeError(f"masked_scatter: expected a bool mask, got {mask.dtype.name}; compare it first (mask != 0)")
    if source.dtype is not input.dtype:
        raise DTypeError(
            f"masked_scatter: expected source of {input.dtype.name}, got {source.dtype.name}; convert it first"
        )
    shape = broadcast_shapes(input.shape, mask.shape, caller="masked_scatter")
    count, given = _known_count(mask, shape), source.numel()
    if count is not None and count > given:
        raise ShapeError(
            f"masked_scatter: expected source of at least {count} elements, one for each place of the mask, got {given}"
        )
    lined, line = reshape(broadcast_to(input, shape), -1), reshape(broadcast_to(mask, shape), -1)
    return reshape(_filled(lined, 0, line, reshape(source, -1), is_checked=count is not None, exact=False), shape)


def written(x: Tensor, dim: int, mask: Tensor, source: Tensor) -> Tensor:
    """What ``x[..., mask] = source`` makes of ``x``; the mask is over dimensions from ``dim`` on.

    ``source`` is of the dtype of ``x`` and broadcasts to ``[*x.shape[:dim], places, *x.shape[dim + mask.ndim:]]``.
    Another number of places raises where the mask lies on the host. On a device it cannot: every place then holds NaN,
    which stops a training run; of integers the number that is lowest (the highest of unsigned ones), of bools False.

    Raises:
        ShapeError: mask or source do not fit.
    """
    after = dim + mask.ndim
    if mask.shape != x.shape[dim:after]:
        raise ShapeError(
            f"tensor[mask] = value: expected a mask of shape {list(x.shape[dim:after])}, got {list(mask.shape)}"
        )
    before, rest = x.shape[:dim], x.shape[after:]
    sizes = _aligned(source.shape, before, rest)
    if sizes is None:
        raise ShapeError(
            f"tensor[mask] = value: expected values that broadcast to {_result(before, None, rest)}, "
            f"got {list(source.shape)}"
        )
    n = sizes[dim]
    if n == 1:
        each = reshape(source, (*sizes[:dim], *(1,) * mask.ndim, *sizes[dim + 1 :]))
        return ew.where(reshape(mask, (*mask.shape, *(1,) * len(rest))), each, x)
    count = _known_count(mask, mask.shape)
    if count is not None and count != n:
        raise ShapeError(
            f"tensor[mask] = value: expected values that broadcast to {_result(before, count, rest)}, one for each of "
            f"the {count} places of the mask, got {list(source.shape)}"
        )
    values = broadcast_to(reshape(source, sizes), (*before, n, *rest))
    lined = reshape(x, (*before, mask.numel(), *rest))
    return reshape(_filled(lined, dim, reshape(mask, -1), values, is_checked=count is not None, exact=True), x.shape)


def _result(before: Shape, count: int | None, rest: Shape) -> str:
    listed = [*map(str, before), "places of the mask" if count is None else str(count), *map(str, rest)]
    return f"[{', '.join(listed)}]"


def _aligned(shape: Shape, before: Shape, rest: Shape) -> Shape | None:
    """A source's shape with as many dimensions as what is chosen; None if it does not broadcast to that."""
    ndim = len(before) + 1 + len(rest)
    while len(shape) > ndim and shape[0] == 1:
        shape = shape[1:]
    if len(shape) > ndim:
        return None
    shape = (*(1,) * (ndim - len(shape)), *shape)
    pairs = zip((*shape[: len(before)], *shape[len(before) + 1 :]), (*before, *rest), strict=True)
    return shape if all(a in (1, b) for a, b in pairs) else None


def _known_count(mask: Tensor, shape: Shape) -> int | None:
    """How many places a mask that lies on the host has in this shape, which it broadcasts to; None elsewhere."""
    held = mask._node.host_elements()
    if held is not None:
        current().own(Tracer).happens_once("what it does depends on values on the host")
    return None if held is None else int(np.count_nonzero(held)) * math.prod(shape) // max(held.size, 1)


def _along(line: Tensor, dim: int, ndim: int) -> Tensor:
    """One value for each row along ``dim``, to be broadcast."""
    return reshape(line, (*line.shape, *(1,) * (ndim - dim - 1)))


def _filled(x: Tensor, dim: int, mask: Tensor, values: Tensor, *, is_checked: bool, exact: bool) -> Tensor:
    """``x`` with the next row of ``values`` along ``dim`` at each place of the mask ``[p]``.

    Args:
        is_checked: the number of places is known to fit.
        exact: there must be as many values as places; else at least as many.
    """
    if not x.numel():
        return clone(x)
    n, places = values.shape[dim], mask.shape[0]
    with no_grad():
        counts = cumsum(mask, 0)
        found = rows_named(values.detach(), dim, counts - 1) if n else x.detach()
        if not is_checked or current().capturing() is not None:  # at a replay the mask may be another one
            count = narrow(counts, 0, places - 1, 1)
            right = ew.eq(count, n) if exact else ew.le(count, n)
            found = ew.where(reshape(right, ()), found, _loudest(x.dtype))
        out = ew.where(_along(mask, dim, x.ndim), found, x.detach())
    record(out, "masked_scatter", _filled_grad, (x, values, mask, counts), {"dim": dim})
    return out


def _filled_grad(
    g: Tensor, out: Tensor, x: Tensor, values: Tensor, mask: Tensor, counts: Tensor, dim: int
) -> tuple[Any, ...]:
    kept = ew.where(_along(mask, dim, g.ndim), 0.0, g)
    n, places = values.shape[dim], mask.shape[0]
    with no_grad():
        at = first_at_least(counts, ew.iota((places,), 0), ew.iota((n,), 0) + 1)  # the place of each value
    taken = ew.where(_along(ew.lt(at, places), dim, g.ndim), rows_named(g, dim, at), 0.0)
    return kept, taken, None, None


def _loudest(dtype: DType) -> float | int | bool:
    """What a place holds where the values do not fit the mask and nothing can raise."""
    if dtype.is_floating_point:
        return math.nan
    if dtype is dtypes.bool_:
        return False
    limits = np.iinfo(dtype.storage)
    return int(limits.min if dtype.is_signed else limits.max)


__all__ = ["masked_fill", "masked_scatter", "written"]
