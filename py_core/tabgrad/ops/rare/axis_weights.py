"""Weighted sums along one axis: each element of the result is a row of a matrix times the axis.

The matrices are written in indices, so that they are made where the step runs.
"""

from __future__ import annotations

import math

from tabgrad import dtypes
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.creation import zeros
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import reshape, transpose
from tabgrad.tensor import Tensor


def summed_along(x: Tensor, dim: int, weights: Tensor) -> Tensor:
    """``weights [m, n]`` times dimension ``dim`` of size ``n``, of which ``m`` elements remain."""
    out, n = weights.shape
    tail = math.prod(x.shape[dim + 1 :])
    shape = (*x.shape[:dim], out, *x.shape[dim + 1 :])
    if not x.numel():
        return zeros(shape, dtype=x.dtype) + red.sum(x)  # which is 0, and has the record of the input
    if tail == 1:
        return reshape(matmul(reshape(x, (-1, n)), transpose(weights, 0, 1)), shape)
    return reshape(matmul(weights, reshape(x, (-1, n, tail))), shape)


def sources(out: int, n: int, scale: float, *, align_corners: bool) -> Tensor:
    """Where each of ``out`` places lies among ``n`` elements: ``[out, n]``, the same in each row; not limited."""
    place = ew.cast(ew.iota((out, n), 0), dtypes.float32)
    return place * scale if align_corners else (place + 0.5) * scale - 0.5


def positions(out: int, n: int) -> Tensor:
    """Each element's place: ``[out, n]``."""
    return ew.cast(ew.iota((out, n), 1), dtypes.float32)


def hat(distance: Tensor) -> Tensor:
    """Linear interpolation's weight at a distance."""
    return ew.maximum(1.0 - ew.abs(distance), 0.0)


def cubic(distance: Tensor, a: float) -> Tensor:
    """Cubic convolution's weight at a distance. Source: Keys 1981, https://doi.org/10.1109/TASSP.1981.1163711"""
    d = ew.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((d - 5) * d + 8) * d * a - 4 * a
    return ew.where(ew.lt(d, 1.0), near, ew.where(ew.lt(d, 2.0), far, 0.0))


def linear_weights(out: int, n: int, scale: float, *, align_corners: bool) -> Tensor:
    """Of linear interpolation; the edges continue."""
    source = sources(out, n, scale, align_corners=align_corners)
    source = ew.minimum(ew.maximum(source, 0.0), float(n - 1))
    return hat(source - positions(out, n))


def cubic_weights(out: int, n: int, scale: float, *, align_corners: bool) -> Tensor:
    """Of cubic interpolation; the edges continue, so that their weights add up."""
    source = sources(out, n, scale, align_corners=align_corners)
    below, at = ew.floor(source), positions(out, n)
    total: Tensor | None = None
    for k in (-1.0, 0.0, 1.0, 2.0):
        tap = below + k
        weight = cubic(source - tap, -0.75)
        inside = ew.minimum(ew.maximum(tap, 0.0), float(n - 1))
        part = ew.where(ew.eq(inside, at), weight, 0.0)
        total = part if total is None else total + part
    assert total is not None
    return total


def antialiased_weights(out: int, n: int, scale: float, kind: str) -> Tensor:
    """Of interpolation with a kernel as wide as the elements that an element of the result stands for."""
    place = ew.cast(ew.iota((out, n), 0), dtypes.float32)
    distance = (positions(out, n) - (place + 0.5) * scale + 0.5) * (1 / scale if scale >= 1 else 1.0)
    weight = hat(distance) if kind == "linear" else cubic(distance, -0.5)
    return weight / red.sum(weight, 1, keepdim=True)


def mean_weights(out: int, n: int) -> Tensor:
    """Of means over ``out`` windows that cover ``n`` elements: from ``o n // out`` to ``ceil((o + 1) n / out)``."""
    place, at = ew.iota((out, n), 0), ew.iota((out, n), 1)
    start = ew.floor_divide(place * n, out)
    end = ew.floor_divide((place + 1) * n + (out - 1), out)
    inside = ew.logical_and(ew.ge(at, start), ew.lt(at, end))
    return ew.where(inside, 1.0 / ew.cast(end - start, dtypes.float32), 0.0)


__all__ = ["antialiased_weights", "cubic_weights", "linear_weights", "mean_weights", "summed_along"]
