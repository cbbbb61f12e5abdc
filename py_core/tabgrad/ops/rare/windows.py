"""Windows along one dimension, which may overlap, as a view: ``Tensor.unfold``."""

from __future__ import annotations

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import ShapeError
from tabgrad.graph.index import Coords
from tabgrad.graph.op import Attrs, Reader, Shape, Text, View
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.movement import normalize_dim, permute, reshape, view_op
from tabgrad.ops.slicing import pad_dims, slice_dims
from tabgrad.tensor import Tensor

# unfold: x [.., n, ..] -> [.., windows, .., size]


def _count(n: int, size: int, step: int) -> int:
    return (n - size) // step + 1


def _shape(attrs: Attrs, s: Shape) -> Shape:
    d = attrs["dim"]
    return (*s[:d], _count(s[d], attrs["size"], attrs["step"]), *s[d + 1 :], attrs["size"])


def _read(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    *dims, inside = at.dims(reader.bind)
    d = attrs["dim"]
    dims[d] = dims[d].scaled(attrs["step"]) + inside
    return reader.value(0, Coords(reader.shapes[0], dims))


def _reference(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    d = attrs["dim"]
    windows = np.lib.stride_tricks.sliding_window_view(x, attrs["size"], d)
    return windows[(slice(None),) * d + (slice(None, None, attrs["step"]),)]


def _strides(attrs: Attrs, _: Shape, steps: tuple[int, ...]) -> tuple[int, ...]:
    d = attrs["dim"]
    return (*steps[:d], steps[d] * attrs["step"], *steps[d + 1 :], steps[d])


def _folded(g: Tensor, n: int, dim: int, size: int, step: int) -> Tensor:
    """``[.., n, ..]``: each element the sum of those of the windows ``[.., windows, .., size]`` that show it."""
    last, count = g.ndim - 1, g.shape[dim]
    overlap = -(-size // step)
    g = permute(g, (*range(dim + 1), last, *range(dim + 1, last)))  # (.., windows, size, ..)
    g = pad_dims(g, {dim + 1: (0, overlap * step - size)})
    total: Tensor | None = None
    for k in range(overlap):  # window w's part k lies in block w + k
        part = pad_dims(slice_dims(g, {dim + 1: (k * step, 1, step)}), {dim: (k, overlap - 1 - k)})
        total = part if total is None else total + part
    assert total is not None
    length = (count + overlap - 1) * step
    line = reshape(total, (*total.shape[:dim], length, *total.shape[dim + 2 :]))
    return pad_dims(line, {dim: (0, n - length)})


def _put(attrs: Attrs, whole: Tensor, part: Tensor) -> Tensor:
    d, size, step = attrs["dim"], attrs["size"], attrs["step"]
    if size > step and part.shape[d] > 1:
        raise RuntimeError(
            f"in-place op: expected a tensor each of whose elements has memory of its own, got windows of unfold() "
            f"that overlap: size {size}, step {step}; change a clone() of it"
        )
    n = whole.shape[d]
    at = ew.iota((n,), 0)
    inside = ew.logical_and(ew.lt(at % step, size), ew.lt(at, part.shape[d] * step))
    inside = reshape(inside, (n,) + (1,) * (whole.ndim - d - 1))
    return ew.where(inside, _folded(part, n, d, size, step), whole)


UNFOLD = view_op(
    "unfold",
    View(read=_read, moves_one=True, follows=None, strides=_strides, put=_put),
    _shape,
    _reference,
    lambda g, out, x, dim, size, step: (_folded(g, x.shape[dim], dim, size, step),),
)


@public(top=False, also=("unfold",))
def unfold_dim(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of ``size`` elements along a dimension, one every ``step`` elements, as a last dimension.

    A view.

    Raises:
        IndexRangeError: the dimension does not exist.
        ShapeError: no window fits, or ``step`` is below 1.
    """
    d = normalize_dim(dimension, input.ndim, "unfold")
    n = input.shape[d] if input.ndim else 1
    if not 0 <= size <= n or step < 1:
        raise ShapeError(f"unfold: expected size in [0, {n}] and step above 0, got {size} and {step}")
    if not input.ndim:
        return slice_dims(reshape(input, 1), {0: (0, 1, size)})
    if not size:
        return reshape(slice_dims(input, {d: (0, 1, 0)}), _shape({"dim": d, "size": 0, "step": step}, input.shape))
    return apply(UNFOLD, input, dim=d, size=size, step=step)
