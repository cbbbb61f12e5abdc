"""A graph that is rewritten with values in parts: how any box of such a value is put together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tabgrad.compiler.passes.kernel import base
from tabgrad.compiler.passes.large.grid import Box, Cell, Grid, flat_cuts, runs, shape_of, spans, start_of
from tabgrad.compiler.passes.simplify import MOST_PLACES
from tabgrad.dtypes import DType
from tabgrad.graph.build import Builder
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER, CONST, SCALAR
from tabgrad.graph.op import Kind, Shape
from tabgrad.ops.arithmetic import COPY
from tabgrad.ops.movement import RESHAPE
from tabgrad.ops.slicing import CAT, SLICE
from tabgrad.program import OFFSET_ALIGNMENT

JOINED = 3  # values that a view joins at a time, so that a kernel with too many operands can be split


def alignment(dtype: DType) -> int:
    """Elements: where a binding may start."""
    return OFFSET_ALIGNMENT // dtype.itemsize


Piece = tuple[int, int]  # the position of its first element, and the entry


class GridBuilder(Builder):
    """New entries, each with the number of the old entry that it was made for (``origins``).

    Args:
        limit: elements of a binding.
    """

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.origins: list[int] = []
        self.origin = 0
        self._windows: set[int] = set()
        self._placed: Counter[int] = Counter()

    def add(self, entry: Entry) -> int:
        index = super().add(entry)
        if index == len(self.origins):
            self.origins.append(self.origin)
        return index

    # Views

    def reshaped(self, index: int, shape: Shape) -> int:
        """An entry in another shape."""
        e = self.entries[index]
        if e.shape == shape:
            return index
        if e.op is CONST:
            return self.constant(e.attrs["value"], shape, e.dtype)
        if e.op is BUFFER:
            made = self.add(Entry(BUFFER, (), {}, shape, e.dtype, e.slot, e.offset))
            self._windows.update((made,) if index in self._windows else ())
            return made
        return self.op(RESHAPE, [base(self.entries, index)], {"shape": shape}, shape)

    def sliced(self, index: int, ranges: Sequence[tuple[int, int, int]]) -> int:
        """Elements of an entry: (first, step, count) for each dimension."""
        e = self.entries[index]
        shape = tuple(count for _, _, count in ranges)
        if all(r == (0, 1, n) for r, n in zip(ranges, e.shape, strict=True)):
            return index
        if e.op is CONST:
            return self.constant(e.attrs["value"], shape, e.dtype)
        if index in self._windows and all(step == 1 for _, step, _ in ranges):
            start = start_of(e.shape, tuple((first, first + count) for first, _, count in ranges))
            if start is not None and (e.offset + start) % alignment(e.dtype) == 0:
                return self.window(e.slot, e.offset + start, shape, e.dtype)
        return self.op(SLICE, [index], {"ranges": tuple(ranges)}, shape)

    def part(self, index: int, box: Box) -> int:
        """A box of an entry."""
        return self.sliced(index, [(a, 1, b - a) for a, b in box])

    def joined(self, indexes: Sequence[int], dim: int) -> int:
        """Entries side by side."""
        found = list(indexes)
        while len(found) > 1:
            found = [self._cat(found[n : n + JOINED], dim) for n in range(0, len(found), JOINED)]
        return found[0]

    def _cat(self, indexes: list[int], dim: int) -> int:
        if len(indexes) == 1:
            return indexes[0]
        first = self.entries[indexes[0]].shape
        length = sum(self.entries[i].shape[dim] for i in indexes)
        return self.op(CAT, indexes, {"dim": dim}, (*first[:dim], length, *first[dim + 1 :]))

    def window(self, slot: int, offset: int, shape: Shape, dtype: DType) -> int:
        """``shape`` elements of memory from ``offset`` on."""
        skip = offset % alignment(dtype)
        size = math.prod(shape)
        plain = shape if not skip else (size + skip,)
        index = self.add(Entry(BUFFER, (), {}, plain, dtype, slot, offset - skip))
        self._windows.add(index)
        if not skip:
            return index
        inner = self.op(SLICE, [index], {"ranges": ((skip, 1, size),)}, (size,))
        return self.reshaped(inner, shape)

    # Values in parts

    def take(self, value: Grid, box: Box) -> int:
        """A box of a value as one entry."""
        if not math.prod(shape_of(box)):
            return self.constant(0, shape_of(box), value.dtype)
        return self._take(value, box, ())

    def _take(self, value: Grid, box: Box, cell: Cell) -> int:
        dim = len(cell)
        if dim == len(box):
            lows = [c[i] for c, i in zip(value.cuts, cell, strict=True)]
            highs = [c[i + 1] for c, i in zip(value.cuts, cell, strict=True)]
            inside = tuple(
                (max(a, low) - low, min(b, high) - low) for (a, b), low, high in zip(box, lows, highs, strict=True)
            )
            return self.part(value.cells[cell], inside)
        a, b = box[dim]
        met = [n for n, (low, high) in enumerate(spans(value.cuts[dim])) if low < b and a < high]
        return self.joined([self._take(value, box, (*cell, n)) for n in met], dim)

    def take_flat(self, value: Grid, start: int, end: int) -> int:
        """Elements ``[start, end)`` of a value in row-major order, as one entry of one dimension."""
        if value.whole is not None:
            return self.part(self.reshaped(value.whole, (math.prod(value.shape),)), ((start, end),))
        flat = flat_cuts(value.shape, value.cuts)
        if flat is None:
            found = [self.take(value, box) for box in runs(value.shape, start, end)]
            return self.joined([self.reshaped(i, (math.prod(self.entries[i].shape),)) for i in found], 0)
        pieces = []
        for (low, high), index in zip(spans(flat), value.cells.values(), strict=True):
            if low < end and start < high:
                line = self.reshaped(index, (high - low,))
                pieces.append(self.part(line, ((max(start, low) - low, min(end, high) - low),)))
        return self.joined(pieces, 0)

    # Memory that others see

    def pieces(self, value: Grid) -> list[Piece]:
        """A value as entries that may be written side by side into one buffer, in order."""
        size = math.prod(value.shape)
        flat = flat_cuts(value.shape, value.cuts)
        if flat is not None and not any(c % alignment(value.dtype) for c in flat[:-1]):
            return [(c, self.stored(i)) for c, i in zip(flat, value.cells.values(), strict=False)]
        step = 1 << (self.limit.bit_length() - 1)
        return [(c, self.stored(self.take_flat(value, c, min(c + step, size)))) for c in range(0, size, step)]

    def stored(self, index: int) -> int:
        """An entry that a kernel can write to one more place: a copy of what lies elsewhere, or has too many places."""
        value = base(self.entries, index)
        e = self.entries[value]
        self._placed[value] += 1
        if e.op not in (BUFFER, SCALAR) and e.op.kind is not Kind.PACK and self._placed[value] <= MOST_PLACES:
            return index
        e = self.entries[index]
        return self.add(Entry(COPY, (index,), {"place": self._placed[value]}, e.shape, e.dtype))


__all__ = ["GridBuilder", "Piece", "alignment"]
