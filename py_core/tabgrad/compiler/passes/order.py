"""Order: kernels in an order in which they can run; writers of a buffer after the readers of its old value.

Of those that can run, one that frees memory comes first: a gradient is used up before the next is made.
"""

from __future__ import annotations

import itertools
from collections import Counter

from tabgrad.compiler.passes.kernel import Kernel, base, keeps_elements, parts
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER
from tabgrad.graph.op import Kind
from tabgrad.graph.rewrite import Graph
from tabgrad.graph.walk import reached


def in_order(graph: Graph, kernels: list[Kernel]) -> tuple[list[Kernel], list[tuple[int, int]]]:
    """Kernels, earliest value first, and the places that must be written by a copy after the last reader."""
    late: list[tuple[int, int]] = []
    while True:
        order, stuck = _try_order(graph, kernels, late)
        if stuck is None:
            return order, late
        late.append(stuck)


def _try_order(
    graph: Graph, kernels: list[Kernel], late: list[tuple[int, int]]
) -> tuple[list[Kernel], tuple[int, int] | None]:
    """An order, or the place whose write must be put off for one to exist."""
    entries = graph.entries
    writer = {s: n for n, k in enumerate(kernels) for s in k.stores}
    before: list[set[int]] = [set() for _ in kernels]
    for n, kernel in enumerate(kernels):
        for load in kernel.loads:
            before[n].update(writer[p] for p in parts(entries, load) if p in writer and writer[p] != n)
    targets: dict[int, tuple[int, int]] = {}
    for place, value in graph.effects.items():
        source = base(entries, value)
        if place in late or source not in writer:
            continue
        target = writer[source]
        if _reads_elsewhere(graph, kernels[target], place, source):
            return [], place
        targets[target] = place
        for n, kernel in enumerate(kernels):
            if n != target and any(_overlaps(entries[i], place, entries[source].size) for i in kernel.loads):
                before[target].add(n)
    memory = _Memory(graph, kernels)
    after: list[list[int]] = [[] for _ in kernels]
    for n, others in enumerate(before):
        for other in others:
            after[other].append(n)
    missing = [len(others) for others in before]
    ready = [n for n, count in enumerate(missing) if not count]
    order: list[int] = []
    while ready:
        _, first = min((min(memory.growth(n), 0), n) for n in ready)
        ready.remove(first)
        memory.run(first)
        order.append(first)
        for n in after[first]:
            missing[n] -= 1
            if not missing[n]:
                ready.append(n)
    if len(order) < len(kernels):
        return [], next(targets[n] for n in range(len(kernels)) if n in targets and missing[n])
    return [kernels[n] for n in order], None


class _Memory:
    """What is held between kernels, apart from what outlives the program."""

    def __init__(self, graph: Graph, kernels: list[Kernel]) -> None:
        entries = graph.entries
        kept = {base(entries, i) for i in [*graph.outputs, *graph.effects.values()]}
        for e in entries:
            if e.op.kind is Kind.PACK:
                kept.update(base(entries, a) for a in e.args)
        self.made = [{s: entries[s].size for s in k.stores if s not in kept} for k in kernels]
        self.sizes = {s: size for made in self.made for s, size in made.items()}
        self.read = [[i for i in k.loads if i in self.sizes] for k in kernels]
        self.readers = Counter(i for read in self.read for i in read)

    def growth(self, n: int) -> int:
        """Elements by which memory grows when a kernel runs next."""
        freed = sum(self.sizes[i] for i in self.read[n] if self.readers[i] == 1)
        return sum(self.made[n].values()) - freed

    def run(self, n: int) -> None:
        """Count a kernel as done."""
        self.readers.subtract(self.read[n])


def _overlaps(e: Entry, place: tuple[int, int], size: int) -> bool:
    """Whether a value is memory that a write of ``size`` elements at ``place`` changes."""
    slot, start = place
    return e.op is BUFFER and e.slot == slot and e.offset < start + size and start < e.offset + e.size


def _reads_elsewhere(graph: Graph, kernel: Kernel, place: tuple[int, int], value: int) -> bool:
    """Whether a kernel that overwrites memory also reads it at other elements than the one it writes, or binds
    ranges of the same buffer that overlap.
    """
    entries = graph.entries
    ranges = {place[1]: place[1] + entries[value].size}
    own = []
    for i in kernel.loads:
        e = entries[i]
        if e.op is not BUFFER or e.slot != place[0]:
            continue
        if ranges.setdefault(e.offset, e.offset + e.size) != e.offset + e.size:
            return True
        if e.offset == place[1]:
            own.append(i)
    if any(later < end for (_, end), (later, _) in itertools.pairwise(sorted(ranges.items()))):
        return True
    if any(_uses(entries, kernel, heavy, i) for heavy in kernel.heavies for i in own):
        return True
    return not all(_pointwise(entries, kernel, store, i) for i in own for store in kernel.stores)


def _uses(entries: list[Entry], kernel: Kernel, index: int, source: int) -> bool:
    return source in reached([index], lambda i: entries[i].args if i in kernel.inline else ())


def _pointwise(entries: list[Entry], kernel: Kernel, root: int, source: int) -> bool:
    def ends(i: int) -> bool:
        return i == source or i not in kernel.inline or i in kernel.heavies

    def stays(i: int) -> bool:
        return keeps_elements(entries[i])

    below = reached([root], lambda i: entries[i].args if stays(i) and not ends(i) else ())
    moved = (i for i in below if not ends(i) and not stays(i))
    return not any(_uses(entries, kernel, a, source) for i in moved for a in entries[i].args)
