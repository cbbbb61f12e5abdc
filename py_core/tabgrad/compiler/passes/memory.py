"""Plan memory: where each stored value lies, with scratch buffers reused after their last reader.

A large value takes the place of one that its own kernel reads for the last time, if it does so element by element.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from tabgrad.compiler.passes.kernel import keeps_elements
from tabgrad.compiler.passes.schedule import Kernel, Schedule, base
from tabgrad.compiler.passes.simplify import COPY, Graph
from tabgrad.dtypes import WORD_BYTES
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER
from tabgrad.graph.op import Kind
from tabgrad.graph.walk import reached
from tabgrad.ops.reduce import REDUCE
from tabgrad.program import BufferSpec, Tenant

LARGE_BYTES = 2**26  # from which on a value is written over another one, if it can be


@dataclass(frozen=True)
class Place:
    """Bytes ``[offset, offset + size)`` of a program's buffer."""

    buffer: int
    offset: int
    size_bytes: int


@dataclass
class Plan:
    """Buffers, kernels in order, and the places of every value that is loaded or stored."""

    buffers: list[BufferSpec]
    kernels: list[Kernel]
    places: dict[int, list[Place]]  # a stored value may have several; readers use the first
    outputs: list[Place]


def plan(graph: Graph, schedule: Schedule, storage_bytes: list[int]) -> Plan:
    """Give every value a place; see the module's docstring."""
    entries = graph.entries
    kernels = list(schedule.kernels)
    effects = dict(graph.effects)
    for place in schedule.late_effects:  # copied at the very end
        value = base(entries, effects[place])
        e = entries[value]
        entries.append(Entry(COPY, (value,), {}, e.shape, e.dtype))
        copy = len(entries) - 1
        kernels.append(Kernel([copy], None, [copy], [value]))
        effects[place] = copy

    written = {slot for slot, _ in effects}
    buffers = [
        BufferSpec(size_bytes=max(n, WORD_BYTES), role="state" if slot in written else "input", label=f"storage {slot}")
        for slot, n in enumerate(storage_bytes)
    ]
    places: dict[int, list[Place]] = {}

    def size(index: int) -> int:
        return entries[index].size_bytes

    for i, e in enumerate(entries):
        if e.op is BUFFER:
            places[i] = [Place(e.slot, e.offset * e.dtype.itemsize, size(i))]
    for (slot, offset), value in effects.items():
        places.setdefault(base(entries, value), []).append(
            Place(slot, offset * entries[value].dtype.itemsize, size(value))
        )

    wanted = {base(entries, o) for o in graph.outputs}
    packed: dict[int, int] = {}  # pack entry -> buffer, for packs that outlive the program
    late_packs: list[int] = []
    for i, e in enumerate(entries):
        if e.op.kind is not Kind.PACK:
            continue
        members = [base(entries, a) for a in e.args]
        if i in wanted or wanted.intersection(members):
            packed[i] = len(buffers)
            buffers.append(
                BufferSpec(
                    size_bytes=e.dtype.bytes_of(e.attrs["total"]), role="output", label=e.attrs.get("label", "pack")
                )
            )
            _place_members(places, entries, i, packed[i], wanted)
        else:
            late_packs.append(i)
    for index in sorted(wanted):
        if not any(_outlives(p, buffers) for p in places.get(index, [])):
            places.setdefault(index, []).insert(0, Place(len(buffers), 0, size(index)))
            buffers.append(BufferSpec(size_bytes=size(index), role="output", label=_label(entries[index])))

    _plan_scratch(entries, kernels, buffers, places, late_packs)
    outputs = []
    for o in graph.outputs:
        found = [p for p in places[base(entries, o)] if _outlives(p, buffers)]
        outputs.append(found[0])
    return Plan(buffers, kernels, places, outputs)


def _outlives(place: Place, buffers: list[BufferSpec]) -> bool:
    return buffers[place.buffer].role == "output"


def _place_members(
    places: dict[int, list[Place]], entries: list[Entry], pack: int, buffer: int, wanted: set[int]
) -> None:
    e = entries[pack]
    places[pack] = [Place(buffer, 0, e.dtype.bytes_of(e.attrs["total"]))]
    for start, arg in zip(e.attrs["offsets"], e.args, strict=True):
        member = base(entries, arg)
        place = Place(buffer, start * e.dtype.itemsize, entries[member].size_bytes)
        places.setdefault(member, []).append(place)


