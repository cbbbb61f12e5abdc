"""Values that differ from another one in a slice: a kernel that overwrites the other one runs over the slice alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tabgrad.compiler.passes.kernel import base
from tabgrad.graph.entry import Entry
from tabgrad.graph.index import Bind, Coords, Deps, Index, constant, variable
from tabgrad.graph.op import Elementwise, Shape, Source, Text, View


@dataclass(frozen=True)
class Part:
    """The slice, of a value of ``shape``."""

    inside: int  # the value there
    outside: int  # the value elsewhere
    shape: Shape
    ranges: tuple[tuple[int, int, int], ...]  # (start, step, length) of each dimension

    @property
    def counts(self) -> Shape:
        """The slice's shape."""
        return tuple(length for _, _, length in self.ranges)

    @property
    def size(self) -> int:
        """Elements of the slice."""
        return math.prod(self.counts)

    def whole(self, element: Index, bind: Bind) -> Coords:
        """Where in the whole the slice's elements are, which are counted in row-major order."""
        dims = Coords(self.counts, flat=element).dims(bind)
        pairs = zip(dims, self.ranges, strict=True)
        return Coords(self.shape, [at.scaled(step) + constant(start) for at, (start, step, _) in pairs])


def part_of(e: Entry) -> Part | None:
    """What :func:`tabgrad.ops.placing.put_slice` noted; not of a piece of such a value, nor where words hold several
    elements.
    """
    shape, ranges = e.attrs.get("part", (None, ()))
    if shape != e.shape or e.dtype.is_narrow:
        return None
    _, inside, outside = e.args
    return Part(inside, outside, shape, ranges)


def reads_in_place(entries: Sequence[Entry], part: Part, own: Sequence[int], loads: Collection[int]) -> bool:
    """Whether each element of a part is computed of the same element of ``own``, memory that it is written over.

    Args:
        own: loads of that memory.
        loads: all that is read.
    """
    if any(base(list(entries), part.outside) != i for i in own):
        return False
    walk = _Positions(entries, loads)
    at = part.whole(variable("i", part.size), walk.bind)
    walk.visit(part.inside, at)
    return walk.is_known and all(_equal(position, at.flat()) for load, position in walk.found if load in own)


def _equal(a: Index, b: Index) -> bool:
    difference = a + b.scaled(-1)
    return not difference.terms and not difference.const


class _Positions:
    """Finds where the memory is read that a value is computed of."""

    def __init__(self, entries: Sequence[Entry], loads: Collection[int]) -> None:
        self.entries = entries
        self.loads = loads
        self.found: list[tuple[int, Index]] = []
        self.is_known = True
        self._seen: set[tuple[int, object]] = set()

    def bind(self, text: str, _: Deps = frozenset()) -> str:
        """Expressions need no names here."""
        return text

    def visit(self, index: int, at: Coords) -> None:
        """Follow one element of a value."""
        if (index, at.key()) in self._seen:
            return
        self._seen.add((index, at.key()))
        e = self.entries[index]
        if index in self.loads:
            self.found.append((index, at.flat()))
        elif isinstance(e.op.lowering, View):
            e.op.lowering.read(_Reader(self, e), e.attrs, at)
        elif isinstance(e.op.lowering, Elementwise | Source):
            for arg in e.args:
                self.visit(arg, at)
        else:
            self.is_known = False


class _Reader:
    """What a view needs from code that follows its elements."""

    def __init__(self, walk: _Positions, e: Entry) -> None:
        self._walk = walk
        self._e = e

    @property
    def shapes(self) -> Sequence[Shape]:
        return [self._walk.entries[a].shape for a in self._e.args]

    def value(self, n: int, at: Coords) -> Text:
        self._walk.visit(self._e.args[n], at)
        return f"value{n}", frozenset(("i",))

    def outside(self, value: float) -> str:
        return str(value)

    def bind(self, text: str, deps: Deps = frozenset()) -> str:
        return text


__all__ = ["Part", "part_of", "reads_in_place"]
