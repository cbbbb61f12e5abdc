"""A call that was executed for the first time, as what is to be recognised when it comes again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from tabgrad.graph.node import BUFFER
from tabgrad.graph.op import Kind
from tabgrad.tensor import Tensor
from tabgrad.tracing.call import Call, Launch, Made, Round
from tabgrad.tracing.number import Numbers
from tabgrad.tracing.pattern import CONSTANT, NEW, SEEN, SEQUENCE, SLOT, Part, Untraceable, parts_of, place_of, slots_in
from tabgrad.tracing.recognise import Asked, Patterns
from tabgrad.tracing.segment import Segment, tensors_in
from tabgrad.tracing.witness import Note


def has_history(segment: Segment) -> bool:
    """Whether there are any; see :func:`history`."""
    return segment.any_alive(history(segment))


def history(segment: Segment) -> frozenset[int]:
    """Slots of living tensors through which a gradient may still flow."""
    found = []
    for slot, ref in enumerate(segment.slots):
        tensor = ref()
        if tensor is not None and slot in segment.real and tensor._ctx is not None and not tensor._ctx.is_spent:
            found.append(slot)
    return frozenset(found)


class Executed(NamedTuple):
    """A call that was executed."""

    asked: Asked
    patterns: Patterns
    result: Any
    records: bool  # whether ops were recorded for gradients
    first: int  # slot of what it made
    varied: Numbers | None  # those that it was given and that may differ


class Learned:
    """Makes a :class:`Call` of what was seen."""

    def __init__(self, segment: Segment, note: Note, owners: Sequence[Tensor] | None) -> None:
        self._segment, self._note = segment, note
        self._owners = owners
        self._made: list[Made] = []
        self._fresh = False  # whether a result lies in memory that was there before

    def call(self, executed: Executed) -> Call:
        """Raises ``Untraceable`` if it cannot be recognised."""
        note, segment = self._note, self._segment
        (fn, count, kwargs, *_), (given, owner_parts, before), result, records, first, varied = executed
        if note.once:
            raise Untraceable(note.once)
        result_part = self._part(result)
        if self._owners is None:
            owned = [owner for owner, _ in note.grads.values()]
            owner_parts = parts_of(owned, segment)
            before = parts_of([grad for _, grad in note.grads.values()], segment)
            if any(p.kind == NEW for p in (*owner_parts, *before)):
                raise Untraceable("it sets gradients of tensors that have not been used before")
        else:
            owned = list(self._owners)
        after = tuple([self._part(t._grad) for t in owned])
        aliased = _aliased(result, segment)
        segment.aliased |= aliased
        changed = self._changed()
        if self._fresh and (self._made or note.launches or changed or note.numbers or slots_in(given)):
            raise Untraceable("some of its results are memory that was there before")
        segment.gradients.update(p.what for p in after if p.kind == SLOT)
        call = Call(
            fn=fn, names=tuple(kwargs), count=count, parts=given, records=records, owners=owner_parts,
            before=before, after=after, result=result_part, made=tuple(self._made), first=first,
            changed=changed, asked=tuple([p.more for p in changed]), numbers=tuple(note.numbers),
            checks=self._checks(), aliased=aliased,
            varied=varied, is_immediate=self._fresh,
        )  # fmt: skip
        for launch in note.launches:
            segment.done |= launch.computes
        for slot, ref in enumerate(segment.slots):
            tensor = ref()
            if tensor is not None and slot not in segment.done and tensor._node.op is BUFFER:
                raise Untraceable("a result is memory that was there before")
        if note.launches:
            self._add_round(call)
        return call

    def _part(self, value: Any) -> Part:
        segment = self._segment
        if isinstance(value, Tensor):
            if value._trace is segment:
                return place_of(value)
            if value._node.op is BUFFER:
                if self._note.launches:
                    raise Untraceable("it computes what it returns")
                self._fresh = True
                return Part(CONSTANT, None)
            slot = segment.make(value)
            segment.real.add(slot)
            record = None if value._ctx is None else partial(type(value._ctx).freed, value._ctx.op_name)
            self._made.append(Made(value.shape, value.dtype, value.requires_grad, bool(value._path), record))
            if value._path:
                segment.views.add(slot)
            return place_of(value)
        if isinstance(value, list | tuple):
            return Part(SEQUENCE, type(value), tuple([self._part(v) for v in value]))
        if value is None or isinstance(value, bool | int | float | str):
            return Part(CONSTANT, value)
        raise Untraceable(f"it returns a {type(value).__name__}")

    def _changed(self) -> tuple[Part, ...]:
        found = []
        for ref in self._note.changed.values():
            tensor = ref()
            if tensor is None:
                continue
            if tensor._trace is self._segment:
                if not self._note.launches:
                    if not self._is_all_known(tensor):
                        raise Untraceable("it changes memory that several tensors show")
                    if tensor._slot < 0 and tensor._ctx is not None:
                        raise Untraceable("it records the change of a tensor from outside")
                found.append(place_of(tensor))
            elif self._shows_known(tensor, made=not self._note.launches):
                continue
            elif not self._note.launches or tensor._node.op is not BUFFER:
                raise Untraceable("it changes a tensor that has not been used before")
        return tuple(found)

    def _is_all_known(self, changed: Tensor) -> bool:
        """Whether all that show the memory of a changed tensor are of the trace, and show all of it."""
        if changed._slot not in self._segment.aliased:
            return changed._slot >= 0 or not changed._path
        if changed._slot >= 0 or changed._path or changed._memory is None:
            return False
        return all(t._trace is self._segment and t._slot < 0 and not t._path for t in changed._memory.members())

    def _shows_known(self, view: Tensor, *, made: bool) -> bool:
        """Whether it shows a part of a tensor of the trace that changes, and need not be known itself.

        Args:
            made: of a result: then the call has made the view for itself, for all others are of the trace; else of a
                tensor from outside, which has its views read again when it has changed.
        """
        if view._memory is None or not view._path or (made and view._trace is not None):
            return False
        members = view._memory.members()
        return any(t._trace is self._segment and (t._slot >= 0) is made and not t._path for t in members)

    def _checks(self) -> tuple[tuple[int, Callable[[Tensor], None]], ...]:
        found = []
        for tensor, check in self._note.checks:
            if tensor._trace is self._segment and tensor._slot < 0:
                found.append((-1 - tensor._slot, check))
        return tuple(found)

    def _add_round(self, call: Call) -> None:
        note, segment = self._note, self._segment
        (launch,) = note.launches
        for part in call.changed:
            tensor = segment.tensor(part)
            if tensor is not None and part.kind != SLOT and tensor._node.op is not BUFFER:
                raise Untraceable("it changes a tensor and does not compute it")
        kept = _kept(segment, launch) if launch.writes else ()
        call.rounds[note.alive if launch.writes else None] = Round(launch, history(segment), kept, _groups(segment))


def _aliased(result: Any, segment: Segment) -> set[int]:
    """Places of tensors that show memory of others in a result, or whose memory is shown there."""
    if isinstance(result, list | tuple):
        return set().union(*(_aliased(value, segment) for value in result))
    if not isinstance(result, Tensor) or result._memory is None:
        return set()
    members = result._memory.members()
    return {t._slot for t in members if t._trace is segment} if any(t is not result for t in members) else set()


def _kept(segment: Segment, launch: Launch) -> tuple[int, ...]:
    """Calls before one that writes memory which may have to be executed after it."""
    wanted = set(history(segment) | segment.alive())
    kept: list[int] = []
    hidden = {
        index for index, tensor in enumerate(segment.outside)
        if tensor._node.op.kind is Kind.ASSIGN
    }  # fmt: skip
    for index in reversed(range(len(segment.path))):
        known = segment.path[index]
        made = set(range(known.first, known.first + len(known.made)))
        changed_slots = {p.what for p in known.changed if p.kind == SLOT}
        outside = {p.what if p.kind == SEEN else p.what.place for p in known.changed if p.kind != SLOT}
        if not (wanted & (made | changed_slots) or hidden & outside):
            continue
        if outside - hidden:
            raise Untraceable("a change would be made twice")
        kept.append(index)
        wanted |= set(slots_in((*known.parts, *known.before)))
        read = [p for part in known.parts for p in tensors_in(part) if p.kind != SLOT]
        if any((p.what if p.kind == SEEN else p.what.place) in launch.overwritten for p in read):
            raise Untraceable("a gradient needs what it overwrites")
    return tuple(reversed(kept))


def _groups(segment: Segment) -> tuple[tuple[int, ...], ...]:
    """Living tensors that show one memory, all of it."""
    found: dict[int, list[int]] = {}
    for slot, ref in enumerate(segment.slots):
        tensor = ref()
        if tensor is not None and slot in segment.real and tensor._memory is not None and not tensor._path:
            found.setdefault(id(tensor._memory), []).append(slot)
    return tuple([tuple(slots) for slots in found.values() if len(slots) > 1])


__all__ = ["Executed", "Learned", "has_history", "history"]
