"""LargeValues: what the rules of all ops share while large values are split."""

from __future__ import annotations

import math
from collections.abc import Collection

from tabgrad.compiler.passes.large.builder import GridBuilder
from tabgrad.compiler.passes.large.grid import Cuts, Grid, longest, shortened
from tabgrad.dtypes import WORD_BYTES
from tabgrad.errors import DeviceError
from tabgrad.graph.rewrite import Graph


class LargeValues:
    """A graph, the new one that is made of it, and which of its values must fall into parts.

    Args:
        large: entries of which no part may exceed ``limit_bytes``.
    """

    def __init__(self, graph: Graph, large: Collection[int], limit_bytes: int) -> None:
        self.graph = graph
        self.large = large
        self.limit_bytes = limit_bytes
        self.limit = limit_bytes // WORD_BYTES  # elements
        self.make = GridBuilder(self.limit)
        self.values: dict[int, Grid] = {}
        self.layouts: dict[int, Cuts] = {}  # of large packs, by size: memory that goes with them is cut alike

    def grid(self, i: int, cuts: list[Cuts], spare: int = 0) -> tuple[Cuts, ...]:
        """``cuts``, and more where the value is a large one, with ``spare`` elements less than the limit.

        Raises:
            DeviceError: it would take more cuts than there are elements.
        """
        if i not in self.large:
            return tuple(cuts)
        found = shortened(cuts, range(len(cuts)), self.limit - spare)
        self.check(i, tuple(longest(c) for c in found), spare)
        return tuple(found)

    def check(self, i: int, shape: tuple[int, ...], spare: int = 0) -> None:
        """Raise if a part of entry ``i``, or what must be put together for one, is too large."""
        if math.prod(shape) > self.limit - spare:
            raise DeviceError(
                f"{self.named(i)}: expected tensors of at most {self.limit_bytes} bytes on this adapter, or that can "
                f"be computed in parts, got a part of {list(shape)} with {math.prod(shape) * WORD_BYTES} bytes; "
                f"use a smaller batch or model"
            )

    def named(self, i: int) -> str:
        """An entry in words."""
        e = self.graph.entries[i]
        return f"{e.op.name} {list(e.shape)}"
