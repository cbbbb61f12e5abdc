"""Rewrite a linear graph into a smaller one with the same values.

Constants are folded, chains of views collapse, neutral operations vanish, empty inputs become constants,
and assigns are taken out of the data flow: a reader of an assigned tensor reads the assigned value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.dtypes import DType
from tabgrad.graph.build import Builder
from tabgrad.graph.entry import Entry
from tabgrad.graph.linearize import Linear
from tabgrad.graph.node import BUFFER, CONST
from tabgrad.graph.op import Attrs, Elementwise, Heavy, Kind, Op, Shape, View
from tabgrad.graph.rewrite import Graph, pruned
from tabgrad.ops.arithmetic import COPY, MUL
from tabgrad.ops.matmul import MATMUL
from tabgrad.ops.movement import EXPAND, PERMUTE, RESHAPE

MOST_PLACES = 2  # where one kernel writes a value to


class _Simplifier(Builder):
    def constant_value(self, index: int) -> Any:
        entry = self.entries[index]
        return entry.attrs["value"] if entry.op is CONST else None

    def op(self, op: Op, args: Sequence[int], attrs: Attrs, shape: Shape, dtype: DType | None = None) -> int:
        """The entry for an op on known arguments, or something simpler that equals it."""
        args, dtype = tuple(args), dtype or self.entries[args[0]].dtype
        found = self._emptied(op, args, attrs, shape, dtype)
        if found is None and isinstance(op.lowering, Elementwise):
            found = self._elementwise(op, op.lowering, args, attrs, shape, dtype)
        if found is None and isinstance(op.lowering, View) and op.lowering.moves_one:
            found = self._view(op, op.lowering, args[0], attrs, shape, dtype)
        return self.add(Entry(op, args, attrs, shape, dtype)) if found is None else found

    def _emptied(self, op: Op, args: tuple[int, ...], attrs: Attrs, shape: Shape, dtype: DType) -> int | None:
        if not args or 0 in shape or all(self.entries[a].size for a in args):
            return None
        if isinstance(op.lowering, Heavy):
            return self.constant(op.lowering.of_nothing(attrs), shape, dtype)
        if isinstance(op.lowering, View) and op.lowering.outside is not None:
            return self.constant(op.lowering.outside(attrs), shape, dtype)
        return None

    def _elementwise(
        self, op: Op, lowering: Elementwise, args: tuple[int, ...], attrs: Attrs, shape: Shape, dtype: DType
    ) -> int | None:
        values = [self.constant_value(a) for a in args]
        if all(v is not None for v in values) and op.reference is not None:
            arrays = [np.asarray(v, self.entries[a].dtype.array) for v, a in zip(values, args, strict=True)]
            with np.errstate(all="ignore"):
                return self.constant(np.asarray(op.reference(attrs, *arrays)).item(), shape, dtype)
        if lowering.neutral:
            first, second = (
                n is not None and value == n and value is not False
                for value, n in zip(values, lowering.neutral, strict=True)
            )
            if first or second:
                return args[0] if second else args[1]
        if lowering.chooses and values[0] is not None:
            return args[1] if values[0] else args[2]
        return None

    def _view(self, op: Op, view: View, arg: int, attrs: Attrs, shape: Shape, dtype: DType) -> int | None:
        source = self.entries[arg]
        if source.op is CONST and (view.outside is None or source.attrs["value"] == view.outside(attrs)):
            return self.constant(source.attrs["value"], shape, dtype)
        if view.leaves(attrs, source.shape, shape):
            return arg
        if op is source.op and view.follows is not None:
            return self.op(op, source.args, view.follows(attrs, source.attrs), shape, dtype)
        return None


def simplify(linear: Linear) -> Graph:
    """See the module's docstring."""
    build = _Simplifier()
    new: list[int] = []
    uses = [0] * len(linear.entries)
    for i in [*linear.roots, *(a for e in linear.entries for a in e.args)]:
        uses[i] += 1
    writes: dict[tuple[int, int], int] = {}  # place -> the last assign to it
    for entry in linear.entries:
        if entry.op.kind is Kind.ASSIGN:
            target = entry
            while target.op.kind is Kind.ASSIGN:
                target = linear.entries[target.args[0]]
            assert target.op is BUFFER, target.op
            writes[(target.slot, target.offset)] = new[entry.args[1]]
            new.append(new[entry.args[1]])
            continue
        args = tuple(new[a] for a in entry.args)
        product = _transposed_product(linear.entries, entry, uses)
        scale = _common_factor(build, args) if entry.op.kind is Kind.PACK else None
        if scale is not None:
            new.append(_scaled_pack(build, entry, args, scale))
        elif product is not None:
            new.append(_swapped(build, entry, *(new[a] for a in product)))
        elif not args:
            new.append(build.add(entry))
        else:
            new.append(build.op(entry.op, args, entry.attrs, entry.shape, entry.dtype))

    def stored(index: int) -> int:
        """An entry that a kernel of its own can compute: a bare input is copied."""
        entry = build.entries[index]
        if entry.op is BUFFER:
            return build.add(Entry(COPY, (index,), {}, entry.shape, entry.dtype))
        if entry.op is RESHAPE:
            inner = stored(entry.args[0])
            return (
                index
                if inner == entry.args[0]
                else build.add(Entry(entry.op, (inner,), entry.attrs, entry.shape, entry.dtype))
            )
        return index

    times: dict[int, int] = {}  # value -> places that it has been given

    def placed(index: int) -> int:
        """As ``stored``; a value that goes to many places is copied, so that no kernel has to bind them all."""
        index = value = stored(index)
        while build.entries[value].op is RESHAPE:
            value = build.entries[value].args[0]
        times[value] = times.get(value, 0) + 1
        if times[value] <= MOST_PLACES:
            return index
        entry = build.entries[index]
        return build.add(Entry(COPY, (index,), {"time": times[value]}, entry.shape, entry.dtype))

    for i, entry in enumerate(build.entries[:]):
        if entry.op.kind is Kind.PACK:
            args = tuple(placed(a) for a in entry.args)
            if args != entry.args:
                build.entries[i] = Entry(entry.op, args, entry.attrs, entry.shape, entry.dtype)
    outputs = [stored(new[r]) for r in linear.roots if linear.entries[r].op.kind is not Kind.ASSIGN]
    effects = {place: placed(value) for place, value in writes.items()}
    return pruned(Graph(build.entries, outputs, effects))


