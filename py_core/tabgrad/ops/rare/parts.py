"""Parts of tensors along one dimension: single rows, and splits of several kinds. All are views."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from tabgrad.errors import IndexRangeError, ShapeError
from tabgrad.names import public
from tabgrad.ops.movement import another, ints_of, normalize_dim, reshape
from tabgrad.ops.slicing import chunk, slice_dims, split
from tabgrad.tensor import Tensor


def checked_row(caller: str, x: Tensor, dim: int, index: Any) -> tuple[int, int]:
    """A dimension and one of its rows, both counted from the front.

    Raises:
        IndexRangeError: one does not exist.
    """
    if not x.ndim:
        raise IndexRangeError(f"{caller}: expected a tensor with dimensions, got a 0-d one")
    d, (row,) = normalize_dim(dim, x.ndim, caller), ints_of((index,))
    n = x.shape[d]
    if not -n <= row < n:
        raise IndexRangeError(f"{caller}: expected an index in [{-n}, {n - 1}] of dim {d}, got {row}")
    return d, row % n


@public(method=True)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Row ``index`` along ``dim``, without that dimension.

    Raises:
        IndexRangeError: the dimension or the row does not exist.
    """
    d, row = checked_row("select", input, dim, index)
    return reshape(slice_dims(input, {d: (row, 1, 1)}), input.shape[:d] + input.shape[d + 1 :])


@public(method=True)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """All rows along ``dim``, without that dimension.

    Raises:
        IndexRangeError: the dimension does not exist.
    """
    if not input.ndim:
        raise IndexRangeError("unbind: expected a tensor with dimensions, got a 0-d one")
    d = normalize_dim(dim, input.ndim, "unbind")
    return tuple(select(input, d, row) for row in range(input.shape[d]))


@public(method=True, another=another)
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """As :func:`tabgrad.split` with a list of sizes."""
    return split(input, ints_of((split_sizes,)), dim)


@public(method=True, another=another)
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """As :func:`tabgrad.split`."""
    return split(input, split_size, dim)


@public(method=True, another=another)
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """As :func:`tabgrad.split` with a list of sizes."""
    return split(input, ints_of((split_sizes,)), dim)


@public(method=True, another=another)
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """As :func:`tabgrad.chunk`."""
    return chunk(input, chunks, dim)


@public(method=True, another=another)
def tensor_split(
    input: Tensor, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None, sections: Any = None
) -> tuple[Tensor, ...]:
    """Consecutive pieces: so many of nearly equal size, or those that begin at the given indices.

    Args:
        indices_or_sections: a number of pieces, or a list or tensor of indices; also by the keywords of either.

    Raises:
        IndexRangeError: ``dim`` does not exist.
        ShapeError: the number of pieces is below 1.
    """
    if not input.ndim:
        raise ShapeError("tensor_split: expected a tensor with dimensions, got a 0-d one")
    given = next((v for v in (indices_or_sections, indices, sections) if v is not None), None)
    if isinstance(given, Tensor):
        given = given.tolist()
    d = normalize_dim(dim, input.ndim, "tensor_split")
    n = input.shape[d]
    if isinstance(given, Sequence):
        bounds = [0, *(_bound(k, n) for k in ints_of((given,))), n]
    else:
        (count,) = ints_of((given,))
        if count < 1:
            raise ShapeError(f"tensor_split: expected at least one piece, got {count}")
        bounds = [k * (n // count) + min(k, n % count) for k in range(count + 1)]
    pairs = itertools.pairwise(bounds)
    return tuple(slice_dims(input, {d: (start, 1, max(0, stop - start))}) for start, stop in pairs)


def _bound(index: int, n: int) -> int:
    return min(max(index + n if index < 0 else index, 0), n)


@public(method=True, another=another)
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Pieces along dimension 1, of vectors along 0: equal ones, or those that begin at indices.

    Raises:
        ShapeError: the tensor has too few dimensions, or cannot be split into equal pieces.
    """
    return _equal("hsplit", input, indices_or_sections, 1, 0 if input.ndim == 1 else 1)


@public(method=True, another=another)
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """As :func:`hsplit`, along dimension 0 of a tensor with at least two."""
    return _equal("vsplit", input, indices_or_sections, 2, 0)


@public(method=True, another=another)
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """As :func:`hsplit`, along dimension 2."""
    return _equal("dsplit", input, indices_or_sections, 3, 2)


def _equal(caller: str, x: Tensor, given: Any, least: int, dim: int) -> tuple[Tensor, ...]:
    if x.ndim < least:
        raise ShapeError(f"{caller}: expected at least {least} dimensions, got {list(x.shape)}")
    if not isinstance(given, Sequence | Tensor) and (given < 1 or x.shape[dim] % given):
        raise ShapeError(f"{caller}: expected a number of pieces that divides {x.shape[dim]}, got {given}")
    return tensor_split(x, given, dim)
