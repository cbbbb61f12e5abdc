"""Tensors that are joined or combined with each other: stacks by direction, grids, products."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad
from tabgrad.errors import ShapeError
from tabgrad.graph.op import Shape
from tabgrad.names import public
from tabgrad.ops import _broadcast
from tabgrad.ops._broadcast import as_tensor, result_dtype
from tabgrad.ops.indexing import index_select
from tabgrad.ops.movement import another, broadcast_to, reshape
from tabgrad.ops.slicing import cat, pad_dims, stack
from tabgrad.tensor import Tensor


def _given(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """Tensors that were given one by one, or as one sequence."""
    return tuple(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], Sequence) else tensors


def _each(form: Callable[[Tensor], Tensor], tensors: tuple[Any, ...]) -> Any:
    """A form of one tensor; of several a tuple of forms."""
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return form(tensors[0])
    return tuple(form(x) for x in _given(tensors))


def _one(x: Tensor) -> Tensor:
    return x if x.ndim else reshape(x, 1)


def _two(x: Tensor) -> Tensor:
    return x if x.ndim > 1 else reshape(x, (1, x.numel()))


def _three(x: Tensor) -> Tensor:
    return x if x.ndim > 2 else reshape(x, (*_two(x).shape, 1))


@public(another=another)
def atleast_1d(*tensors: Any) -> Any:
    """The tensor, or each of several, with at least one dimension."""
    return _each(_one, tensors)


@public(another=another)
def atleast_2d(*tensors: Any) -> Any:
    """The tensor, or each of several, with at least two dimensions: vectors become rows."""
    return _each(_two, tensors)


@public(another=another)
def atleast_3d(*tensors: Any) -> Any:
    """The tensor, or each of several, with at least three dimensions: a vector ``[n]`` becomes ``[1, n, 1]``."""
    return _each(_three, tensors)


@public(out=True)
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors beside each other: along dimension 1, vectors along 0."""
    flat = [_one(x) for x in tensors]
    return cat(flat, 0 if flat and flat[0].ndim == 1 else 1)


@public(out=True, aliases=("row_stack",))
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors below each other, along dimension 0; vectors are rows."""
    return cat([_two(x) for x in tensors], 0)


@public(out=True)
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors along dimension 2, which is added where it is missing."""
    return cat([_three(x) for x in tensors], 2)


@public(out=True)
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors beside each other, along dimension 1; vectors are columns."""
    return cat([x if x.ndim > 1 else reshape(x, (x.numel(), 1)) for x in tensors], 1)


@public()
def block_diag(*tensors: Any) -> Tensor:
    """Matrices along the diagonal of one matrix, zeros elsewhere; vectors are rows.

    Raises:
        ShapeError: a tensor has more than two dimensions.
    """
    blocks = [_two(x) for x in _given(tensors)]
    if any(x.ndim > 2 for x in blocks):
        raise ShapeError(f"block_diag: expected matrices, got {[list(x.shape) for x in blocks]}")
    if not blocks:
        return as_tensor(0.0, dtypes.float32, (1, 0))
    dtype, width, before = result_dtype(*blocks), sum(x.shape[1] for x in blocks), 0
    rows = []
    for x in blocks:
        rows.append(pad_dims(as_tensor(x, dtype), {1: (before, width - before - x.shape[1])}))
        before += x.shape[1]
    return cat(rows, 0)


@public()
def broadcast_shapes(*shapes: Any) -> Shape:
    """The shape that tensors of these shapes broadcast to; an integer stands for a shape of one dimension.

    Raises:
        ShapeError: they do not broadcast.
    """
    return _broadcast.broadcast_shapes(*((s,) if isinstance(s, int) else tuple(s) for s in shapes))


@public(another=another)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of the tensors in the shape that they broadcast to.

    Raises:
        ShapeError: they do not broadcast.
    """
    given = _given(tensors)
    shape = _broadcast.broadcast_shapes(*(x.shape for x in given), caller="broadcast_tensors")
    return tuple(broadcast_to(x, shape) for x in given)


@public(another=another)
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Coordinates of a grid: each vector along a dimension of its own, repeated along the others.

    Args:
        indexing: ``"ij"``: the first vector lies along dimension 0; ``"xy"``: along 1, and the second along 0.

    Raises:
        ShapeError: a tensor has more than one dimension.
        ValueError: ``indexing`` is another.
    """
    lines = [_one(x) for x in _given(tensors)]
    if indexing not in ("ij", "xy", None):
        raise ValueError(f"meshgrid: expected indexing 'ij' or 'xy', got {indexing!r}")
    if not lines or any(x.ndim > 1 for x in lines) or len({x.dtype for x in lines}) > 1:
        raise ShapeError(
            f"meshgrid: expected vectors of one dtype, got {[f'{x.dtype.name} {list(x.shape)}' for x in lines]}"
        )
    swaps = indexing == "xy" and len(lines) > 1
    order = [1, 0, *range(2, len(lines))] if swaps else list(range(len(lines)))
    shape = tuple(lines[d].shape[0] for d in order)
    laid = [tuple(x.shape[0] if d == n else 1 for d in order) for n, x in enumerate(lines)]
    return tuple(broadcast_to(reshape(x, sizes), shape) for x, sizes in zip(lines, laid, strict=True))


@public()
def cartesian_prod(*tensors: Any) -> Tensor:
    """All tuples of one element of each vector, one a row; of one vector the vector.

    Raises:
        ShapeError: a tensor is no vector.
    """
    lines = _given(tensors)
    if not lines or any(x.ndim != 1 for x in lines):
        raise ShapeError(f"cartesian_prod: expected vectors, got {[list(x.shape) for x in lines]}")
    if len(lines) == 1:
        return lines[0]
    return stack([reshape(x, -1) for x in meshgrid(*lines)], 1)


@public()
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All selections of ``r`` elements of a vector in their order, one a row.

    Raises:
        ShapeError: the tensor is no vector, or ``r`` is negative.
    """
    if input.ndim != 1 or r < 0:
        raise ShapeError(f"combinations: expected a vector, and r >= 0, got {list(input.shape)} and {r}")
    if r == 0:
        return as_tensor(0, input.dtype, (0,))
    chosen = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = [k for row in chosen(range(input.shape[0]), r) for k in row]
    with no_grad():
        index = Tensor._of(rows, dtypes.int32)
    return reshape(index_select(input, 0, index), (len(rows) // r, r))
