"""Elements by their number in the whole tensor, or along a dimension by tensors that are broadcast."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.chosen import integer_index
from tabgrad.ops.indexed_writes import index_copy, scatter_reduce
from tabgrad.ops.indexing import gather, index_select, rows_added
from tabgrad.ops.movement import broadcast_to, ints_of, normalize_dim, reshape
from tabgrad.tensor import Tensor


@public(method=True, out=True)
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements with these numbers row by row, in the shape of ``index``; negative ones count from the end.

    Raises:
        DTypeError: the index has no integers.
        IndexError: an index on the host is out of range.
    """
    found = integer_index(index, input.numel())
    return reshape(index_select(reshape(input, (input.numel(),)), 0, reshape(found, (index.numel(),))), index.shape)


@public(method=True, out=True)
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """As :func:`tabgrad.gather`, with both broadcast along other dimensions; negative indices count from the end.

    Args:
        dim: without it the elements are numbered in row-major order.

    Raises:
        ShapeError: the numbers of dimensions differ, or other dimensions do not broadcast.
    """
    if dim is None:
        indices = integer_index(indices, input.numel())
        return gather(reshape(input, (input.numel(),)), 0, reshape(indices, (indices.numel(),)))
    if input.ndim != indices.ndim:
        raise ShapeError(
            f"take_along_dim: expected indices of {input.ndim} dimensions, got {list(indices.shape)}; "
            f"leave dim away to number all elements"
        )
    d = normalize_dim(dim, input.ndim, "take_along_dim")
    indices = integer_index(indices, input.shape[d] if input.ndim else 1)
    if not input.ndim:
        return gather(input, 0, indices)
    sizes = [(*x.shape[:d], 1, *x.shape[d + 1 :]) for x in (input, indices)]
    shape = broadcast_shapes(*sizes, caller="take_along_dim")
    wide = [broadcast_to(x, (*shape[:d], x.shape[d], *shape[d + 1 :])) for x in (input, indices)]
    return gather(wide[0], d, wide[1])


@public(method=True, inplace=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with ``source`` at the elements with these numbers in row-major order, or added to them.

    Of several values for one element the last one counts.

    Raises:
        DTypeError: the dtypes differ, or the index has no integers.
        ShapeError: there are not as many values as indices.
    """
    if source.dtype is not input.dtype:
        raise DTypeError(f"put: expected source of {input.dtype.name}, got {source.dtype.name}; convert it first")
    if source.numel() != index.numel():
        raise ShapeError(f"put: expected {index.numel()} values, one for each index, got {source.numel()}")
    n, k = input.numel(), index.numel()
    at = reshape(integer_index(index, n), (k,))
    line, values = reshape(input, (n,)), reshape(source, (k,))
    if accumulate:
        added = rows_added(values, at, 0, n)
        return reshape(ew.logical_or(line, added) if input.dtype is dtypes.bool_ else line + added, input.shape)
    return reshape(index_copy(line, 0, at, values), input.shape)


@public(method=True, inplace=True, out=True)
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """The rows of ``source`` for each row that the index names, reduced, with the row itself among them or not.

    Args:
        reduce: ``"prod"``, ``"mean"``, ``"amax"`` or ``"amin"``.
        include_self: whether the row of ``input`` counts where any is named; elsewhere it stays.

    Raises:
        ValueError: there is no such reduction.
        ShapeError: ``source`` is not ``input`` with as many rows as the index.
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise ValueError(f"index_reduce: expected reduce 'prod', 'mean', 'amax' or 'amin', got {reduce!r}")
    d = normalize_dim(dim, input.ndim, "index_reduce")
    expected = (*input.shape[:d], index.numel(), *input.shape[d + 1 :])
    if index.ndim > 1 or (input.ndim and source.shape != expected) or source.numel() != math.prod(expected):
        raise ShapeError(f"index_reduce: expected a 1-d index, and source {list(expected)}, got {list(source.shape)}")
    rows = reshape(index, (1,) * d + (index.numel(),) + (1,) * (len(expected) - d - 1))
    return scatter_reduce(
        input, d, broadcast_to(rows, expected), reshape(source, expected), reduce, include_self=include_self
    )


@public()
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """For numbers of elements in row-major order their index along each dimension of a tensor of this shape.

    Raises:
        DTypeError: the indices are no integers.
        ShapeError: a size is negative.
    """
    sizes = ints_of((shape,))
    if indices.dtype.computed is not dtypes.int32:
        raise DTypeError(f"unravel_index: expected integers, got {indices.dtype.name}")
    if min(sizes, default=0) < 0:
        raise ShapeError(f"unravel_index: expected sizes >= 0, got {list(sizes)}")
    found, rest = [], indices
    for n in reversed(sizes):
        found.append(rest % n if n else rest * 0)
        rest = ew.floor_divide(rest, n) if n else rest
    return tuple(reversed(found))