def _common_factor(build: _Simplifier, args: tuple[int, ...]) -> int | None:
    """The one number by which every member of a pack is multiplied."""
    factors: set[int] = set()
    for arg in args:
        member = build.entries[arg]
        if member.op is not MUL:
            return None
        factor = member.args[1]
        while build.entries[factor].op in (EXPAND, RESHAPE):
            (factor,) = build.entries[factor].args
        factors.add(factor)
    found = factors.pop()
    return found if not factors and build.entries[found].size == 1 else None


def _scaled_pack(build: _Simplifier, entry: Entry, args: tuple[int, ...], scale: int) -> int:
    """A pack of products as a product with a pack, which its readers compute."""
    members = tuple(build.entries[a].args[0] for a in args)
    packed = build.op(entry.op, members, entry.attrs, entry.shape, entry.dtype)
    factor = build.op(RESHAPE, (scale,), {"shape": (1,)}, (1,), entry.dtype)
    factor = build.op(EXPAND, (factor,), {"shape": entry.shape}, entry.shape, entry.dtype)
    return build.op(MUL, (packed, factor), {}, entry.shape, entry.dtype)


def _transposed_product(entries: list[Entry], entry: Entry, uses: list[int]) -> tuple[int, int] | None:
    """The operands of a matrix product whose only use is to be transposed: a linear layer's weight gradient."""
    if entry.op is not PERMUTE or entry.attrs["dims"] != (1, 0):
        return None
    matrix = entries[entry.args[0]]
    if matrix.op is not RESHAPE or uses[entry.args[0]] != 1 or uses[matrix.args[0]] != 1:
        return None
    product = entries[matrix.args[0]]
    if product.op is not MATMUL or product.shape != (1, *matrix.shape):
        return None
    return product.args[0], product.args[1]


def _swapped(build: _Simplifier, entry: Entry, a: int, b: int) -> int:
    """``(A B)ᵀ`` as ``Bᵀ Aᵀ``, which needs no copy."""

    def flipped(index: int) -> int:
        x, y, z = build.entries[index].shape
        return build.op(PERMUTE, (index,), {"dims": (0, 2, 1)}, (x, z, y), entry.dtype)

    product = build.op(MATMUL, (flipped(b), flipped(a)), {}, (1, *entry.shape), entry.dtype)
    return build.op(RESHAPE, (product,), {"shape": entry.shape}, entry.shape, entry.dtype)
