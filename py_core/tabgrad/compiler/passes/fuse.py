"""Fuse: decide which values are stored; each starts a kernel that computes the rest on the way.

A kernel begins with at most one heavy value (a reduction, a contraction, a pooling). Elementwise values that
follow it element by element are computed in its registers; those that precede a reduction as it reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from tabgrad.compiler.passes.depth import too_deep
from tabgrad.compiler.passes.kernel import Kernel, base
from tabgrad.errors import DeviceError
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER, IOTA, SCALAR
from tabgrad.graph.op import Elementwise, Heavy, Kind, View
from tabgrad.graph.rewrite import Graph
from tabgrad.graph.walk import reached
from tabgrad.ops.indexing import INDEX_SELECT
from tabgrad.ops.movement import RESHAPE
from tabgrad.ops.reduce import REDUCE

RECOMPUTE_LIMIT = 8  # an elementwise value used by several kernels is computed again below this cost
LARGE = 2**22  # elements from which on a value that turned out to be cheap is not stored


def cost(entry: Entry) -> int:
    """Rough number of operations per element."""
    return entry.op.lowering.cost if isinstance(entry.op.lowering, Elementwise) else 0


class Fuser:
    """What a graph's kernels are before any are merged.

    Args:
        late: places that cannot be written in place, so that a kernel that reads them binds two buffers.
    """

    def __init__(self, graph: Graph, max_storage_buffers: int, late: Collection[tuple[int, int]] = ()) -> None:
        self.graph = graph
        self.entries = graph.entries
        self.limit = max_storage_buffers
        self.users: list[list[int]] = [[] for _ in self.entries]  # through reshapes
        for i, e in enumerate(self.entries):
            if e.op is RESHAPE:
                continue
            for a in set(e.args):
                self.users[base(self.entries, a)].append(i)
        self.wanted = {base(self.entries, i) for i in [*graph.outputs, *graph.effects.values()]}
        for e in self.entries:
            if e.op.kind is Kind.PACK:
                self.wanted.update(base(self.entries, a) for a in e.args)
        self.places = self._count_places()
        self.written: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for place, index in graph.effects.items():
            if place not in late:
                self.written[base(self.entries, index)].append(place)
        self.tails = self._find_tails()

    def _count_places(self) -> dict[int, int]:
        """For values that are written to several places (a state, a pack, an output): how many."""
        count: dict[int, int] = defaultdict(int)
        for index in self.graph.effects.values():
            count[base(self.entries, index)] += 1
        packed = [base(self.entries, a) for e in self.entries if e.op.kind is Kind.PACK for a in e.args]
        for index in [*packed, *({base(self.entries, o) for o in self.graph.outputs} - set(packed))]:
            count[index] += 1
        return count

    # 1. which values are stored

    def kernels(self) -> list[Kernel]:
        stored = self._must_store()
        stored |= self._shared(stored)
        stored |= too_deep(self.entries, self.users, stored)
        kernels = {k.stores[0]: k for k in self._form(stored)}
        counts = {s: self._bindings(k) for s, k in kernels.items()}
        while max(counts.values(), default=0) > self.limit:
            crowded = next(s for s in sorted(counts) if counts[s] > self.limit)
            found = self._relief(kernels[crowded], stored)
            stored.add(found)
            for s in [found, *(s for s, k in kernels.items() if found in k.inline)]:
                kernels[s] = self.fill(Kernel([s]), stored)
                counts[s] = self._bindings(kernels[s])
        return [kernels[s] for s in sorted(kernels)]

    def _must_store(self) -> set[int]:
        stored = set(self.wanted)
        for i, e in enumerate(self.entries):
            if e.op.kind is Kind.HEAVY:
                stored.add(self.tails[i])
                stored.update(self._operands(e))
            elif e.op is INDEX_SELECT and self.entries[base(self.entries, e.args[1])].op is not IOTA:
                stored.add(base(self.entries, e.args[1]))
        return {
            i for i in stored if self.entries[i].op not in (BUFFER, SCALAR) and self.entries[i].op.kind is not Kind.PACK
        }

    def _operands(self, entry: Entry) -> list[int]:
        """What a heavy value reads again and again: the values under its operands' views."""
        assert isinstance(entry.op.lowering, Heavy)
        found = []
        for index in entry.args[: entry.op.lowering.rereads]:
            while isinstance(view := self.entries[index].op.lowering, View) and view.moves_one:
                index = self.entries[index].args[0]
            if self.entries[index].op.kind in (Kind.ELEMENTWISE, Kind.VIEW):
                found.append(index)
        return found

    def _find_tails(self) -> dict[int, int]:
        """For each heavy value: the last value that can be computed in its registers before it must be stored.

        Later heavy values choose first, so that a sum of two is computed where its second operand is.
        """
        tails: dict[int, int] = {}
        claimed: set[int] = set()
        for heavy in reversed([i for i, e in enumerate(self.entries) if e.op.kind is Kind.HEAVY]):
            tail, size = heavy, self.entries[heavy].size
            while tail not in self.wanted and len(self.users[tail]) == 1:
                user = self.users[tail][0]
                e = self.entries[user]
                if e.op.kind is not Kind.ELEMENTWISE or e.size != size or user in claimed or e.dtype.is_narrow:
                    break  # whole words of narrow elements are stored by kernels of their own
                tail = user
                claimed.add(user)
            tails[heavy] = tail
        return tails

    def _shared(self, stored: set[int]) -> set[int]:
        """Values too expensive to compute again in each kernel that uses them."""
        found: set[int] = set()
        kernels_of: dict[int, set[int]] = defaultdict(set)
        owner = self._owners(stored)
        for i in reversed(range(len(self.entries))):
            e = self.entries[i]
            if i in stored or e.op.kind is Kind.HEAVY:
                kernels_of[i] = {owner.get(i, i)}
            elif (
                e.op.kind is Kind.ELEMENTWISE
                and len(kernels_of[i]) > 1
                and self._total_cost(i, stored | found) > RECOMPUTE_LIMIT
            ):
                found.add(i)
                kernels_of[i] = {i}
            for a in e.args:
                kernels_of[a] |= kernels_of[i]
        for i in sorted(found, reverse=True):  # what is cheap now that others are stored
            if self.entries[i].size >= LARGE and self._total_cost(i, (stored | found) - {i}) <= RECOMPUTE_LIMIT:
                found.remove(i)
        return found

    def _owners(self, stored: set[int]) -> dict[int, int]:
        """For values computed in a heavy value's kernel: the value that kernel is known by."""
        owner: dict[int, int] = {}
        for i, e in enumerate(self.entries):
            if e.op.kind is Kind.HEAVY:
                tail, at = self.tails[i], i
                while True:
                    owner[at] = tail
                    if at == tail:
                        break
                    at = self.users[at][0]
        return owner

    def _total_cost(self, index: int, stored: set[int]) -> int:
        def counts(i: int) -> bool:
            return (i not in stored or i == index) and self.entries[i].op.kind is not Kind.HEAVY

        below = reached([index], lambda i: self.entries[i].args if counts(i) else ())
        return sum(cost(self.entries[i]) for i in below if counts(i))

    # 2. one kernel per stored value

    def _form(self, stored: set[int]) -> list[Kernel]:
        return [self.fill(Kernel([i]), stored) for i in sorted(stored) if self.entries[i].size]

    def fill(self, kernel: Kernel, stored: set[int]) -> Kernel:
        """Find what a kernel computes and reads, from what it stores."""
        own = set(kernel.stores)

        def is_loaded(i: int) -> bool:
            e = self.entries[i]
            return (i in stored and i not in own) or e.op is BUFFER or e.op.kind is Kind.PACK

        used = sorted(reached(own, lambda i: () if is_loaded(i) else self.entries[i].args))
        kernel.loads = [i for i in used if is_loaded(i)]
        kernel.inline = [i for i in used if not is_loaded(i)]
        kernel.heavies = [i for i in kernel.inline if self.entries[i].op.kind is Kind.HEAVY]
        kernel.heavy = min(kernel.heavies, default=None)
        reductions = all(self.entries[h].op is REDUCE for h in kernel.heavies)
        assert len(kernel.heavies) <= 1 or reductions, [self.entries[h] for h in kernel.heavies]
        return kernel

    def _bindings(self, kernel: Kernel) -> int:
        return self.bindings(kernel.loads, kernel.stores)

    def bindings(self, loads: Collection[int], stores: Collection[int]) -> int:
        """Bindings that a kernel takes: a value may go to several places, and one that is overwritten counts once."""
        written = {place for s in stores for place in self.written.get(s, ())}
        old = [self.entries[i] for i in loads if self.entries[i].op is BUFFER]
        again = sum((e.slot, e.offset) in written for e in old)
        return len(loads) - again + sum(max(1, self.places.get(s, 1)) for s in stores)

    def _relief(self, kernel: Kernel, stored: set[int]) -> int:
        """A value to store so that a kernel reads fewer buffers."""

        loads, inline = set(kernel.loads), set(kernel.inline)

        def reads(index: int) -> set[int]:
            return loads.intersection(reached([index], lambda i: self.entries[i].args if i in inline else ()))

        cuts = [
            i for i in kernel.inline
            if i not in kernel.stores and self.entries[i].op.kind in (Kind.ELEMENTWISE, Kind.VIEW)
            and 1 < len(reads(i)) < self.limit
        ]  # fmt: skip
        candidates = [i for i in cuts if not self._after_heavy(i, kernel)] or cuts
        if not candidates:
            raise DeviceError(
                f"compile: expected a kernel with at most {self.limit} buffers, got {self._bindings(kernel)} that "
                f"cannot be split; this adapter allows too few storage buffers per shader"
            )
        most = max(self.entries[i].size for i in candidates)
        return max(candidates, key=lambda i: (self.entries[i].size < most, len(reads(i))))

    def _after_heavy(self, index: int, kernel: Kernel) -> bool:
        below = reached([index], lambda i: self.entries[i].args if i in kernel.inline else ())
        return any(i == kernel.heavy for i in below)
