"""Segments: rows that share an index, folded into one row for each number that an index may have.

The positions are put in the order of their indices once. A row then folds the segment of positions that name it, in
that order: no atomics, so the same bits each time. Folds of chunks of positions, and of chunks of those, keep long
segments from being folded one element after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tabgrad.autograd import apply, no_grad
from tabgrad.graph.op import Attrs, Heavy, Op, Roles, Shape, register
from tabgrad.ops import elementwise as ew
from tabgrad.ops.movement import reshape
from tabgrad.ops.order import first_at_least, order_of
from tabgrad.ops.slicing import slice_dims
from tabgrad.tensor import Tensor

CHUNK = 32  # positions that are folded beforehand
ENOUGH = 64  # positions, or chunks of them, that a thread may fold one after the other

_FOLDS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


@dataclass(frozen=True, kw_only=True)
class Segment(Heavy):
    """``attrs["kind"]``: how rows are folded; a segment of nothing gives what leaves others as they are.

    Arguments: rows ``[a, p, d]``, their order ``[p]``, where each segment ``[n]`` starts and ends in it, and folds of
    chunks of CHUNK rows in that order, of chunks of those, and so on. The result: ``[a, n, d]``.
    """

    @property
    def rereads(self) -> int:
        return 2

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles:
        rows = ("a", None, "d")
        return Roles(("a", "n", "d"), (rows, (None,), ("n",), ("n",), *(rows for _ in shapes[4:])))

    def title(self, name: str, attrs: Attrs) -> str:
        return f"segment {attrs['kind']}"

    def of_nothing(self, attrs: Attrs) -> float:
        return {"sum": 0, "prod": 1, "max": -math.inf, "min": math.inf}[attrs["kind"]]


def _neutral(kind: str, dtype: np.dtype) -> float | int:
    if kind in ("sum", "prod"):
        return int(kind == "prod")
    if dtype.kind == "f":
        return -math.inf if kind == "max" else math.inf
    return int(np.iinfo(dtype).min if kind == "max" else np.iinfo(dtype).max)


def _reference(
    attrs: Attrs, x: np.ndarray, order: np.ndarray, starts: np.ndarray, ends: np.ndarray, *_: np.ndarray
) -> np.ndarray:
    shape = (x.shape[0], starts.size, x.shape[2])
    out = np.full(shape, _neutral(attrs["kind"], x.dtype), x.dtype)
    sizes = np.maximum(ends - starts, 0)
    rows = np.repeat(np.arange(starts.size), sizes)
    within = np.arange(rows.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = order[starts[rows] + within]
    _FOLDS[attrs["kind"]].at(out.swapaxes(0, 1), rows, x[:, places].swapaxes(0, 1))
    return out


SEGMENT = register(
    Op(
        name="segment",
        lowering=Segment(
            flops=lambda attrs, out, x, *_: math.prod(x),
            terms=lambda attrs, out, x, *_: x[1],
        ),
        shape_rule=lambda attrs, x, order, starts, *_: (x[0], starts[0], x[2]),
        dtype_rule=lambda attrs, x, *_: x,
        reference=_reference,
        grad=None,
    )
)


@dataclass(frozen=True)
class Segments:
    """The positions ``[p]`` of an index in the order of what they name, and the part of them that names each number."""

    order: Tensor
    starts: Tensor
    ends: Tensor

    @property
    def counts(self) -> Tensor:
        """Positions that name each number; int32."""
        return self.ends - self.starts


def segments(index: Tensor, n: int) -> Segments:
    """The segments of an int32 index ``[p]`` of numbers below ``n``; positions of other numbers are in none."""
    with no_grad():
        order = order_of(reshape(index, (1, -1))).reshape(-1)
        starts = first_at_least(index, order, ew.iota((n + 1,), 0))
        return Segments(order, slice_dims(starts, {0: (0, 1, n)}), slice_dims(starts, {0: (1, 1, n)}))


def folded(kind: str, x: Tensor, of: Segments) -> Tensor:
    """The rows ``x`` ``[a, p, d]`` folded by segment: ``[a, n, d]``."""
    chunks: list[Tensor] = []
    rows, order = x, of.order
    while rows.shape[1] > ENOUGH:
        count = rows.shape[1]
        first = ew.iota((-(-count // CHUNK),), 0) * CHUNK
        rows = apply(SEGMENT, rows, order, first, ew.minimum(first + CHUNK, count), kind=kind)
        order = ew.iota((rows.shape[1],), 0)
        chunks.append(rows)
    return apply(SEGMENT, x, of.order, of.starts, of.ends, *chunks, kind=kind)


__all__ = ["SEGMENT", "Segment", "Segments", "folded", "segments"]
