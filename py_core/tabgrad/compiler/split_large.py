"""Split large values: those that no binding holds become grids of smaller ones, op by op, before anything is fused.

An operand's cuts become the result's, so that each part is computed from parts; sums over a cut dimension become sums
of partial sums. Memory that outlives the program stays in one piece, of which each kernel binds a window.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from dataclasses import replace

from tabgrad.compiler.combine import combined
from tabgrad.compiler.families.attention import ATTENTION
from tabgrad.compiler.index import matching_groups
from tabgrad.compiler.parted import (
    Box,
    Cell,
    Cuts,
    Parted,
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
from tabgrad.compiler.parting import ALIGNMENT, Parting, Piece
from tabgrad.compiler.roles import Names, Roles, roles_of
from tabgrad.compiler.simplify import Graph
from tabgrad.dtypes import ITEM_BYTES, bool_
from tabgrad.errors import DeviceError
from tabgrad.graph.linearize import Entry
from tabgrad.graph.node import IOTA
from tabgrad.graph.op import Kind


def split_large(graph: Graph, large: Collection[int], limit_bytes: int) -> tuple[Graph, list[int]]:
    """A graph in which no part of the entries ``large`` exceeds ``limit_bytes``; and for each of its entries, which
    entry of the old graph it is for.

    Raises:
        DeviceError: one of them cannot be computed in parts.
    """
    return _Splitter(graph, large, limit_bytes).split()


class _Splitter:
    def __init__(self, graph: Graph, large: Collection[int], limit_bytes: int) -> None:
        self.graph = graph
        self.large = large
        self.limit_bytes = limit_bytes
        self.limit = limit_bytes // ITEM_BYTES  # elements
        self.make = Parting(self.limit)
        self.values: dict[int, Parted] = {}
        self.layouts: dict[int, Cuts] = {}  # of large packs, by size: memory that goes with them is cut alike

    def split(self) -> tuple[Graph, list[int]]:
        for i in self._order():
            self.make.origin = i
            self.values[i] = self._value(i, self.graph.entries[i])
        outputs, effects = [], {}
        for (slot, offset), i in self.graph.effects.items():
            self.make.origin = i
            for at, index in self._placed(i):
                effects[(slot, offset + at)] = index
        for i in self.graph.outputs:
            self.make.origin = i
            outputs.append(self._output(i))
        return Graph(self.make.entries, outputs, effects), self.make.origins

    def _order(self) -> list[int]:
        """Large packs come as soon as they can, so that others may follow their cuts."""
        entries = self.graph.entries
        early: set[int] = set()
        stack = [i for i in self.large if entries[i].op.kind is Kind.PACK]
        while stack:
            i = stack.pop()
            if i not in early:
                early.add(i)
                stack.extend(entries[i].args)
        return sorted(range(len(entries)), key=lambda i: (i not in early, i))

    def _placed(self, i: int) -> list[Piece]:
        value = self.values[i]
        return [(0, value.whole)] if value.whole is not None else self.make.pieces(value)

    def _output(self, i: int) -> int:
        value = self.values[i]
        if value.whole is not None:
            return value.whole
        return self.make.reshaped(
            self._pack(self.make.pieces(value), math.prod(value.shape), self._named(i)), value.shape
        )

    def _pack(self, pieces: list[Piece], total: int, label: str) -> int:
        offsets = tuple(at for at, _ in pieces)
        attrs = {"offsets": offsets, "total": total, "label": label}
        return self.make.op("pack", [index for _, index in pieces], attrs, (total,))

    def _named(self, i: int) -> str:
        e = self.graph.entries[i]
        return f"{e.op.name} {list(e.shape)}"

    def _too_large(self, i: int, shape: tuple[int, ...]) -> DeviceError:
        return DeviceError(
            f"{self._named(i)}: expected tensors of at most {self.limit_bytes} bytes on this adapter, or that can be "
            f"computed in parts, got a part of {list(shape)} with {math.prod(shape) * ITEM_BYTES} bytes; "
            f"use a smaller batch or model"
        )

    # Rules by op

    def _value(self, i: int, e: Entry) -> Parted:
        args = [self.values[a] for a in e.args]
        wholes = [a.whole for a in args]
        if not e.size or (i not in self.large and all(w is not None for w in wholes)):
            if not e.size and None in wholes:
                index = self.make.constant(0, e.shape, e.dtype)
            else:
                index = self.make.add(replace(e, args=tuple(w for w in wholes if w is not None)))
            return self._whole(e, index)
        if e.op.kind is Kind.PACK:
            return self._packed(i, e)
        if e.op.name in ATTENTION:
            return self._attention(i, e, args)
        roles = roles_of(e, [a.shape for a in args])
        if roles is not None:
            return self._by_roles(i, e, args, roles)
        rule = getattr(self, f"_{e.op.name}")
        return rule(i, e, *args) if e.op.name != "cat" else self._cat(i, e, args)

    def _whole(self, e: Entry, index: int) -> Parted:
        return Parted(e.shape, e.dtype, tuple(uncut(n) for n in e.shape), {(0,) * len(e.shape): index})

    def _grid(self, i: int, cuts: list[Cuts], spare: int = 0) -> tuple[Cuts, ...]:
        """``cuts``, and more where the value is a large one."""
        if i not in self.large:
            return tuple(cuts)
        found = shortened(cuts, range(len(cuts)), self.limit - spare)
        cell = tuple(longest(c) for c in found)
        if math.prod(cell) > self.limit - spare:
            raise self._too_large(i, cell)
        return tuple(found)

    def _parted(self, e: Entry, cuts: tuple[Cuts, ...], cells: dict[Cell, int]) -> Parted:
        return Parted(e.shape, e.dtype, cuts, cells)

    # Sources

    def _buffer(self, i: int, e: Entry) -> Parted:
        layout = self.layouts.get(e.size) if len(e.shape) == 1 else None
        cuts = self._grid(i, [layout or uncut(n) for n in e.shape])
        flat = flat_cuts(e.shape, cuts)
        if flat is not None and any((e.offset + start) % ALIGNMENT for start in flat[:-1]):
            # windows begin a little before the parts that they show
            cuts = self._grid(i, [uncut(n) for n in e.shape], ALIGNMENT)
            flat = flat_cuts(e.shape, cuts)
        assert flat is not None
        cells = {}
        for (cell, box), start in zip(boxes(cuts), flat, strict=False):
            cells[cell] = self.make.window(e.slot, e.offset + start, shape_of(box), e.dtype)
        return self._parted(e, cuts, cells)

    def _const(self, i: int, e: Entry) -> Parted:
        cuts = self._grid(i, [uncut(n) for n in e.shape])
        cells = {cell: self.make.constant(e.attrs["value"], shape_of(box), e.dtype) for cell, box in boxes(cuts)}
        return self._parted(e, cuts, cells)

    def _iota(self, i: int, e: Entry) -> Parted:
        cuts = self._grid(i, [uncut(n) for n in e.shape])
        cells = {}
        for cell, box in boxes(cuts):
            index = self.make.add(Entry(IOTA, (), e.attrs, shape_of(box), e.dtype))
            first = box[e.attrs["axis"]][0]
            cells[cell] = self._plus(index, first) if first else index
        return self._parted(e, cuts, cells)

    def _plus(self, index: int, number: int) -> int:
        e = self.make.entries[index]
        return self.make.op("add", [index, self.make.constant(number, e.shape, e.dtype)], {}, e.shape)

    # Ops whose dimensions have roles

    def _by_roles(self, i: int, e: Entry, args: list[Parted], roles: Roles) -> Parted:
        cuts = self._role_cuts(i, e, args, roles)
        grid = tuple(uncut(n) if r is None else cuts[r] for r, n in zip(roles.out, e.shape, strict=True))
        contracted = [r for r in cuts if r not in roles.out]
        cells = {}
        for cell, box in boxes(grid):
            spans_of = {r: span for r, span in zip(roles.out, box, strict=True) if r is not None}
            partial = []
            for within in itertools.product(*(spans(cuts[r]) for r in contracted)):
                spans_of.update(zip(contracted, within, strict=True))
                taken = [
                    self.make.take(a, _box(names, a.shape, spans_of)) for names, a in zip(roles.args, args, strict=True)
                ]
                partial.append(self._entry(e, tuple(taken), shape_of(box)))
            cells[cell] = combined(self.make, e, partial)
        return self._parted(e, grid, cells)

    def _entry(self, e: Entry, args: tuple[int, ...], shape: tuple[int, ...]) -> int:
        attrs = {**e.attrs, "shape": shape} if "shape" in e.attrs else e.attrs
        return self.make.add(Entry(e.op, args, attrs, shape, e.dtype))

    def _role_cuts(self, i: int, e: Entry, args: list[Parted], roles: Roles) -> dict[str, Cuts]:
        """Where each role is cut: wherever an operand is, and more where the result or what must be put together from
        an operand's parts would be too large.
        """
        cuts = {r: uncut(n) for r, n in roles.extents([a.shape for a in args]).items()}
        for names, a in zip(roles.args, args, strict=True):
            for r, c in zip(names, a.cuts, strict=True):
                if r is not None:
                    cuts[r] = union(c[-1], cuts[r], c)
        joined = [
            (names, a.shape)
            for names, a in zip(roles.args, args, strict=True)
            if any(r is None and len(c) > 2 for r, c in zip(names, a.cuts, strict=True))
        ]
        for names, shape in [*([(roles.out, e.shape)] if i in self.large else []), *joined]:
            wide = [uncut(n) if r is None else cuts[r] for r, n in zip(names, shape, strict=True)]
            first = [d for d, r in enumerate(names) if r is not None and r in roles.out]
            then = [d for d, r in enumerate(names) if r is not None and r not in roles.out]
            found = shortened(wide, [*first, *then], self.limit)
            if math.prod(longest(c) for c in found) > self.limit:
                raise self._too_large(i, tuple(longest(c) for c in found))
            cuts.update({r: c for r, c in zip(names, found, strict=True) if r is not None})
        return cuts

    def _attention(self, i: int, e: Entry, args: list[Parted]) -> Parted:
        """Batches are cut. The result is flat, two tensors one after the other, and so is each of its parts."""
        batch = args[0].shape[0]
        names: tuple[Names, ...] = tuple(("b", *(None,) * (len(a.shape) - 1)) if a.shape else () for a in args)
        cuts = self._role_cuts(i, replace(e, shape=(batch, e.size // batch)), args, Roles(("b", None), names))["b"]
        first, second = self._sections(e, args)
        flat: list[int] = []
        cells: list[int] = []
        for at, size in ((0, first), (batch * first, second)):
            for a, b in spans(cuts):
                taken = [self.make.take(v, _box(n, v.shape, {"b": (a, b)})) for n, v in zip(names, args, strict=True)]
                attrs = {**e.attrs, "first_batch": a} if a and e.attrs["dropout"] else e.attrs
                total = (b - a) * (first + second)
                part = self.make.add(Entry(e.op, tuple(taken), attrs, (total,), e.dtype))
                start = (b - a) * first if at else 0
                flat.append(at + a * size)
                cells.append(self.make.part(part, ((start, start + (b - a) * size),)))
        return self._parted(e, ((*flat, e.size),), {(n,): index for n, index in enumerate(cells)})

    def _sections(self, e: Entry, args: list[Parted]) -> tuple[int, int]:
        """Elements of the two tensors in the result for each batch."""
        (_, queries, width), (_, keys, _), (_, _, value_width) = (a.shape for a in args[:3])
        if e.op.name == "attention":
            return queries * value_width, queries
        return (queries * width, queries) if e.op.name == "attention_grad_query" else (keys * width, keys * value_width)

    # Views

    def _expand(self, i: int, e: Entry, x: Parted) -> Parted:
        cuts = self._grid(i, [uncut(n) if m == 1 else c for c, m, n in zip(x.cuts, x.shape, e.shape, strict=True)])
        cells = {}
        for cell, box in boxes(cuts):
            source = tuple((0, 1) if m == 1 else span for m, span in zip(x.shape, box, strict=True))
            cells[cell] = self._entry(e, (self.make.take(x, source),), shape_of(box))
        return self._parted(e, cuts, cells)

    def _reshape(self, i: int, e: Entry, x: Parted) -> Parted:
        found = self._same_cells(i, e, x)
        if found is not None:
            return found
        cuts = tuple(shortened([uncut(n) for n in e.shape], range(len(e.shape)), self.limit))
        flat = flat_cuts(e.shape, cuts)
        assert flat is not None
        cells = {}
        for (cell, box), (start, end) in zip(boxes(cuts), spans(flat), strict=True):
            cells[cell] = self.make.reshaped(self.make.take_flat(x, start, end), shape_of(box))
        return self._parted(e, cuts, cells)

    def _same_cells(self, i: int, e: Entry, x: Parted) -> Parted | None:
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
        if i in self.large and math.prod(longest(c) for c in cuts) > self.limit:
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
            cells[cell] = self.make.reshaped(x.cells[tuple(source)], shape_of(box))
        return self._parted(e, tuple(cuts), cells)

    def _slice(self, i: int, e: Entry, x: Parted) -> Parted:
        cuts = []
        for (start, step, n), c in zip(e.attrs["ranges"], x.cuts, strict=True):
            if step > 0:
                at = [-((start - p) // step) for p in c]  # the first element at or after the cut
            else:
                at = [(start - p) // -step + 1 for p in c]
            cuts.append(union(n, tuple(p for p in at if 0 < p < n)))
        grid = self._grid(i, cuts)
        cells = {}
        for cell, box in boxes(grid):
            source, ranges = [], []
            for (start, step, _), (a, b) in zip(e.attrs["ranges"], box, strict=True):
                ends = start + step * a, start + step * (b - 1)
                source.append((min(ends), max(ends) + 1))
                ranges.append((0 if step > 0 else -step * (b - a - 1), step, b - a))
            cells[cell] = self.make.sliced(self.make.take(x, tuple(source)), ranges)
        return self._parted(e, grid, cells)

    def _pad(self, i: int, e: Entry, x: Parted) -> Parted:
        pads = e.attrs["pads"]
        cuts = [
            union(n, tuple(p + before for p in c[1:-1]))
            for (before, _), c, n in zip(pads, x.cuts, e.shape, strict=True)
        ]
        grid = self._grid(i, cuts)
        cells = {}
        for cell, box in boxes(grid):
            source, around = [], []
            for (before, _), m, (a, b) in zip(pads, x.shape, box, strict=True):
                low, high = min(max(a - before, 0), m), min(max(b - before, 0), m)
                source.append((low, high))
                around.append((low + before - a, b - high - before))
            if math.prod(shape_of(tuple(source))):
                inner = self.make.take(x, tuple(source))
                attrs = {**e.attrs, "pads": tuple(around)}
                plain = all(p == (0, 0) for p in around)
                cells[cell] = inner if plain else self.make.op("pad", [inner], attrs, shape_of(box))
            else:
                cells[cell] = self.make.constant(e.attrs["value"], shape_of(box), e.dtype)
        return self._parted(e, grid, cells)

    def _cat(self, i: int, e: Entry, args: list[Parted]) -> Parted:
        dim = e.attrs["dim"]
        starts = list(itertools.accumulate((a.shape[dim] for a in args), initial=0))
        cuts = [union(n, *(a.cuts[d] for a in args)) for d, n in enumerate(e.shape) if d != dim]
        along = union(e.shape[dim], *(tuple(s + p for p in a.cuts[dim]) for s, a in zip(starts, args, strict=False)))
        grid = self._grid(i, [*cuts[:dim], along, *cuts[dim:]])
        cells = {}
        for cell, box in boxes(grid):
            low, high = box[dim]
            n = max(n for n, s in enumerate(starts[:-1]) if s <= low and args[n].shape[dim])
            inside = (*box[:dim], (low - starts[n], high - starts[n]), *box[dim + 1 :])
            cells[cell] = self.make.take(args[n], inside)
        return self._parted(e, grid, cells)

    def _index_select(self, i: int, e: Entry, table: Parted, index: Parted) -> Parted:
        """A table that is cut along the indexed dimension is looked into part by part."""
        dim = e.attrs["dim"]
        grid = self._grid(i, [*table.cuts[:dim], index.cuts[0], *table.cuts[dim + 1 :]])
        cells = {}
        for cell, box in boxes(grid):
            at = self.make.take(index, (box[dim],))
            if len(table.cuts[dim]) > 2:
                at = self._held(at, table.shape[dim])
            found: int | None = None
            for low, high in spans(table.cuts[dim]):
                part = self.make.take(table, (*box[:dim], (low, high), *box[dim + 1 :]))
                place = self._plus(at, -low) if low else at
                picked = self.make.op("index_select", [part, place], e.attrs, shape_of(box))
                if found is not None:
                    inside = self._compared("ge", at, low)
                    shape = shape_of(box)
                    line = self.make.reshaped(inside, tuple(n if d == dim else 1 for d, n in enumerate(shape)))
                    inside = self.make.op("expand", [line], {"shape": shape}, shape)
                    picked = self.make.op("where", [inside, picked, found], {}, shape, e.dtype)
                found = picked
            assert found is not None
            cells[cell] = found
        return self._parted(e, grid, cells)

    def _held(self, index: int, size: int) -> int:
        """Indices held inside ``[0, size)``."""
        e = self.make.entries[index]
        low, high = (self.make.constant(n, e.shape, e.dtype) for n in (0, size - 1))
        return self.make.op("minimum", [self.make.op("maximum", [index, low], {}, e.shape), high], {}, e.shape)

    def _compared(self, name: str, index: int, number: int) -> int:
        e = self.make.entries[index]
        return self.make.op(name, [index, self.make.constant(number, e.shape, e.dtype)], {}, e.shape, bool_)

    # Packs

    def _packed(self, i: int, e: Entry) -> Parted:
        """A pack of the members' parts; a large one falls into several packs between members."""
        pieces: list[Piece] = []
        for start, a in zip(e.attrs["offsets"], e.args, strict=True):
            pieces += [(start + at, index) for at, index in self._placed(a)]
        if i not in self.large:
            return self._whole(e, self._pack(pieces, e.attrs["total"], self._named(i)))
        groups: list[list[Piece]] = []
        for (at, index), end in zip(pieces, [*(at for at, _ in pieces[1:]), e.attrs["total"]], strict=True):
            if not groups or end - groups[-1][0][0] > self.limit:
                groups.append([])
            groups[-1].append((at, index))
            if end - at > self.limit:
                raise self._too_large(i, (end - at,))
        cuts = (*(group[0][0] for group in groups), e.attrs["total"])
        self.layouts[cuts[-1]] = cuts
        cells: dict[Cell, int] = {}
        for n, (group, (low, high)) in enumerate(zip(groups, spans(cuts), strict=True)):
            cells[(n,)] = self._pack([(at - low, index) for at, index in group], high - low, self._named(i))
        return self._parted(e, (cuts,), cells)


def _box(names: Names, shape: tuple[int, ...], spans_of: dict[str, tuple[int, int]]) -> Box:
    return tuple((0, n) if r is None or n == 1 else spans_of[r] for r, n in zip(names, shape, strict=True))
