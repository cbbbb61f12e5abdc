"""Split large values: those that no binding holds become grids of smaller ones, op by op, before anything is fused.

An operand's cuts become the result's, so that each part is computed from parts; sums over a cut dimension become sums
of partial sums. Memory that outlives the program stays in one piece, of which each kernel binds a window.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from dataclasses import replace

from tabgrad.compiler.passes.kernel import base
from tabgrad.compiler.passes.large.builder import Piece
from tabgrad.compiler.passes.large.combine import combined
from tabgrad.compiler.passes.large.grid import (
    Box,
    Cell,
    Cuts,
    Grid,
    boxes,
    longest,
    shape_of,
    shortened,
    spans,
    uncut,
    union,
)
from tabgrad.compiler.passes.large.values import LargeValues
from tabgrad.compiler.passes.large.views import RULES
from tabgrad.errors import DeviceError
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER
from tabgrad.graph.op import Kind
from tabgrad.graph.rewrite import Graph
from tabgrad.graph.roles import Names, Roles
from tabgrad.graph.walk import reached
from tabgrad.ops.arithmetic import COPY
from tabgrad.ops.attention import Attention
from tabgrad.ops.pack import PACK


def split_large(graph: Graph, large: Collection[int], limit_bytes: int) -> tuple[Graph, list[int]]:
    """A graph in which no part of the entries ``large`` exceeds ``limit_bytes``; and for each of its entries, which
    entry of the old graph it is for.

    Raises:
        DeviceError: one of them cannot be computed in parts.
    """
    return _Splitter(graph, large, limit_bytes).split()


class _Splitter(LargeValues):
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
        packs = [i for i in self.large if entries[i].op.kind is Kind.PACK]
        early = set(reached(packs, lambda i: entries[i].args))
        return sorted(range(len(entries)), key=lambda i: (i not in early, i))

    def _placed(self, i: int) -> list[Piece]:
        value = self.values[i]
        return [(0, self._own(i, value.whole))] if value.whole is not None else self.make.pieces(value)

    def _own(self, i: int, index: int) -> int:
        """A value that others see, copied if all of it turned out to be a window of other memory."""
        old, new = self.graph.entries[base(self.graph.entries, i)], self.make.entries[base(self.make.entries, index)]
        if new.op is BUFFER or (new.op.kind is Kind.PACK and old.op.kind is not Kind.PACK):
            return self.make.op(COPY, [index], {}, self.make.entries[index].shape)
        return index

    def _output(self, i: int) -> int:
        value = self.values[i]
        if value.whole is not None:
            return self._own(i, value.whole)
        pack = self._pack(self.make.pieces(value), math.prod(value.shape), self.named(i))
        return self.make.reshaped(pack, value.shape)

    def _pack(self, pieces: list[Piece], total: int, label: str) -> int:
        offsets = tuple(at for at, _ in pieces)
        attrs = {"offsets": offsets, "total": total, "label": label}
        return self.make.op(PACK, [index for _, index in pieces], attrs, (total,))

    # Rules by op

    def _value(self, i: int, e: Entry) -> Grid:
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
        if isinstance(e.op.lowering, Attention):
            return self._attention(i, e, e.op.lowering, args)
        roles = e.op.lowering.roles(e.attrs, [a.shape for a in args])
        if roles is not None:
            return self._by_roles(i, e, args, roles)
        if e.op not in RULES:
            raise DeviceError(
                f"{e.op.name}: expected a tensor that one binding of this adapter holds, got {list(e.shape)} of "
                f"{[list(a.shape) for a in args]}, as it is not computed in parts; use smaller tensors"
            )
        return RULES[e.op](self, i, e, args)

    def _whole(self, e: Entry, index: int) -> Grid:
        return Grid(e.shape, e.dtype, tuple(uncut(n) for n in e.shape), {(0,) * len(e.shape): index})

    # Ops whose dimensions have roles

    def _by_roles(self, i: int, e: Entry, args: list[Grid], roles: Roles) -> Grid:
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
        return Grid(e.shape, e.dtype, grid, cells)

    def _entry(self, e: Entry, args: tuple[int, ...], shape: tuple[int, ...]) -> int:
        attrs = {**e.attrs, "shape": shape} if "shape" in e.attrs else e.attrs
        return self.make.add(Entry(e.op, args, attrs, shape, e.dtype))

    def _role_cuts(self, i: int, e: Entry, args: list[Grid], roles: Roles) -> dict[str, Cuts]:
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
            self.check(i, tuple(longest(c) for c in found))
            cuts.update({r: c for r, c in zip(names, found, strict=True) if r is not None})
        return cuts

    def _attention(self, i: int, e: Entry, attention: Attention, args: list[Grid]) -> Grid:
        """Batches are cut. The result is flat, two tensors one after the other, and so is each of its parts."""
        batch = args[0].shape[0]
        names: tuple[Names, ...] = tuple(("b", *(None,) * (len(a.shape) - 1)) if a.shape else () for a in args)
        cuts = self._role_cuts(i, replace(e, shape=(batch, e.size // batch)), args, Roles(("b", None), names))["b"]
        first, second = attention.sections(*(a.shape for a in args[:3]))
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
        return Grid(e.shape, e.dtype, ((*flat, e.size),), {(n,): index for n, index in enumerate(cells)})

    # Packs

    def _packed(self, i: int, e: Entry) -> Grid:
        """A pack of the members' parts; a large one falls into several packs between members."""
        pieces: list[Piece] = []
        for start, a in zip(e.attrs["offsets"], e.args, strict=True):
            pieces += [(start + at, index) for at, index in self._placed(a)]
        if i not in self.large:
            return self._whole(e, self._pack(pieces, e.attrs["total"], self.named(i)))
        groups: list[list[Piece]] = []
        for (at, index), end in zip(pieces, [*(at for at, _ in pieces[1:]), e.attrs["total"]], strict=True):
            if not groups or end - groups[-1][0][0] > self.limit:
                groups.append([])
            groups[-1].append((at, index))
            self.check(i, (end - at,))
        cuts = (*(group[0][0] for group in groups), e.attrs["total"])
        self.layouts[cuts[-1]] = cuts
        cells: dict[Cell, int] = {}
        for n, (group, (low, high)) in enumerate(zip(groups, spans(cuts), strict=True)):
            cells[(n,)] = self._pack([(at - low, index) for at, index in group], high - low, self.named(i))
        return Grid(e.shape, e.dtype, (cuts,), cells)


def _box(names: Names, shape: tuple[int, ...], spans_of: dict[str, tuple[int, int]]) -> Box:
    return tuple((0, n) if r is None or n == 1 else spans_of[r] for r, n in zip(names, shape, strict=True))
