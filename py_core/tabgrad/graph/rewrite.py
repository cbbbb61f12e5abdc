"""Graphs that are computed, and the rewriter that makes a new one of an old one, entry by entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tabgrad.graph.build import Builder
from tabgrad.graph.entry import Entry
from tabgrad.graph.walk import in_order

B = TypeVar("B", bound=Builder)


@dataclass
class Graph:
    """Entries, which of them are wanted, and which overwrite memory."""

    entries: list[Entry]
    outputs: list[int]  # one per root that is not an assign, in order
    effects: dict[tuple[int, int], int]  # (storage slot, element offset) -> entry whose value is written there

    def renumbered(self, entries: list[Entry], number: Callable[[int], int]) -> Graph:
        """The same outputs and effects over other entries."""
        return Graph(entries, [number(o) for o in self.outputs], {p: number(v) for p, v in self.effects.items()})


Rule = Callable[[B, Entry], int | None]
"""The number of what an entry becomes, its arguments being the builder's already; None: it stays."""


def rewritten(graph: Graph, build: B, rule: Rule[B]) -> Graph:
    """The graph with each entry as the rule says."""
    new: list[int] = []
    for e in graph.entries:
        moved = e.with_args(tuple([new[a] for a in e.args]))
        found = rule(build, moved)
        new.append(build.add(moved) if found is None else found)
    return graph.renumbered(build.entries, new.__getitem__)


def pruned(graph: Graph) -> Graph:
    """Only what outputs and effects need, arguments before users."""
    order = in_order([*graph.outputs, *graph.effects.values()], lambda i: graph.entries[i].args)
    number = {index: n for n, index in enumerate(order)}
    moved = [e.with_args(tuple([number[a] for a in e.args])) for e in (graph.entries[i] for i in order)]
    return graph.renumbered(moved, number.__getitem__)


__all__ = ["Graph", "Rule", "pruned", "rewritten"]
