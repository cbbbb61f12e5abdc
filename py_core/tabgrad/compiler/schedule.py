"""Fuse: decide which values are stored, and group the rest into kernels that compute them on the way.

A kernel has at most one heavy value (a reduction, a contraction, a pooling). Elementwise values that follow
it element by element are computed in its registers; those that precede a reduction are computed as it reads.
Kernels over the same elements are merged where that saves reading or a launch.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from tabgrad.compiler.simplify import Graph
from tabgrad.errors import DeviceError
from tabgrad.graph.linearize import Entry
from tabgrad.graph.node import BUFFER, SCALAR
from tabgrad.graph.op import Kind

RECOMPUTE_LIMIT = 8  # an elementwise value used by several kernels is computed anew below this cost
_COSTS = {"random_bits": 40, "exp": 4, "log": 4, "tanh": 6, "erf": 10, "pow": 8, "sigmoid": 5, "sin": 4, "cos": 4}
_CONTRACTIONS = ("matmul", "conv2d", "conv2d_input_grad", "conv2d_weight_grad")
_ATTENTION = {"attention": 3, "attention_grad_query": 6, "attention_grad_key_value": 6}  # arguments read many times
_INLINE_VIEWS = ("reshape", "expand", "permute", "slice", "pad")


@dataclass
class Kernel:
    """Values computed in one launch: ``stores`` are written to memory, in order of computation."""

    stores: list[int]
    heavy: int | None = None
    inline: list[int] = field(default_factory=list)  # everything computed, arguments first, heavy included
    loads: list[int] = field(default_factory=list)  # stored values of other kernels, and buffers, that are read


@dataclass
class Schedule:
    """Kernels in an order in which they can run."""

    kernels: list[Kernel]
    late_effects: list[tuple[int, int]]  # places that must be written by a copy after the last reader


def base(entries: list[Entry], index: int) -> int:
    """The value under reshapes: it has the same elements in the same order."""
    while entries[index].op.name == "reshape":
        index = entries[index].args[0]
    return index


def cost(entry: Entry) -> int:
    """Rough number of operations per element."""
    if entry.op.kind is not Kind.ELEMENTWISE:
        return 0
    return _COSTS.get(entry.op.name, 1)


class _Fuser:
    def __init__(self, graph: Graph, max_storage_buffers: int) -> None:
        self.graph = graph
        self.entries = graph.entries
        self.limit = max_storage_buffers
        self.users: list[list[int]] = [[] for _ in self.entries]  # through reshapes
        for i, e in enumerate(self.entries):
            if e.op.name == "reshape":
                continue
            for a in set(e.args):
                self.users[base(self.entries, a)].append(i)
        self.wanted = {base(self.entries, i) for i in [*graph.outputs, *graph.effects.values()]}
        for e in self.entries:
            if e.op.kind is Kind.PACK:
                self.wanted.update(base(self.entries, a) for a in e.args)
        self.places = self._count_places()
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
        while True:
            kernels = self._form(stored)
            crowded = next((k for k in kernels if self._bindings(k) > self.limit), None)
            if crowded is None:
                return self._merge(kernels)
            stored.add(self._relief(crowded, stored))

    def _must_store(self) -> set[int]:
        stored = set(self.wanted)
        for i, e in enumerate(self.entries):
            if e.op.kind is Kind.HEAVY:
                stored.add(self.tails[i])
                if e.op.name in _CONTRACTIONS or e.op.name in _ATTENTION or "pool" in e.op.name:
                    stored.update(self._operands(e))
            elif e.op.name == "index_select":
                stored.add(base(self.entries, e.args[1]))
        return {
            i for i in stored if self.entries[i].op not in (BUFFER, SCALAR) and self.entries[i].op.kind is not Kind.PACK
        }

    def _operands(self, entry: Entry) -> list[int]:
        """What a contraction or attention reads again and again: the values under its operands' views."""
        found = []
        for index in entry.args[: _ATTENTION.get(entry.op.name)]:
            while self.entries[index].op.name in _INLINE_VIEWS:
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
                if e.op.kind is not Kind.ELEMENTWISE or e.size != size or user in claimed:
                    break
                tail = user
                claimed.add(user)
            tails[heavy] = tail
        return tails

    def _shared(self, stored: set[int]) -> set[int]:
        """Values too dear to be computed again in each kernel that uses them."""
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
        total, stack, seen = 0, [index], set()
        while stack:
            i = stack.pop()
            if i in seen or (i in stored and i != index) or self.entries[i].op.kind is Kind.HEAVY:
                continue
            seen.add(i)
            total += cost(self.entries[i])
            stack.extend(self.entries[i].args)
        return total

    # 2. one kernel per stored value

    def _form(self, stored: set[int]) -> list[Kernel]:
        return [self._fill(Kernel([i]), stored) for i in sorted(stored) if self.entries[i].size]

    def _fill(self, kernel: Kernel, stored: set[int]) -> Kernel:
        """Find what a kernel computes and reads, from what it stores."""
        inline: set[int] = set()
        loads: set[int] = set()
        own = set(kernel.stores)
        heavies: set[int] = set()
        stack = list(kernel.stores)
        while stack:
            i = stack.pop()
            if i in inline or i in loads:
                continue
            e = self.entries[i]
            outside = (i in stored and i not in own) or e.op is BUFFER or e.op.kind is Kind.PACK
            if outside:
                loads.add(i)
                continue
            inline.add(i)
            if e.op.kind is Kind.HEAVY:
                heavies.add(i)
            stack.extend(e.args)
        assert len(heavies) <= 1, [self.entries[h] for h in heavies]
        kernel.heavy = next(iter(heavies), None)
        kernel.inline, kernel.loads = sorted(inline), sorted(loads)
        return kernel

    def _bindings(self, kernel: Kernel) -> int:
        return len(kernel.loads) + self._writes(kernel.stores)

    def _writes(self, stores: list[int]) -> int:
        return sum(max(1, self.places.get(s, 1)) for s in stores)

    def _relief(self, kernel: Kernel, stored: set[int]) -> int:
        """A value to store so that a kernel reads fewer buffers."""

        def reads(index: int) -> set[int]:
            out: set[int] = set()
            stack = [index]
            while stack:
                i = stack.pop()
                if i in kernel.loads:
                    out.add(i)
                elif i in kernel.inline:
                    stack.extend(self.entries[i].args)
            return out

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
        return max(candidates, key=lambda i: len(reads(i)))

    def _after_heavy(self, index: int, kernel: Kernel) -> bool:
        stack = [index]
        while stack:
            i = stack.pop()
            if i == kernel.heavy:
                return True
            if i in kernel.inline:
                stack.extend(self.entries[i].args)
        return False

    # 3. merge kernels over the same elements

    def _merge(self, kernels: list[Kernel]) -> list[Kernel]:
        stored = {s for k in kernels for s in k.stores}
        done: list[Kernel] = []
        for kernel in kernels:
            target = self._partner(kernel, done, stored) if kernel.heavy is None else None
            if target is None:
                done.append(kernel)
                continue
            target.stores = sorted([*target.stores, *kernel.stores])
            others = [k for k in (*done, *kernels) if k is not target and k is not kernel]
            for s in target.stores[:]:
                if s not in self.wanted and not any(s in k.loads for k in others):
                    target.stores.remove(s)
                    stored.discard(s)
            self._fill(target, stored)
        return done

    def _partner(self, kernel: Kernel, done: list[Kernel], stored: set[int]) -> Kernel | None:
        (root,) = kernel.stores
        size = self.entries[root].size
        packed = self._packed(kernel)  # read through a pack, so not at their own elements
        for other in reversed(done):
            if self.entries[other.stores[-1]].size != size:
                continue
            feeds = [s for s in other.stores if s in kernel.loads]
            related = bool(feeds) or (other.heavy is None and bool(set(kernel.loads) & set(other.loads)))
            if not related or not all(self._in_step(root, s, stored) for s in feeds):
                continue
            if packed.intersection(other.stores):
                continue
            reads = set(kernel.loads) - set(feeds) | set(other.loads)
            if len(reads) + self._writes([*other.stores, root]) > self.limit:
                continue
            if not self._path_between(other, kernel, done):
                return other
        return None

    def _packed(self, kernel: Kernel) -> set[int]:
        """The values in the packs that a kernel reads."""
        packs = [self.entries[i] for i in kernel.loads if self.entries[i].op.kind is Kind.PACK]
        return {base(self.entries, a) for e in packs for a in e.args}

    def _in_step(self, root: int, source: int, stored: set[int]) -> bool:
        """Whether ``root`` reads ``source`` only at its own element."""
        stack, seen = [root], set()
        while stack:
            i = stack.pop()
            if i in seen or i == source:
                continue
            seen.add(i)
            e = self.entries[i]
            if i != root and i in stored:
                continue
            if e.op.kind is Kind.ELEMENTWISE or e.op.name == "reshape":
                stack.extend(e.args)
            elif any(self._reads(a, source, stored) for a in e.args):
                return False
        return True

    def _reads(self, index: int, source: int, stored: set[int]) -> bool:
        stack = [index]
        while stack:
            i = stack.pop()
            if i == source:
                return True
            if i not in stored:
                stack.extend(self.entries[i].args)
        return False

    def _path_between(self, first: Kernel, last: Kernel, done: list[Kernel]) -> bool:
        """Whether merging two kernels would make a third depend on its own result."""
        members = {s: k for k in done for s in k.stores}

        def needs(kernel: Kernel) -> list[Kernel]:
            out: list[Kernel] = []
            for load in kernel.loads:
                e = self.entries[load]
                parts = [base(self.entries, a) for a in e.args] if e.op.kind is Kind.PACK else [load]
                out.extend(members[p] for p in parts if p in members)
            return out

        stack = [k for k in needs(last) if k is not first]
        seen: set[int] = set()
        while stack:
            kernel = stack.pop()
            if kernel is first:
                return True
            if id(kernel) not in seen:
                seen.add(id(kernel))
                stack.extend(needs(kernel))
        return False


