"""The largest element of each window and its place: axis by axis, the last first, so that the first of equals wins."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tabgrad.autograd import no_grad
from tabgrad.dtypes import bool_
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.creation import full
from tabgrad.ops.indexing import gather, index_select
from tabgrad.ops.movement import reshape
from tabgrad.tensor import Tensor

Tap = Callable[[int], tuple[Tensor, Tensor | None]]
"""Of the j-th element of each window along an axis: its place ``[out]``, and whether it exists (all do: None)."""


def regular(n: int, out: int, stride: int, padding: int, dilation: int) -> Tap:
    """Windows at equal distances; what lies in the padding does not exist."""

    def tap(j: int) -> tuple[Tensor, Tensor | None]:
        place = ew.iota((out,), 0) * stride + (j * dilation - padding)
        return place, ew.logical_and(ew.ge(place, 0), ew.lt(place, n)) if padding or _reach(j) >= n else None

    def _reach(j: int) -> int:
        return (out - 1) * stride + j * dilation

    return tap


def adaptive(n: int, out: int) -> Tap:
    """``out`` windows that cover ``n`` elements, as adaptive pooling's."""

    def tap(j: int) -> tuple[Tensor, Tensor | None]:
        at = ew.iota((out,), 0)
        place = ew.floor_divide(at * n, out) + j
        end = ew.floor_divide((at + 1) * n + (out - 1), out)
        return place, ew.lt(place, end) if j else None

    return tap


def longest(n: int, out: int) -> int:
    """Elements of the longest of :func:`adaptive`'s windows."""
    return max(-(-(o + 1) * n // out) - o * n // out for o in range(out))


def places_of_maxima(x: Tensor, axes: Sequence[tuple[int, Tap]]) -> Tensor:
    """Flat places, over the last axes, of the largest elements; a NaN is larger than all.

    Args:
        axes: of each of the last dimensions the number of elements in a window, and where they are.
    """
    with no_grad():
        best, at, step = x.detach(), None, 1
        for back, (count, tap) in enumerate(reversed(axes), start=1):
            dim = x.ndim - back
            best, at = _along(best, at, dim, count, tap, step)
            step *= x.shape[dim]
    assert at is not None
    return at


def _along(x: Tensor, at: Tensor | None, dim: int, count: int, tap: Tap, step: int) -> tuple[Tensor, Tensor]:
    best: Tensor | None = None
    found: Tensor | None = None
    taken: Tensor | None = None  # whether a window has had an element yet; None: all have
    for j in range(count):
        place, exists = tap(j)
        lined = (1,) * dim + (place.shape[0],) + (1,) * (x.ndim - dim - 1)
        inside = ew.minimum(ew.maximum(place, 0), x.shape[dim] - 1)
        value = index_select(x, dim, inside)
        where = reshape(inside * step, lined)
        here = where.expand(value.shape) if at is None else index_select(at, dim, inside) + where
        known = full((place.shape[0],), True, dtype=bool_) if exists is None else exists
        if best is None or found is None:
            best, found, taken = value, here, exists
            continue
        larger = ew.gt(value, best)
        if x.dtype.is_floating_point:
            larger = ew.logical_or(larger, ew.isnan(value))
        if taken is not None:
            larger = ew.logical_or(larger, ew.logical_not(reshape(taken, lined)))
            taken = ew.logical_or(taken, known)
        if exists is not None:
            larger = ew.logical_and(larger, reshape(exists, lined))
        best, found = ew.where(larger, value, best), ew.where(larger, here, found)
    assert best is not None
    assert found is not None
    return best, found


def picked(x: Tensor, places: Tensor, axes: int) -> Tensor:
    """The elements of ``x [..., *axes]`` at flat places ``[..., *axes of the result]``; differentiable."""
    lead = x.shape[: x.ndim - axes]
    flat = reshape(x, (*lead, math.prod(x.shape[x.ndim - axes :])))
    return reshape(gather(flat, -1, reshape(places, (*lead, -1))), places.shape)


@public(top=False)
def pooled_with_places(
    input: Tensor,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    sizes: tuple[int, ...],
) -> tuple[Tensor, Tensor]:
    """The largest element of each window along the last axes, and its flat place; ``sizes`` are the result's."""
    count = len(kernel)
    rows = zip(input.shape[-count:], sizes, stride, padding, dilation, strict=True)
    axes = [(k, regular(*row)) for k, row in zip(kernel, rows, strict=True)]
    places = places_of_maxima(input, axes)
    return picked(input, places, count), places


__all__ = ["adaptive", "longest", "picked", "places_of_maxima", "pooled_with_places", "regular"]
