"""Copies with a part replaced, written as the view that shows the part."""

from __future__ import annotations

from tabgrad.errors import ShapeError
from tabgrad.graph.op import Shape
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.movement import normalize_dim, unsqueeze
from tabgrad.ops.placing import put_slice
from tabgrad.ops.rare.parts import checked_row
from tabgrad.tensor import Tensor


def _with_part(caller: str, x: Tensor, dim: int, part: tuple[int, int, int], src: Tensor, expected: Shape) -> Tensor:
    if src.shape != expected:
        raise ShapeError(f"{caller}: expected src of shape {list(expected)}, got {list(src.shape)}")
    ranges = tuple(part if d == dim else (0, 1, n) for d, n in enumerate(x.shape))
    out = put_slice({"ranges": ranges}, x, ew.cast(src, x.dtype))
    return clone(out) if out is x or out is src else out


@public(method=True)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy with ``src`` in place of row ``index`` along ``dim``.

    Raises:
        IndexRangeError: the dimension or the row does not exist.
        ShapeError: ``src`` is not of the row's shape.
    """
    d, row = checked_row("select_scatter", input, dim, index)
    shape = input.shape[:d] + input.shape[d + 1 :]
    if src.shape != shape:
        raise ShapeError(f"select_scatter: expected src of shape {list(shape)}, got {list(src.shape)}")
    return _with_part("select_scatter", input, d, (row, 1, 1), unsqueeze(src, d), (*shape[:d], 1, *shape[d:]))


@public(method=True, out=True)
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy with ``src`` in place of the slice ``start:end:step`` along ``dim``.

    Raises:
        IndexRangeError: the dimension does not exist.
        ShapeError: ``src`` is not of the slice's shape, or ``step`` is below 1.
    """
    d = normalize_dim(dim, input.ndim, "slice_scatter")
    if step < 1 or not input.ndim:
        raise ShapeError(f"slice_scatter: expected dimensions, and step above 0, got {list(input.shape)} and {step}")
    first, stop, _ = slice(start, end, step).indices(input.shape[d])
    length = len(range(first, stop, step))
    expected = (*input.shape[:d], length, *input.shape[d + 1 :])
    return _with_part("slice_scatter", input, d, (first, step, length), src, expected)
