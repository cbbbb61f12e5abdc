"""Histograms of points in several dimensions."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.errors import DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.indexing import rows_added
from tabgrad.ops.movement import reshape
from tabgrad.ops.rare.bins import equal_edges, interval
from tabgrad.ops.reduce import sum
from tabgrad.ops.result_types import HistogramOfPoints
from tabgrad.tensor import Tensor


@public()
def histogramdd(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> HistogramOfPoints:
    """How many points, or which sum of their weights, lie in each box of a grid: (hist, bin_edges).

    Args:
        input: ``[..., N]``: points of N coordinates.
        bins: how many equal intervals along all or each of the N dimensions, or their edges, a sequence of N tensors.
        range: smallest and largest edge of each dimension, one after the other; those of the points by default.
        weight: ``[...]``, one for each point.
        density: divided by the sum and by each box's volume.

    Raises:
        DTypeError: the points are no floats.
        ShapeError: there are not as many bins as coordinates, or not as many weights as points.
    """
    if not input.dtype.is_floating_point:
        raise DTypeError(f"histogramdd: expected a floating-point tensor, got {input.dtype.name}; use x.float()")
    if input.ndim < 2:
        raise ShapeError(f"histogramdd: expected points [..., N], got {list(input.shape)}")
    size = input.shape[-1]
    each = [bins] * size if isinstance(bins, int) else list(bins)
    if len(each) != size:
        raise ShapeError(f"histogramdd: expected bins for each of {size} coordinates, got {len(each)}")
    if range is not None and len(range) != 2 * size:
        raise ShapeError(f"histogramdd: expected range as {2 * size} numbers, got {len(range)}")
    if weight is not None and weight.shape != input.shape[:-1]:
        raise ShapeError(f"histogramdd: expected weight {list(input.shape[:-1])}, got {list(weight.shape)}")
    points = reshape(input.detach(), (math.prod(input.shape[:-1]), size))
    edges, box, inside = [], ew.iota(points.shape[:1], 0) * 0, None
    for d, given in enumerate(each):
        x = points[:, d]
        low, high = (0.0, 0.0) if range is None else range[2 * d : 2 * d + 2]
        own = given.detach() if isinstance(given, Tensor) else equal_edges("histogramdd", x, given, low, high)
        index, within = interval(x, own)
        box = box * (own.shape[0] - 1) + index
        inside = within if inside is None else ew.logical_and(inside, within)
        edges.append(own)
    assert inside is not None
    amount = ew.cast(inside, input.dtype)
    if weight is not None:
        amount = ew.where(inside, reshape(weight.detach(), (-1,)), 0.0)
    shape = tuple(own.shape[0] - 1 for own in edges)
    hist = reshape(rows_added(amount, ew.where(inside, box, 0), 0, math.prod(shape)), shape)
    if density:
        hist = hist / sum(hist)
        for d, own in enumerate(edges):
            widths = own[1:] - own[:-1]
            hist = hist / reshape(widths, tuple(-1 if k == d else 1 for k, _ in enumerate(edges)))
    return HistogramOfPoints(hist, tuple(edges))


__all__ = ["histogramdd"]
