"""Fit: a schedule whose kernels bind no more than the adapter allows, with large values split where one would."""

from __future__ import annotations

from tabgrad.compiler.passes.large.split import split_large
from tabgrad.compiler.passes.schedule import Schedule, schedule
from tabgrad.compiler.passes.split_contractions import split_contractions
from tabgrad.compiler.passes.split_reductions import split_reductions
from tabgrad.compiler.target import Target
from tabgrad.graph.rewrite import Graph


def fit(whole: Graph, target: Target) -> tuple[Graph, Schedule]:
    """The graph, with long contractions, long reductions and large values split, and its kernels in order.

    Which values are stored is known once kernels are formed, and forming them again may store others: so a few times
    over, and not at all for graphs without large values.

    Raises:
        DeviceError: a large value cannot be computed in parts.
    """
    limits = target.limits
    most = min(limits.max_binding_bytes, limits.max_buffer_bytes)
    large: set[int] = set()
    graph, origins = whole, list(range(len(whole.entries)))
    while True:
        split = split_reductions(split_contractions(graph, target), target)
        order = schedule(split, target)
        if not _beyond(split, order, most):
            return split, order
        found = {origins[i] for i in _beyond(graph, schedule(graph, target), most)} - large
        if not found:
            return split, order  # the caller refuses it
        large |= found
        graph, origins = split_large(whole, large, most)


def _beyond(graph: Graph, order: Schedule, most: int) -> set[int]:
    """Values that a kernel binds, or is built around, of more than ``most`` bytes."""
    return {
        i
        for kernel in order.kernels
        if any(graph.entries[i].size_bytes > most for i in (*kernel.loads, *kernel.stores))
        for i in (*kernel.loads, *kernel.stores, *kernel.heavies)
        if graph.entries[i].size_bytes > most
    }
