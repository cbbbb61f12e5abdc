"""Values in parts: a tensor larger than a binding as a grid of smaller ones, and the geometry of cutting it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tabgrad.dtypes import DType
from tabgrad.graph.op import Shape

Cuts = tuple[int, ...]  # along one dimension: 0, where it is cut, its size
Box = tuple[tuple[int, int], ...]  # for each dimension: from, to
Cell = tuple[int, ...]  # for each dimension: which part of it


@dataclass(frozen=True)
class Grid:
    """A value as a grid of entries; ``cells[i, j]`` holds part ``i`` of the first dimension and ``j`` of the second."""

    shape: Shape
    dtype: DType
    cuts: tuple[Cuts, ...]
    cells: dict[Cell, int]

    @property
    def whole(self) -> int | None:
        """The entry that is the whole value; None where there are several."""
        return next(iter(self.cells.values())) if len(self.cells) == 1 else None


def uncut(n: int) -> Cuts:
    """One part."""
    return (0, n)


def every(n: int, step: int) -> Cuts:
    """Parts of ``step``; the last may be smaller."""
    return (*range(0, n, step), n)


def union(n: int, *cuts: Cuts) -> Cuts:
    """Cut wherever one of them is."""
    return tuple(sorted({0, n}.union(*cuts)))


def longest(cuts: Cuts) -> int:
    """The size of the largest part."""
    return max(b - a for a, b in itertools.pairwise(cuts))


def spans(cuts: Cuts) -> list[tuple[int, int]]:
    """The parts along a dimension, each as from, to."""
    return list(itertools.pairwise(cuts))


def boxes(cuts: Sequence[Cuts]) -> Iterator[tuple[Cell, Box]]:
    """Every cell of a grid in row-major order, and where it lies."""
    for cell in itertools.product(*(range(len(c) - 1) for c in cuts)):
        yield cell, tuple((c[i], c[i + 1]) for c, i in zip(cuts, cell, strict=True))


def shape_of(box: Box) -> Shape:
    """The sizes of a box."""
    return tuple(b - a for a, b in box)


def shortened(cuts: Sequence[Cuts], dims: Iterable[int], limit: int) -> list[Cuts]:
    """``cuts`` and as many more along ``dims``, the first ones first, as make every cell ``limit`` elements at most.

    Steps are powers of two, so that grids of different tensors fit together. Where no more can be cut, cells stay
    larger than ``limit``.
    """
    found = list(cuts)
    for d in dims:
        cell = math.prod(longest(c) for c in found)
        if cell <= limit:
            break
        allowed = limit // (cell // longest(found[d]))
        step = 1 << (allowed.bit_length() - 1) if allowed else 1
        found[d] = union(found[d][-1], found[d], every(found[d][-1], step))
    return found


def runs(shape: Shape, start: int, end: int) -> list[Box]:
    """Elements ``[start, end)`` of a tensor in row-major order as boxes, in that order."""
    if not shape:
        return [()]
    row = math.prod(shape[1:])
    if len(shape) == 1 or not row:
        return [((start, end), *((0, n) for n in shape[1:]))]
    (first, skip), (last, rest) = divmod(start, row), divmod(end, row)
    if first == last:
        return [((first, first + 1), *box) for box in runs(shape[1:], skip, rest)]
    found: list[Box] = []
    if skip:
        found += [((first, first + 1), *box) for box in runs(shape[1:], skip, row)]
        first += 1
    if first < last:
        found.append(((first, last), *((0, n) for n in shape[1:])))
    if rest:
        found += [((last, last + 1), *box) for box in runs(shape[1:], 0, rest)]
    return found


def start_of(shape: Shape, box: Box) -> int | None:
    """The position of a box's first element in row-major order; None unless its elements follow each other."""
    position, step, full = 0, 1, True
    for n, (a, b) in zip(reversed(shape), reversed(box), strict=True):
        if not full and b - a > 1:
            return None
        full = full and (a, b) == (0, n)
        position += a * step
        step *= n
    return position


def flat_cuts(shape: Shape, cuts: Sequence[Cuts]) -> Cuts | None:
    """Where the cells of a grid begin in row-major order; None unless each one's elements follow each other."""
    found = []
    for _, box in boxes(cuts):
        start = start_of(shape, box)
        if start is None:
            return None
        found.append(start)
    return (*found, math.prod(shape))


def unflattened(flat: Cuts, shape: Shape) -> tuple[Cuts, ...] | None:
    """The grid of ``shape`` whose cells begin at ``flat`` in row-major order; None if there is none."""
    if not shape:
        return () if len(flat) == 2 else None
    row = math.prod(shape)
    for d, n in enumerate(shape):
        outer, row = math.prod(shape[:d]), row // n
        if any(c % row for c in flat):
            continue
        cuts = union(n, tuple(c // row % n for c in flat))
        grid = (*(every(m, 1) for m in shape[:d]), cuts, *(uncut(m) for m in shape[d + 1 :]))
        return grid if outer * (len(cuts) - 1) == len(flat) - 1 else None
    return None