def schedule(graph: Graph, max_storage_buffers: int) -> Schedule:
    """Group a graph's values into kernels and put them in order.

    Raises:
        DeviceError: a kernel needs more storage buffers than the adapter allows, and cannot be split.
    """
    kernels = _Fuser(graph, max_storage_buffers).kernels()
    return _order(graph, kernels)


def _order(graph: Graph, kernels: list[Kernel]) -> Schedule:
    """Topological order, earliest value first; writers of a buffer after the readers of its old value."""
    late: list[tuple[int, int]] = []
    while True:
        order, stuck = _try_order(graph, kernels, late)
        if stuck is None:
            return Schedule(order, late)
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
            e = entries[load]
            parts = [base(entries, a) for a in e.args] if e.op.kind is Kind.PACK else [load]
            before[n].update(writer[p] for p in parts if p in writer and writer[p] != n)
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
            if n != target and any(entries[i].op is BUFFER and entries[i].slot == place[0] for i in kernel.loads):
                before[target].add(n)
    order: list[int] = []
    placed: set[int] = set()
    waiting = list(range(len(kernels)))
    while waiting:
        ready = next((n for n in waiting if before[n] <= placed), None)
        if ready is None:
            return [], next(targets[n] for n in waiting if n in targets)
        waiting.remove(ready)
        placed.add(ready)
        order.append(ready)
    return [kernels[n] for n in order], None


