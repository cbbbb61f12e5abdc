"""The largest element of each window and its place: axis by axis, the last first, so that the first of equals wins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tabgrad.autograd import no_grad
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.indexing import gather, index_select
from tabgrad.ops.movement import broadcast_to, reshape
from tabgrad.tensor import Tensor


@dataclass(frozen=True)
class Windows:
    """Windows along an axis: where the elements of each are, ``[windows, elements]``, and which of them exist.

    What does not exist lies before or after the axis, next to an element of the same window.
    """

    places: Tensor
    exist: Tensor | None  # None: all do


def regular(n: int, out: int, kernel: int, stride: int, padding: int, dilation: int) -> Windows:
    """Windows at equal distances; what lies in the padding does not exist."""
    shape = (out, kernel)
    places = ew.iota(shape, 0) * stride + (ew.iota(shape, 1) * dilation - padding)
    if not padding and (out - 1) * stride + (kernel - 1) * dilation < n:
        return Windows(places, None)
    return Windows(places, ew.logical_and(ew.ge(places, 0), ew.lt(places, n)))


def adaptive(n: int, out: int) -> Windows:
    """``out`` windows that cover ``n`` elements, as adaptive pooling's."""
    longest = max(-(-(o + 1) * n // out) - o * n // out for o in range(out))
    at = ew.iota((out, longest), 0)
    places = ew.floor_divide(at * n, out) + ew.iota((out, longest), 1)
    end = ew.floor_divide((at + 1) * n + (out - 1), out)
    return Windows(places, None if n % out == 0 else ew.lt(places, end))


def places_of_maxima(x: Tensor, axes: Sequence[Windows]) -> Tensor:
    """Flat places, over the last axes, of the largest elements; a NaN is larger than all."""
    with no_grad():
        best, at, step = x.detach(), None, 1
        for back, windows in enumerate(reversed(axes), start=1):
            dim = x.ndim - back
            best, at = _along(best, at, dim, windows, step)
            step *= x.shape[dim]
    assert at is not None
    return at


def _along(x: Tensor, at: Tensor | None, dim: int, windows: Windows, step: int) -> tuple[Tensor, Tensor]:
    """The largest elements along one axis, and their places; ``at`` has those of ``x`` along later axes."""
    out, count = windows.places.shape
    apart = (*x.shape[:dim], out, count, *x.shape[dim + 1 :])
    lined = (1,) * dim + (out, count) + (1,) * (x.ndim - dim - 1)
    inside = ew.minimum(ew.maximum(windows.places, 0), x.shape[dim] - 1)
    index = reshape(inside, -1)
    values = reshape(index_select(x, dim, index), apart)
    here = broadcast_to(reshape(inside * step, lined), apart)
    if at is not None:
        here = here + reshape(index_select(at, dim, index), apart)
    compared = values
    if windows.exist is not None:
        least = -math.inf if x.dtype.is_floating_point else -(2**31)
        compared = ew.where(reshape(windows.exist, lined), values, least)
    best = red.argmax(compared, dim + 1, keepdim=True)
    shape = (*x.shape[:dim], out, *x.shape[dim + 1 :])
    return reshape(gather(values, dim + 1, best), shape), reshape(gather(here, dim + 1, best), shape)


def picked(x: Tensor, places: Tensor, axes: int) -> Tensor:
    """The elements of ``x [..., *axes]`` at flat places ``[..., *axes of the result]``; differentiable."""
    lead = x.shape[: x.ndim - axes]
    flat = reshape(x, (*lead, math.prod(x.shape[x.ndim - axes :])))
    count = math.prod(places.shape[x.ndim - axes :])
    return reshape(gather(flat, -1, reshape(places, (*lead, count))), places.shape)


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
    rows = zip(input.shape[-count:], sizes, kernel, stride, padding, dilation, strict=True)
    places = places_of_maxima(input, [regular(*row) for row in rows])
    return picked(input, places, count), places


__all__ = ["Windows", "adaptive", "picked", "places_of_maxima", "pooled_with_places", "regular"]
