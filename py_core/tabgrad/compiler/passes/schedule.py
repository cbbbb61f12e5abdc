"""Schedule: group a graph's values into kernels (fuse, merge) and put them in order."""

from __future__ import annotations

from dataclasses import dataclass

from tabgrad.compiler.passes.fuse import Fuser
from tabgrad.compiler.passes.kernel import Kernel, base
from tabgrad.compiler.passes.merge import Merger
from tabgrad.compiler.passes.order import in_order
from tabgrad.compiler.target import Target
from tabgrad.graph.rewrite import Graph


@dataclass
class Schedule:
    """Kernels in an order in which they can run."""

    kernels: list[Kernel]
    late_effects: list[tuple[int, int]]  # places that must be written by a copy after the last reader


def schedule(graph: Graph, target: Target) -> Schedule:
    """Group a graph's values into kernels and put them in order.

    Raises:
        DeviceError: a kernel needs more storage buffers than the adapter allows, and cannot be split.
    """
    limit = target.limits.max_storage_buffers
    late: set[tuple[int, int]] = set()
    while True:
        fuser = Fuser(graph, limit, late)
        kernels, found = in_order(graph, Merger(fuser, target).merge(fuser.kernels()))
        if late.issuperset(found):
            return Schedule(kernels, found)
        strict = Fuser(graph, limit, {*late, *found})
        if all(strict.bindings(k.loads, k.stores) <= limit for k in kernels):
            return Schedule(kernels, found)
        late.update(found)


__all__ = ["Kernel", "Schedule", "base", "schedule"]