def _reads_elsewhere(graph: Graph, kernel: Kernel, place: tuple[int, int], value: int) -> bool:
    """Whether a kernel that overwrites a buffer also reads it at other elements than the one it writes."""
    entries = graph.entries
    own = [i for i in kernel.loads if entries[i].op is BUFFER and entries[i].slot == place[0]]
    if not own:
        return False
    if kernel.heavy is not None and any(_uses(entries, kernel, kernel.heavy, i) for i in own):
        return True
    for i in own:
        if entries[i].offset != place[1] or entries[i].size != entries[value].size:
            return True
        if not all(_pointwise(entries, kernel, store, i) for store in kernel.stores):
            return True
    return False


def _uses(entries: list[Entry], kernel: Kernel, index: int, source: int) -> bool:
    stack = [index]
    while stack:
        i = stack.pop()
        if i == source:
            return True
        if i in kernel.inline:
            stack.extend(entries[i].args)
    return False


def _pointwise(entries: list[Entry], kernel: Kernel, root: int, source: int) -> bool:
    stack = [root]
    while stack:
        i = stack.pop()
        e = entries[i]
        if i == source or i not in kernel.inline or i == kernel.heavy:
            continue
        if e.op.kind is Kind.ELEMENTWISE or e.op.name == "reshape":
            stack.extend(e.args)
        elif any(_uses(entries, kernel, a, source) for a in e.args):
            return False
    return True