def _label(e: Entry) -> str:
    return f"{e.op.name} {list(e.shape)}"


def _plan_scratch(
    entries: list[Entry],
    kernels: list[Kernel],
    buffers: list[BufferSpec],
    places: dict[int, list[Place]],
    packs: list[int],
) -> None:
    """Scratch by liveness: the smallest free buffer that fits, grown if none does."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    pack_of: dict[int, list[int]] = {}
    for p in packs:
        for a in entries[p].args:
            pack_of.setdefault(base(entries, a), []).append(p)
    for n, kernel in enumerate(kernels):
        for s in kernel.stores:
            for owner in [s, *pack_of.get(s, [])]:
                first.setdefault(owner, n)
                last[owner] = n
        for i in kernel.loads:
            for owner in [i, *pack_of.get(i, [])]:
                last[owner] = n
    sizes: dict[int, int] = {}
    labels: dict[int, str] = {}
    free: list[int] = []
    taken: dict[int, int] = {}
    tenants: dict[int, list[Tenant]] = defaultdict(list)

    def take(owner: int, n: int, size: int) -> int:
        fits = [b for b in free if sizes[b] >= size]
        if fits:
            best = min(fits, key=lambda b: sizes[b])
        elif free:
            best = max(free, key=lambda b: sizes[b])
        else:
            best = len(buffers) + len(sizes)
            labels[best] = _label(entries[owner])
        if best in free:
            free.remove(best)
        sizes[best] = max(sizes.get(best, 0), size)
        taken[owner] = best
        tenants[best].append(Tenant(label=_label(entries[owner]), first=n, last=last[owner], size_bytes=size))
        return best

    def over(new: int, old: int, kernel: Kernel) -> bool:
        """Whether a value may take the place of one that its kernel reads."""
        if old not in taken or entries[old].op.kind is Kind.PACK or pack_of.keys() & {old, new}:
            return False
        size = entries[new].size_bytes
        alike = size == entries[old].size_bytes and entries[new].dtype is entries[old].dtype
        return size >= LARGE_BYTES and alike and _replaceable(entries, kernel, old)

    for n, kernel in enumerate(kernels):
        for s in kernel.stores:
            for p in pack_of.get(s, []):
                if p not in taken:
                    take(p, n, entries[p].dtype.bytes_of(entries[p].attrs["total"]))
                    _place_members(places, entries, p, taken[p], set())
            if s not in places:
                size = entries[s].size_bytes
                old = next((i for i in kernel.loads if last[i] == n and over(s, i, kernel)), None)
                if old is None:
                    places[s] = [Place(take(s, n, size), 0, size)]
                    continue
                taken[s], places[s] = taken.pop(old), places[old]
                tenants[taken[s]][-1] = replace(tenants[taken[s]][-1], last=n - 1)
                tenants[taken[s]].append(Tenant(label=_label(entries[s]), first=n, last=last[s], size_bytes=size))
        for owner in [o for o in taken if last[o] == n]:
            free.append(taken.pop(owner))
    for b in sorted(sizes):
        assert b == len(buffers)
        buffers.append(BufferSpec(size_bytes=sizes[b], role="scratch", label=labels[b], tenants=tuple(tenants[b])))


def _replaceable(entries: list[Entry], kernel: Kernel, old: int) -> bool:
    """Whether a kernel may write over a value that it reads: each thread is through with an element before."""

    def ends(i: int) -> bool:
        return i not in kernel.inline or i in kernel.heavies

    roots = {*kernel.stores, *(a for h in kernel.heavies for a in entries[h].args)}
    near = reached(roots, lambda i: entries[i].args if keeps_elements(entries[i]) and not ends(i) else ())
    moved = [a for i in near if not ends(i) and not keeps_elements(entries[i]) for a in entries[i].args]
    far = reached(moved, lambda i: () if ends(i) else entries[i].args)
    if old in far:
        return False
    # reductions are over before their kernel writes; other heavy values read elements of other threads
    return all(entries[h].op is REDUCE or not _reads(entries, kernel, h, old) for h in kernel.heavies)


def _reads(entries: list[Entry], kernel: Kernel, index: int, source: int) -> bool:
    return source in reached([index], lambda i: entries[i].args if i in kernel.inline else ())
