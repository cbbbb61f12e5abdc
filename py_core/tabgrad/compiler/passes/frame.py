"""Frames: the rows over which reductions run, so that several of them can share a kernel.

A value of a kernel is *full* (one element for each element of the reduced tensor) or *row* (one for each
result). It is in the frame if it is read at the same element, or the same row, at which it is computed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import cached_property

from tabgrad.compiler.passes.kernel import keeps_elements
from tabgrad.graph.entry import Entry
from tabgrad.graph.op import Kind, Shape
from tabgrad.graph.walk import reached
from tabgrad.ops.movement import EXPAND
from tabgrad.ops.reduce import REDUCE


@dataclass(frozen=True)
class Frame:
    """Alternating runs of dimensions: ``(size, whether reduced)``; sizes of 1 are left out."""

    runs: tuple[tuple[int, bool], ...]

    @cached_property
    def total(self) -> int:
        """Rows: elements of each result."""
        return math.prod(n for n, reduced in self.runs if not reduced)

    @cached_property
    def extent(self) -> int:
        """Elements of a row."""
        return math.prod(n for n, reduced in self.runs if reduced)

    @property
    def size(self) -> int:
        """Elements of a full value."""
        return self.total * self.extent

    @property
    def columns(self) -> bool:
        """Whether neighbours in memory belong to different rows."""
        return bool(self.runs) and not self.runs[-1][1]


def frame_of(shape: Shape, dims: Iterable[int]) -> Frame:
    """The frame of a reduction of ``shape`` over ``dims``."""
    runs: list[tuple[int, bool]] = []
    reduced = set(dims)
    for d, n in enumerate(shape):
        if n == 1:
            continue
        if runs and runs[-1][1] == (d in reduced):
            runs[-1] = (runs[-1][0] * n, runs[-1][1])
        else:
            runs.append((n, d in reduced))
    return Frame(tuple(runs))


def reduction_frame(entries: list[Entry], index: int) -> Frame:
    """The frame of the reduction ``index``."""
    e = entries[index]
    return frame_of(entries[e.args[0]].shape, e.attrs["dims"])


def in_frame(entries: list[Entry], frame: Frame, root: int, own: Set[int], loads: Set[int]) -> bool:
    """Whether ``root`` can be computed row by row, given that ``own`` values are.

    Args:
        own: values that the same kernel computes; each must be read where it is computed.
        loads: values that are read from memory, anywhere.
    """
    if entries[root].size not in (frame.size, frame.total):
        return False
    stack = [(root, entries[root].size == frame.size)]
    seen = set()
    while stack:
        i, full = stack.pop()
        if (i, full) in seen:
            continue
        seen.add((i, full))
        e = entries[i]
        if i in own:
            if full != (e.size == frame.size):
                return False
        elif i in loads:
            continue
        elif keeps_elements(e):
            stack.extend((a, full) for a in e.args)
        elif e.op.kind is Kind.HEAVY:
            if full or e.op is not REDUCE or reduction_frame(entries, i) != frame:
                return False
            stack.append((e.args[0], True))
        elif full and _repeats_rows(entries, e, frame):
            stack.append((e.args[0], False))
        elif any(_reaches(entries, a, own, loads) for a in e.args):
            return False
    return True


def _repeats_rows(entries: list[Entry], e: Entry, frame: Frame) -> bool:
    """Whether an entry gives every element of a row the row's value."""
    if e.op is not EXPAND or e.size != frame.size:
        return False
    source = entries[e.args[0]].shape
    return frame_of(e.shape, [d for d, n in enumerate(source) if n == 1]) == frame


def _reaches(entries: list[Entry], root: int, own: Set[int], loads: Set[int]) -> bool:
    """Whether a value depends on one of ``own``, or on a reduction."""
    below = reached([root], lambda i: () if i in own or i in loads else entries[i].args)
    return any(i in own or (i not in loads and entries[i].op.kind is Kind.HEAVY) for i in below)
