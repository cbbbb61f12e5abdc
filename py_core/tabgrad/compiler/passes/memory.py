"""Plan memory: where each stored value lies, with scratch buffers reused as soon as nobody reads them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from tabgrad.compiler.passes.schedule import Kernel, Schedule, base
from tabgrad.compiler.passes.simplify import COPY, Graph
from tabgrad.dtypes import WORD_BYTES
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER
from tabgrad.graph.op import Kind
from tabgrad.program import BufferSpec, Tenant


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

    for n, kernel in enumerate(kernels):
        for s in kernel.stores:
            for p in pack_of.get(s, []):
                if p not in taken:
                    take(p, n, entries[p].dtype.bytes_of(entries[p].attrs["total"]))
                    _place_members(places, entries, p, taken[p], set())
            if s not in places:
                size = entries[s].size_bytes
                places[s] = [Place(take(s, n, size), 0, size)]
        for owner in [o for o in taken if last[o] == n]:
            free.append(taken.pop(owner))
    for b in sorted(sizes):
        assert b == len(buffers)
        buffers.append(BufferSpec(size_bytes=sizes[b], role="scratch", label=labels[b], tenants=tuple(tenants[b])))
