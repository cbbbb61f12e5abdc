"""Diagonals: read as views, written, and made of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import ShapeError
from tabgrad.graph.index import Coords
from tabgrad.graph.op import Attrs, Reader, Text, View
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import as_tensor
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.movement import normalize_dim, permute, reshape, unsqueeze, view_op
from tabgrad.ops.slicing import pad_dims, slice_dims
from tabgrad.tensor import Tensor

# diagonal: x [.., n, n] -> [.., n]


def _read(reader: Reader, attrs: Attrs, at: Coords) -> Text:
    dims = at.dims(reader.bind)
    return reader.value(0, Coords(reader.shapes[0], [*dims, dims[-1]]))


def _is_diagonal(n: int) -> Tensor:
    return ew.eq(ew.iota((n, n), 0), ew.iota((n, n), 1))


def _embedded(line: Tensor) -> Tensor:
    """``[.., n]`` on the diagonal of ``[.., n, n]``, zeros elsewhere."""
    return ew.where(_is_diagonal(line.shape[-1]), unsqueeze(line, -1), as_tensor(0, line.dtype))


def _put(attrs: Attrs, whole: Tensor, part: Tensor) -> Tensor:
    return ew.where(_is_diagonal(part.shape[-1]), unsqueeze(part, -1), whole)


DIAGONAL = view_op(
    "diagonal",
    View(
        read=_read,
        moves_one=True,
        follows=None,
        strides=lambda attrs, shape, steps: (*steps[:-2], steps[-2] + steps[-1]),
        put=_put,
    ),
    lambda attrs, s: s[:-1],
    lambda attrs, x: np.diagonal(x, axis1=-2, axis2=-1),
    lambda g, out, x: (_embedded(g),),
)


def _squares(caller: str, x: Tensor, offset: int, dim1: int, dim2: int) -> tuple[tuple[int, ...], dict[int, Any]]:
    """The order of dimensions with the two last, and the range of each of these in which the diagonal lies."""
    if x.ndim < 2:
        normalize_dim(max(dim1, dim2, key=abs), x.ndim, caller)
        raise ShapeError(f"{caller}: expected at least 2 dimensions, got {list(x.shape)}")
    a, b = normalize_dim(dim1, x.ndim, caller), normalize_dim(dim2, x.ndim, caller)
    if a == b:
        raise ShapeError(f"{caller}: expected two different dimensions, got {dim1} and {dim2}")
    order = (*(d for d in range(x.ndim) if d not in (a, b)), a, b)
    down, right = max(0, -offset), max(0, offset)
    n = max(0, min(x.shape[a] - down, x.shape[b] - right))
    return order, {x.ndim - 2: (down if n else 0, 1, n), x.ndim - 1: (right if n else 0, 1, n)}


@public(method=True)
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonals of the matrices that two dimensions are, as the last dimension. A view.

    Args:
        offset: how far above the main diagonal; below it where it is negative.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: the two are one.
    """
    order, ranges = _squares("diagonal", input, offset, dim1, dim2)
    return apply(DIAGONAL, slice_dims(permute(input, order), ranges))


@public(method=True)
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy with ``src`` in place of what :func:`diagonal` shows.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: ``src`` is not of that shape.
    """
    order, ranges = _squares("diagonal_scatter", input, offset, dim1, dim2)
    moved = permute(input, order)
    rows, columns = ranges[input.ndim - 2], ranges[input.ndim - 1]
    expected = (*moved.shape[:-2], rows[2])
    if src.shape != expected:
        raise ShapeError(f"diagonal_scatter: expected src of shape {list(expected)}, got {list(src.shape)}")
    m, n = moved.shape[-2:]
    if not src.numel():
        return clone(input)
    line = pad_dims(ew.cast(src, input.dtype), {src.ndim - 1: (rows[0], m - rows[0] - rows[2])})
    inside = ew.eq(ew.iota((m, n), 1) - ew.iota((m, n), 0), columns[0] - rows[0])
    return permute(ew.where(inside, unsqueeze(line, -1), moved), tuple(int(d) for d in np.argsort(order)))


@public(method=True)
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Vectors, along the last dimension, as the diagonals of matrices, which are dimensions ``dim1`` and ``dim2``.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: the two are one, or the tensor has no dimension.
    """
    ndim = input.ndim + 1
    a, b = normalize_dim(dim1, ndim, "diag_embed"), normalize_dim(dim2, ndim, "diag_embed")
    if a == b or not input.ndim:
        raise ShapeError(
            f"diag_embed: expected vectors, and two different dimensions, got {list(input.shape)}, {dim1} and {dim2}"
        )
    whole, down, right = _embedded(input), max(0, -offset), max(0, offset)
    whole = pad_dims(whole, {ndim - 2: (down, right), ndim - 1: (right, down)})
    rest = iter(range(ndim - 2))
    return permute(whole, [ndim - 2 if d == a else ndim - 1 if d == b else next(rest) for d in range(ndim)])


@public(method=True, out=True)
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A copy of a matrix's diagonal; of a vector the matrix that has it there.

    Raises:
        ShapeError: there are neither one nor two dimensions.
    """
    if input.ndim not in (1, 2):
        raise ShapeError(f"diag: expected a vector or a matrix, got {list(input.shape)}")
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    order, ranges = _squares("diag", input, diagonal, 0, 1)
    return clone(apply(DIAGONAL, slice_dims(permute(input, order), ranges)))


@public(method=True)
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix that has all elements on its diagonal."""
    return diag_embed(reshape(input, input.numel()), offset)
