"""Rules of splitting for what computes nothing: memory, constants and indices, and views of values in parts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from tabgrad.compiler.passes.large.builder import GridBuilder, alignment
from tabgrad.compiler.passes.large.grid import (
    Cell,
    Cuts,
    Grid,
    boxes,
    flat_cuts,
    longest,
    shape_of,
    shortened,
    spans,
    uncut,
    unflattened,
    union,
)  # fmt: skip
from tabgrad.compiler.passes.large.values import LargeValues
from tabgrad.dtypes import bool_
from tabgrad.graph.entry import Entry
from tabgrad.graph.index import matching_groups
from tabgrad.graph.node import BUFFER, CONST, IOTA
from tabgrad.graph.op import Op
from tabgrad.ops.arithmetic import ADD, MAXIMUM, MINIMUM
from tabgrad.ops.comparison import GE, WHERE
from tabgrad.ops.indexing import GATHER, INDEX_SELECT
from tabgrad.ops.movement import EXPAND, RESHAPE
from tabgrad.ops.placing import PLACE
from tabgrad.ops.slicing import CAT, PAD, SLICE

Rule = Callable[[LargeValues, int, Entry, list[Grid]], Grid]
"""Given an entry's number, the entry, and its arguments: its value in parts."""


def _parted(e: Entry, cuts: tuple[Cuts, ...], cells: dict[Cell, int]) -> Grid:
    return Grid(e.shape, e.dtype, cuts, cells)


def _buffer(s: LargeValues, i: int, e: Entry, _args: list[Grid]) -> Grid:
    layout = s.layouts.get(e.size) if len(e.shape) == 1 else None
    cuts = s.grid(i, [layout or uncut(n) for n in e.shape])
    flat = flat_cuts(e.shape, cuts)
    if flat is not None and any((e.offset + start) % alignment(e.dtype) for start in flat[:-1]):
        # windows begin a little before the parts that they show
        cuts = s.grid(i, [uncut(n) for n in e.shape], alignment(e.dtype))
        flat = flat_cuts(e.shape, cuts)
    assert flat is not None
    cells = {}
    for (cell, box), start in zip(boxes(cuts), flat, strict=False):
        cells[cell] = s.make.window(e.slot, e.offset + start, shape_of(box), e.dtype)
    return _parted(e, cuts, cells)


def _const(s: LargeValues, i: int, e: Entry, _args: list[Grid]) -> Grid:
    cuts = s.grid(i, [uncut(n) for n in e.shape])
    cells = {cell: s.make.constant(e.attrs["value"], shape_of(box), e.dtype) for cell, box in boxes(cuts)}
    return _parted(e, cuts, cells)


def _iota(s: LargeValues, i: int, e: Entry, _args: list[Grid]) -> Grid:
    cuts = s.grid(i, [uncut(n) for n in e.shape])
    cells = {}
    for cell, box in boxes(cuts):
        index = s.make.add(Entry(IOTA, (), e.attrs, shape_of(box), e.dtype))
        first = box[e.attrs["axis"]][0]
        cells[cell] = _plus(s.make, index, first) if first else index
    return _parted(e, cuts, cells)


def _plus(make: GridBuilder, index: int, number: int) -> int:
    e = make.entries[index]
    return make.op(ADD, [index, make.constant(number, e.shape, e.dtype)], {}, e.shape)


def _expand(s: LargeValues, i: int, e: Entry, args: list[Grid]) -> Grid:
    (x,) = args
    cuts = s.grid(i, [uncut(n) if m == 1 else c for c, m, n in zip(x.cuts, x.shape, e.shape, strict=True)])
    cells = {}
    for cell, box in boxes(cuts):
        source = tuple((0, 1) if m == 1 else span for m, span in zip(x.shape, box, strict=True))
        cells[cell] = s.make.op(EXPAND, [s.make.take(x, source)], {"shape": shape_of(box)}, shape_of(box))
    return _parted(e, cuts, cells)


def _reshape(s: LargeValues, i: int, e: Entry, args: list[Grid]) -> Grid:
    (x,) = args
    found = _same_cells(s, i, e, x)
    if found is not None:
        return found
    cuts = tuple(shortened([uncut(n) for n in e.shape], range(len(e.shape)), s.limit))
    flat = flat_cuts(e.shape, cuts)
    assert flat is not None
    cells = {}
    for (cell, box), (start, end) in zip(boxes(cuts), spans(flat), strict=True):
        cells[cell] = s.make.reshaped(s.make.take_flat(x, start, end), shape_of(box))
    return _parted(e, cuts, cells)


