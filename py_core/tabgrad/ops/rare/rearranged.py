"""Dimensions moved, and shapes taken from other tensors: views; and elements in another order: copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad.errors import ArgumentError, IndexRangeError, ShapeError
from tabgrad.names import public
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.movement import (
    another,
    broadcast_to,
    chosen_ints,
    ints_of,
    normalize_dim,
    permute,
    reshape,
    transpose,
    view,
)
from tabgrad.ops.reduce import sum
from tabgrad.ops.slicing import cat, flip, slice_dims
from tabgrad.tensor import Tensor


@public(method=True, another=another, aliases=("moveaxis",))
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions ``source`` moved to the places ``destination``; the others keep their order.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: one is named twice, or there are not as many places as dimensions.
    """
    moved = [[normalize_dim(d, input.ndim, "movedim") for d in ints_of((dims,))] for dims in (source, destination)]
    sources, targets = moved
    if len(sources) != len(targets) or any(len(set(dims)) != len(dims) for dims in moved):
        raise ShapeError(f"movedim: expected as many dimensions as places, each once, got {source} and {destination}")
    if not input.ndim:
        return input
    rest = iter(d for d in range(input.ndim) if d not in sources)
    taken = dict(zip(targets, sources, strict=True))
    return permute(input, [taken[d] if d in taken else next(rest) for d in range(input.ndim)])


@public(method=True, another=another)
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """As :func:`tabgrad.transpose`."""
    return transpose(input, axis0, axis1)


@public(method=True, another=another)
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """As :func:`tabgrad.transpose`."""
    return transpose(input, dim0, dim1)


@public(method=True, another=another)
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions swapped, as there are no complex numbers."""
    return transpose(input, -2, -1)


@public(top=False, method=True, another=another)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """As :func:`tabgrad.broadcast_to`, to the shape of ``other``."""
    return broadcast_to(input, other.shape)


@public(top=False, method=True, another=another)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """As ``view``, in the shape of ``other``."""
    return view(input, other.shape)


@public(top=False, method=True, another=another)
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """As :func:`tabgrad.reshape`, in the shape of ``other``."""
    return reshape(input, other.shape)


@public(method=True, another=another)
def ravel(input: Tensor) -> Tensor:
    """All elements as one dimension."""
    return reshape(input, -1 if input.numel() else (0,))


@public(top=False, method=True, another=another)
def sum_to_size(input: Tensor, *sizes: Any, size: Any = None) -> Tensor:
    """The sum over all dimensions that broadcasting from ``size`` to this shape repeats.

    Raises:
        ShapeError: ``size`` does not broadcast to this shape.
    """
    shape = chosen_ints("sum_to_size", sizes, "size", size)
    if not shape:
        return sum(input)
    lead = input.ndim - len(shape)
    if lead < 0 or any(k not in (1, n) for k, n in zip(shape, input.shape[lead:], strict=True)):
        raise ShapeError(f"sum_to_size: expected a size that broadcasts to {list(input.shape)}, got {list(shape)}")
    dims = (*range(lead), *(d + lead for d, k in enumerate(shape) if k == 1 and input.shape[d + lead] != 1))
    return reshape(sum(input, dims), shape) if dims else input


@public(method=True)
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """A copy with elements moved by ``shifts`` along ``dims``; those that leave at one end come in at the other.

    Args:
        shifts: one number for each dimension.
        dims: without them, the elements are moved as one row.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: there are not as many shifts as dimensions.
    """
    moves, places = ints_of((shifts,)), () if dims is None else ints_of((dims,))
    if not moves:
        raise ArgumentError("roll: expected shifts, got none")
    if not places and len(moves) == 1:
        return reshape(_rolled(reshape(input, input.numel()), moves[0], 0), input.shape)
    if len(moves) != len(places):
        raise ShapeError(f"roll: expected as many shifts as dimensions, got {list(moves)} and {list(places)}")
    if places and not input.ndim:
        raise IndexRangeError(f"roll: expected a tensor with dimensions, got a 0-d one and dims {list(places)}")
    out = input
    for shift, dim in zip(moves, places, strict=True):
        out = _rolled(out, shift, normalize_dim(dim, input.ndim, "roll"))
    return clone(input) if out is input else out


def _rolled(x: Tensor, shift: int, dim: int) -> Tensor:
    n = x.shape[dim] if x.ndim else 0
    at = shift % n if n else 0
    if not at:
        return clone(x)
    return cat([slice_dims(x, {dim: (n - at, 1, at)}), slice_dims(x, {dim: (0, 1, n - at)})], dim)


@public(method=True)
def fliplr(input: Tensor) -> Tensor:
    """A copy, reversed along dimension 1.

    Raises:
        ShapeError: there are fewer than two dimensions.
    """
    if input.ndim < 2:
        raise ShapeError(f"fliplr: expected at least 2 dimensions, got {list(input.shape)}")
    return flip(input, 1)


@public(method=True)
def flipud(input: Tensor) -> Tensor:
    """A copy, reversed along dimension 0.

    Raises:
        ShapeError: the tensor has no dimension.
    """
    if input.ndim < 1:
        raise ShapeError("flipud: expected at least 1 dimension, got a 0-d tensor")
    return flip(input, 0)


@public(method=True)
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """A copy, rotated ``k`` times by 90 degrees from the first towards the second of two dimensions.

    Raises:
        IndexRangeError: a dimension does not exist.
        ShapeError: there are not two different ones.
    """
    places = [normalize_dim(d, input.ndim, "rot90") for d in ints_of((dims,))]
    if len(places) != 2 or places[0] == places[1] or input.ndim < 2:
        raise ShapeError(f"rot90: expected two different dimensions of at least two, got {list(dims)}")
    a, b = places
    if k % 4 == 0:
        return clone(input)
    if k % 4 == 2:
        return flip(input, a, b)
    return clone(transpose(flip(input, b), a, b)) if k % 4 == 1 else clone(transpose(flip(input, a), a, b))
