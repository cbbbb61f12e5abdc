"""The program of a known call: it runs again in each round of a loop, on that round's tensors."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Sequence

import numpy as np

from tabgrad.devices.base import Buffer
from tabgrad.dtypes import whole_words
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import Linear, target_storage, written_buffer
from tabgrad.graph.node import Node
from tabgrad.graph.op import Kind
from tabgrad.graph.storage import Storage
from tabgrad.memory import Memory
from tabgrad.runtime.observers import Launch
from tabgrad.runtime.output_sets import OutputSets
from tabgrad.runtime.program_cache import CachedProgram
from tabgrad.scalars import ScalarsLayout
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.tracing.pattern import Untraceable
from tabgrad.tracing.segment import Segment

Settle = Callable[[Session, set[int], set[int]], None]


class TracedLaunch:
    """Made when a program runs as part of a call that may come again.

    Its memory is that of tensors from outside, which may be others in each round, of results of earlier programs of the
    trace, and of what the call brings along itself, such as an optimizer's state.
    """

    def __init__(
        self,
        session: Session,
        cached: CachedProgram,
        linear: Linear,
        slots: list[list[int]],
        types: list[Node],
        results: list[tuple[int, int]],
        outside: list[tuple[int, int]],
        numbers: list[int],
        written: set[int],
        changed: list[tuple[list[int], Node]],
        settled: tuple[int, ...],
        claimed: Callable[[int], bool],
        settle: Settle,
    ) -> None:
        self.settled = settled
        self.writes = bool(written)
        ids = {id(s): n for n, s in enumerate(linear.storages)}
        self._written = {ids[i] for i in written}
        targets = [(slots, written_buffer(node)) for slots, node in changed]
        self._changed = [(s, ids[id(t.storage)], t.offset, t.shape, t.dtype) for s, t in targets]
        if any(n not in {r for r, _ in results} for _, n, *_ in self._changed):
            raise Untraceable("a result shows memory from outside that it changes")
        self.computes = set().union(*slots, *(s for s, _ in changed))
        self.overwritten = frozenset(index for n, index in outside if n in self._written)
        # views whose memory nobody else showed when they were computed lie in their own
        self._claimed = {slot for slot in self.computes if claimed(slot)}
        self._session, self._cached = session, cached
        self._slots, self._numbers = slots, numbers
        self._types = [(n.shape, n.dtype) for n in types]
        self._settle = settle
        self._layout = ScalarsLayout([n.dtype for n in linear.scalars])
        self._outside, self._results = outside, results
        self._seen = {n: weakref.ref(linear.storages[n]) for n, _ in outside}
        given = {n for n, _ in (*outside, *results)}
        self._linear = dataclasses.replace(
            linear, storages=[Storage(s.size_bytes) if n in given else s for n, s in enumerate(linear.storages)]
        )
        self._varying: set[int] = {n for n, _ in self._results}
        self._sets: OutputSets | None = None
        self._lasting: list[weakref.ref[Tensor | Memory]] = []  # tensors whose memory the program is bound to for good
        self._device = session.device
        self._uploads: dict[int, Storage] = {}
        self._uploaded: dict[int, weakref.ref[Storage]] = {}
        self._now: dict[int, Storage] = {}
        self._before: dict[int, Node] = {}

    def prepare(self, outside: Sequence[Tensor], segment: Segment) -> bool:
        """Take this round's memory."""
        if self._session.device is not self._device:
            return False
        now: dict[int, Storage] = {}
        before: dict[int, Node] = {}
        for n, index in self._outside:
            storage = (segment.hidden.get(index) or outside[index]._node).storage
            if n in now and now[n] is not storage:
                return False  # memory that was one lies apart now
            if storage is None or storage.size_bytes != self._linear.storages[n].size_bytes:
                return False
            if n not in self._varying and storage is not self._seen[n]():
                if n in self._written:
                    return False
                self._varying.add(n)
                self._sets = None
            now[n] = storage
        for n, slot in self._results:
            value = segment.values.get(slot) or segment.outdated.get(slot)
            tensor = segment.slots[slot]()
            node = value if value is not None else tensor._node if tensor is not None else None
            if node is None or node.storage is None:
                return False
            now[n], before[n] = node.storage, node
        if len({id(s) for s in now.values()}) < len(now):
            return False  # memory that was apart is one now
        self._now, self._before = now, before
        return True

    def run(self, segment: Segment) -> None:
        """Queue it."""
        session, now, before = self._session, self._now, self._before
        self._now, self._before = {}, {}
        device = session.device
        words = self._layout.pack([segment.numbers[n] for n in self._numbers])
        self._cached.load()
        used = [now.get(n, s) for n, s in enumerate(self._linear.storages)]
        self._settle(session, {id(s) for s in used}, {id(used[n]) for n in self._written})
        writes: list[tuple[Buffer, np.ndarray]] = []
        if self._sets is None:
            # parameters and what is written outlive the loop; a batch that came twice does not
            fixed_tensors = [(n, segment.outside[index]) for n, index in self._outside if n not in self._varying]
            # what an optimizer holds lasts as long as it does
            kept = {n for n in self._written if n not in now or not now[n].shared}
            lasting = [t for n, t in fixed_tensors if t.requires_grad or n in kept]
            # a tensor such as ``p.data`` is soon gone, and the memory that it shows is not
            held = {id(t): t for t in (tensor if tensor._memory is None else tensor._memory for tensor in lasting)}
            self._lasting = [weakref.ref(t, segment.gone) for t in held.values()]
            fixed = [now[n] if n in now and n not in self._varying else s for n, s in enumerate(self._linear.storages)]
            self._sets = OutputSets(self._cached, fixed, 1)
        chosen = {n: self._input(n, now[n], writes) for n in sorted(self._varying)}
        outputs, bound = self._sets.take(device, chosen)
        launch = Launch(bound, words, writes)
        launch.on(device)
        outputs.results = []
        compiled = self._cached.compiled
        taken = set()
        for place, slots, (shape, dtype) in zip(compiled.outputs, self._slots, self._types, strict=True):
            n = place.external - compiled.num_storages
            storage = outputs.storages[n] if n >= 0 else used[place.external]
            node = graph.buffer(storage, shape, dtype, place.offset_bytes // dtype.itemsize)
            if place in taken:
                session.aliases.note(node)
            taken.add(place)
            outputs.results.append(weakref.ref(node))
            for slot in slots:
                segment.computed(slot, node)
        segment.views -= self._claimed
        for slots, n, offset, shape, dtype in self._changed:
            node = graph.buffer(used[n], shape, dtype, offset)
            node.owner = before[n]  # whose memory is given to other results when it is gone
            for slot in slots:
                segment.outdated.pop(slot, None)
                segment.computed(slot, node)

    def _input(self, n: int, storage: Storage, writes: list[tuple[Buffer, np.ndarray]]) -> Storage:
        """Data that lies on the host is uploaded with the run; what comes a second time stays on the device."""
        host = storage.host
        if host is None:
            return storage
        last = self._uploaded.get(n)
        if n in self._written or (last is not None and last() is storage):
            return storage
        self._uploaded[n] = weakref.ref(storage)
        upload = self._uploads.get(n)
        if upload is None:
            upload = self._uploads[n] = Storage(storage.size_bytes)
        if host.size:
            writes.append((upload.on(self._session.device), whole_words(host)))
        return upload


def traced_launch(
    segment: Segment,
    own: set[int],
    session: Session,
    cached: CachedProgram,
    linear: Linear,
    roots: Sequence[Node],
    settle: Settle,
) -> TracedLaunch:
    """A launch of the program over this graph, to run in other rounds.

    Args:
        own: ``id`` of storages that calls of the trace bring along: constants, and the state of an optimizer.

    Raises:
        Untraceable: its parts cannot be found there.
    """
    by_node: dict[int, list[int]] = {}
    for slot, ref in enumerate(segment.slots):
        tensor = ref()
        if tensor is not None and slot in segment.real:
            by_node.setdefault(id(tensor._node), []).append(slot)
    slots: list[list[int]] = []
    types: list[Node] = []
    settled: list[int] = []
    changed: list[tuple[list[int], Node]] = []
    written: set[int] = set()
    for node in roots:
        if node.op.kind is Kind.ASSIGN:
            written.add(id(target_storage(node)))
            if id(node) in by_node:
                changed.append((by_node[id(node)], node))
            settled += [n for n, t in enumerate(segment.outside) if _shows(t, node)]
            continue
        found = by_node.get(id(node))
        if found is None:
            raise Untraceable("it computes a tensor from before")
        slots.append(found)
        types.append(node)

    def claimed(slot: int) -> bool:
        tensor = segment.slots[slot]()
        return tensor is not None and not tensor._path

    results, outside = _sources(segment, linear, own)
    scalars = [segment.scalars.get(id(node)) for node in linear.scalars]
    if any(s is None for s in scalars):
        raise Untraceable("it uses a number from before")
    numbers = [s[1] for s in scalars if s is not None]
    return TracedLaunch(
        session,
        cached,
        linear,
        slots,
        types,
        results,
        outside,
        numbers,
        written,
        changed,
        tuple(settled),
        claimed,
        settle,
    )


def _shows(tensor: Tensor, node: Node) -> bool:
    return tensor._node is node or (tensor._memory is not None and tensor._memory.node is node)


def _sources(segment: Segment, linear: Linear, own: set[int]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Which results of the trace, and which tensors from outside, lie in which of the graph's storages."""
    of_slots: dict[int, int] = {id(node.storage): slot for slot, node in segment.values.items()}
    for slot, ref in enumerate(segment.slots):
        tensor = ref()
        if (
            tensor is not None
            and slot in segment.real
            and (storage := written_buffer(tensor._node).storage) is not None
        ):
            of_slots[id(storage)] = slot
    of_outside: dict[int, list[int]] = {}
    for index, tensor in enumerate(segment.outside):
        of_outside.setdefault(id(written_buffer(tensor._node).storage), []).append(index)
    results, outside = [], []
    for n, storage in enumerate(linear.storages):
        if id(storage) in of_outside:
            outside += [(n, index) for index in of_outside[id(storage)]]
        elif id(storage) in of_slots:
            results.append((n, of_slots[id(storage)]))
        elif id(storage) not in own:
            raise Untraceable("it uses memory of a tensor that it is not given")
    return results, outside


__all__ = ["TracedLaunch", "traced_launch"]