def _same_cells(s: LargeValues, i: int, e: Entry, x: Grid) -> Grid | None:
    """The reshape of each part alone, if that is all there is to do."""
    groups = matching_groups(x.shape, e.shape)
    cuts: list[Cuts] = []
    for old, new in groups:
        flat = flat_cuts(tuple(x.shape[d] for d in old), [x.cuts[d] for d in old])
        found = None if flat is None else unflattened(flat, tuple(e.shape[d] for d in new))
        if len(old) == len(new) == 1:
            found = (x.cuts[old[0]],)
        if found is None:
            return None
        cuts += found
    if i in s.large and math.prod(longest(c) for c in cuts) > s.limit:
        return None
    cells = {}
    for cell, box in boxes(cuts):
        source: list[int] = []
        for old, new in groups:  # cells of a group follow each other in the same order
            number = 0
            for d in new:
                number = number * (len(cuts[d]) - 1) + cell[d]
            counts = [len(x.cuts[d]) - 1 for d in old]
            for n, count in enumerate(counts):
                source.append(number // math.prod(counts[n + 1 :]) % count)
        cells[cell] = s.make.reshaped(x.cells[tuple(source)], shape_of(box))
    return _parted(e, tuple(cuts), cells)


def _slice(s: LargeValues, i: int, e: Entry, args: list[Grid]) -> Grid:
    (x,) = args
    cuts = []
    for (start, step, n), c in zip(e.attrs["ranges"], x.cuts, strict=True):
        if step > 0:
            at = [-((start - p) // step) for p in c]  # the first element at or after the cut
        else:
            at = [(start - p) // -step + 1 for p in c]
        cuts.append(union(n, tuple(p for p in at if 0 < p < n)))
    grid = s.grid(i, cuts)
    cells = {}
    for cell, box in boxes(grid):
        source, ranges = [], []
        for (start, step, _), (a, b) in zip(e.attrs["ranges"], box, strict=True):
            ends = start + step * a, start + step * (b - 1)
            source.append((min(ends), max(ends) + 1))
            ranges.append((0 if step > 0 else -step * (b - a - 1), step, b - a))
        cells[cell] = s.make.sliced(s.make.take(x, tuple(source)), ranges)
    return _parted(e, grid, cells)


def _pad(s: LargeValues, i: int, e: Entry, args: list[Grid]) -> Grid:
    (x,) = args
    pads = e.attrs["pads"]
    cuts = [
        union(n, tuple(p + before for p in c[1:-1])) for (before, _), c, n in zip(pads, x.cuts, e.shape, strict=True)
    ]
    grid = s.grid(i, cuts)
    cells = {}
    for cell, box in boxes(grid):
        source, around = [], []
        for (before, _), m, (a, b) in zip(pads, x.shape, box, strict=True):
            low, high = min(max(a - before, 0), m), min(max(b - before, 0), m)
            source.append((low, high))
            around.append((low + before - a, b - high - before))
        if math.prod(shape_of(tuple(source))):
            inner = s.make.take(x, tuple(source))
            attrs = {**e.attrs, "pads": tuple(around)}
            plain = all(p == (0, 0) for p in around)
            cells[cell] = inner if plain else s.make.op(PAD, [inner], attrs, shape_of(box))
        else:
            cells[cell] = s.make.constant(e.attrs["value"], shape_of(box), e.dtype)
    return _parted(e, grid, cells)


def _place(s: LargeValues, i: int, e: Entry, args: list[Grid]) -> Grid:
    (x,) = args
    ranges = e.attrs["ranges"]
    cuts = [
        union(n, tuple(start + step * p for p in c[1:-1]))
        for (start, step, _), c, n in zip(ranges, x.cuts, e.shape, strict=True)
    ]
    grid = s.grid(i, cuts)
    cells = {}
    for cell, box in boxes(grid):
        source, placed = [], []
        for (start, step, length), (a, b) in zip(ranges, box, strict=True):
            low, high = (min(max(-((start - p) // step), 0), length) for p in (a, b))  # the first at or after each end
            source.append((low, high))
            placed.append((start + step * low - a, step, high - low))
        shape = shape_of(box)
        if math.prod(shape_of(tuple(source))):
            attrs = {"ranges": tuple(placed), "shape": shape}
            cells[cell] = s.make.op(PLACE, [s.make.take(x, tuple(source))], attrs, shape)
        else:
            cells[cell] = s.make.constant(0, shape, e.dtype)
    return _parted(e, grid, cells)


def _cat(s: LargeValues, i: int, e: Entry, args: list[Grid]) -> Grid:
    dim = e.attrs["dim"]
    starts = list(itertools.accumulate((a.shape[dim] for a in args), initial=0))
    cuts = [union(n, *(a.cuts[d] for a in args)) for d, n in enumerate(e.shape) if d != dim]
    along = union(
        e.shape[dim], *(tuple(first + p for p in a.cuts[dim]) for first, a in zip(starts, args, strict=False))
    )
    grid = s.grid(i, [*cuts[:dim], along, *cuts[dim:]])
    cells = {}
    for cell, box in boxes(grid):
        low, high = box[dim]
        n = max(n for n, first in enumerate(starts[:-1]) if first <= low and args[n].shape[dim])
        inside = (*box[:dim], (low - starts[n], high - starts[n]), *box[dim + 1 :])
        cells[cell] = s.make.take(args[n], inside)
    return _parted(e, grid, cells)


def _index_select(s: LargeValues, i: int, e: Entry, args: list[Grid]) -> Grid:
    """A table that is cut along the indexed dimension is looked into part by part."""
    table, index = args
    dim = e.attrs["dim"]
    grid = s.grid(i, [*table.cuts[:dim], index.cuts[0], *table.cuts[dim + 1 :]])
    cells = {}
    for cell, box in boxes(grid):
        at = s.make.take(index, (box[dim],))
        if len(table.cuts[dim]) > 2:
            at = _held(s.make, at, table.shape[dim])
        found: int | None = None
        for low, high in spans(table.cuts[dim]):
            part = s.make.take(table, (*box[:dim], (low, high), *box[dim + 1 :]))
            place = _plus(s.make, at, -low) if low else at
            picked = s.make.op(INDEX_SELECT, [part, place], e.attrs, shape_of(box))
            if found is not None:
                inside = _compared(s.make, GE, at, low)
                shape = shape_of(box)
                line = s.make.reshaped(inside, tuple(n if d == dim else 1 for d, n in enumerate(shape)))
                inside = s.make.op(EXPAND, [line], {"shape": shape}, shape)
                picked = s.make.op(WHERE, [inside, picked, found], {}, shape, e.dtype)
            found = picked
        assert found is not None
        cells[cell] = found
    return _parted(e, grid, cells)


def _gather(s: LargeValues, i: int, e: Entry, args: list[Grid]) -> Grid:
    """As :func:`_index_select`: elements are looked for in each part of the table."""
    table, index = args
    dim = e.attrs["dim"]
    cuts = [union(n, a, b) for n, a, b in zip(e.shape, table.cuts, index.cuts, strict=True)]
    grid = s.grid(i, [*cuts[:dim], index.cuts[dim], *cuts[dim + 1 :]])
    cells = {}
    for cell, box in boxes(grid):
        at, shape = s.make.take(index, box), shape_of(box)
        if len(table.cuts[dim]) > 2:
            at = _held(s.make, at, table.shape[dim])
        found: int | None = None
        for low, high in spans(table.cuts[dim]):
            part = s.make.take(table, (*box[:dim], (low, high), *box[dim + 1 :]))
            picked = s.make.op(GATHER, [part, _plus(s.make, at, -low) if low else at], e.attrs, shape)
            if found is not None:
                picked = s.make.op(WHERE, [_compared(s.make, GE, at, low), picked, found], {}, shape, e.dtype)
            found = picked
        assert found is not None
        cells[cell] = found
    return _parted(e, grid, cells)


def _held(make: GridBuilder, index: int, size: int) -> int:
    """Indices held inside ``[0, size)``."""
    e = make.entries[index]
    low, high = (make.constant(n, e.shape, e.dtype) for n in (0, size - 1))
    return make.op(MINIMUM, [make.op(MAXIMUM, [index, low], {}, e.shape), high], {}, e.shape)


def _compared(make: GridBuilder, op: Op, index: int, number: int) -> int:
    e = make.entries[index]
    return make.op(op, [index, make.constant(number, e.shape, e.dtype)], {}, e.shape, bool_)


RULES: dict[Op, Rule] = {
    BUFFER: _buffer,
    CONST: _const,
    IOTA: _iota,
    EXPAND: _expand,
    RESHAPE: _reshape,
    SLICE: _slice,
    PAD: _pad,
    PLACE: _place,
    CAT: _cat,
    INDEX_SELECT: _index_select,
    GATHER: _gather,
}
