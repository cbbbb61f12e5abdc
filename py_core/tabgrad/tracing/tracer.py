"""Follows the trace tree of a session: recognises calls, and executes and notes those that are new."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tabgrad.grad_mode import is_recording
from tabgrad.graph.node import BUFFER, Node
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.tracing.call import Call, Launch, Note, Position, Round
from tabgrad.tracing.learned import Learned, has_history, history
from tabgrad.tracing.pattern import CONSTANT, SEEN, SEQUENCE, SLOT, Part, TracedObject, Untraceable, parts_of
from tabgrad.tracing.pending import execute_pending
from tabgrad.tracing.recognise import Asked, Recognised, checks_hold, recognised
from tabgrad.tracing.segment import Segment, has

MOST_CALLS = 50_000  # in the tree, and then it is begun anew
LONGEST = 20_000  # calls of a trace
MOST_BRANCHES = 32  # calls of one function that have followed at one position


class Tracer:
    """A session's. Each call of a user's code on tensors goes through :meth:`call`."""

    def __init__(self, session: Session) -> None:
        self.enabled = True
        self._session = session
        self._root = Position()
        self._size = 0
        self._position: Position | None = self._root  # None: until a program has run, calls are just executed
        self._segment = Segment(self, session)
        self._left: list[weakref.ref[Segment]] = []  # segments that are over, with tensors that are lazy still
        self._may_end = False  # whether the call before ran a program: here a round of a loop may be over
        self._busy = False  # calls inside of calls are part of them
        self._note: Note | None = None
        self._given: Iterator[tuple[int, Any]] | None = None  # numbers of calls that are executed late
        self._thread = 0
        self._launched = False
        self._moves = 0
        self._is_stale = False
        self.why = ""  # why calls were last executed without a place in the tree
        self.followed = 0  # calls that were recognised, and not executed
        session.before_lazy = self.catch_up_all

    # Calls

    def call(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        owners: Sequence[Tensor] | None = None,
    ) -> Any:
        """What ``fn(*args, **kwargs)`` returns.

        Args:
            owners: tensors whose ``.grad`` it reads or sets, where these are known before.
        """
        session = self._session
        if not self.enabled or session.capture is not None or (self._busy and self._thread == threading.get_ident()):
            return fn(*args, **kwargs)
        with session.lock:
            self._thread = threading.get_ident()
            if session.profiler is not None or session.observer is not None:
                self.catch_up()
                self._lose()
                return fn(*args, **kwargs)
            values = [*args, *kwargs.values()] if kwargs else args
            asked = Asked(fn, len(args), kwargs, values, owners)
            known = self._known(asked)
            if known is not None and not self._segment.is_real:
                chosen = self._round(known.call, known.found)
                if (chosen is not None or not known.call.rounds) and checks_hold(known, self._segment):
                    return self._follow(known, chosen, args, kwargs)
            return self._execute(asked, args, None if known is None else known.call)

    def _known(self, asked: Asked) -> Recognised | None:
        position = self._position
        if position is None:
            return None
        if self._is_stale or self._moves != self._session.moves:
            self.forget()
            return None
        found = recognised(position, self._segment, asked)
        if self._may_end:
            self._may_end = False
            if found is None and self._ends(asked):
                self._begin()
                found = recognised(self._root, self._segment, asked)
        return found

    def _round(self, call: Call, found: list[Tensor]) -> Round | None:
        """Of a call that runs a program: which, if it can now."""
        if not call.rounds:
            return None
        segment = self._segment
        chosen = call.rounds.get(None) or call.rounds.get(segment.alive())
        if chosen is None or not chosen.launch.prepare([*segment.outside, *found], segment):
            return None
        return chosen

    def _ends(self, asked: Asked) -> bool:
        """Whether a call that nothing is known of begins a round: it uses nothing that was made in this one."""
        segment = self._segment
        if segment.gradients & segment.alive():
            return False
        given = [*asked.values, *(t.grad for t in asked.owners or ())]
        return not any(t._trace is segment and t._slot >= 0 for t in _tensors(given))

    # Known calls

    def _follow(self, known: Recognised, chosen: Round | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call, found, owned = known
        segment = self._segment
        length = len(segment.path)
        try:
            for tensor in found:
                segment.enter(tensor)
            segment.aliased |= call.aliased
            numbers = [ask() for ask in call.numbers]
            segment.path.append(call)
            segment.bases.append(len(segment.numbers))
            segment.numbers += numbers
            if call.is_immediate:
                result = self._plain(call.fn, args, kwargs)
            else:
                segment.pending.append(length)
                result = self._defer(call, owned, chosen)
        except BaseException:
            self._undo(call, owned, length)
            raise
        self._position = call.next
        self.followed += 1
        if chosen is not None:
            self._ran(chosen)
        return result

    def _defer(self, call: Call, owned: list[Tensor], chosen: Round | None) -> Any:
        """What a known call returns, without a value; and its program, if it has one, runs."""
        segment = self._segment
        made = [segment.defer(m) for m in call.made]
        for owner, part in zip(owned, call.after, strict=True):
            owner.grad = _made_or(part, made, call.first, segment)
            if part.kind == SLOT:
                segment.gradients.add(part.what)
        if call.changed and self._left:
            self._catch_up_left()
        if chosen is None:
            for part in call.changed:
                if part.kind == SLOT:
                    segment.outdate(part.what)
                else:
                    segment.hide(part.what if part.kind == SEEN else part.what.place)
        result = None if call.result is None else _result(call.result, made, call.first, segment)
        if chosen is not None:
            with self._working():
                if chosen.launch.writes:
                    self._catch_up_left()
                chosen.launch.run(segment)
        return result

    def _undo(self, call: Call, owned: list[Tensor], length: int) -> None:
        """A call could not be deferred, or its program could not run: it was not made; those before it are executed."""
        segment = self._segment
        del segment.path[length:], segment.bases[length:], segment.slots[call.first :]
        segment.pending = [place for place in segment.pending if place < length]
        for owner, part in zip(owned, call.before, strict=True):
            owner.grad = segment.tensor(part)
        self.catch_up()
        self._lose("an exception")

    def _ran(self, chosen: Round) -> None:
        """After a program: a round of a loop may be over."""
        segment, launch = self._segment, chosen.launch
        for index in launch.settled:
            segment.show(index)
        if launch.writes:
            segment.pending = list(chosen.kept)
        segment.groups = chosen.groups
        self._end_if_done(chosen.history)

    def _end_if_done(self, history: Iterable[int]) -> None:
        segment = self._segment
        if segment.any_alive(history):
            return
        if segment.is_needed():
            self._may_end = True
        else:
            self._begin()

    def _begin(self) -> None:
        """A new round begins at the root of the tree."""
        old = self._segment
        if old.close():
            self._left = [ref for ref in self._left if ref() is not None]
            self._left.append(weakref.ref(old))
        self._segment = Segment(self, self._session)
        self._position = self._root
        self._may_end = False

    def _lose(self, why: str = "") -> None:
        """Where this is, is not known: calls are just executed until a program has run."""
        if self._position is not None:
            self.why = why
            self._position = None
            self._segment.is_open = False
            if not self._segment.hidden and not self._segment.pending:
                self._segment.clear()

    def forget(self) -> None:
        """Begin the tree anew: memory has moved or is no more, or there is too much of it."""
        self.catch_up()
        self._lose()
        self._root, self._size, self._is_stale = Position(), 0, False
        self._moves = self._session.moves

    def gone(self, _: object) -> None:
        """A model or an optimizer is no more: its programs are to let go of its memory."""
        self._is_stale = True

    # Execution put off

    def catch_up(self, segment: Segment | None = None) -> None:
        """Execute the calls that were recognised only, as they would have been."""
        segment = segment or self._segment
        if not segment.pending and not segment.hidden:
            return
        with self._session.lock, self._working():
            segment.is_real = True
            execute_pending(segment, self._give)

    def catch_up_all(self) -> None:
        """As :meth:`catch_up`, also of segments that are over: before somebody goes through all lazy tensors."""
        if not self._busy:
            self.catch_up()
        self._catch_up_left()

    def _catch_up_left(self) -> None:
        left, self._left = self._left, []
        for ref in left:
            segment = ref()
            if segment is not None and segment.is_needed():
                self.catch_up(segment)
                segment.clear()

    def _give(self, numbers: Iterator[tuple[int, Any]]) -> None:
        self._given = numbers

    @contextmanager
    def _working(self) -> Iterator[None]:
        busy, note, given = self._busy, self._note, self._given
        self._busy, self._note, self._given = True, None, None
        try:
            yield
        finally:
            self._busy, self._note, self._given = busy, note, given

    def _plain(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with self._working():
            return fn(*args, **kwargs)

    # New calls

    def _execute(self, asked: Asked, args: tuple[Any, ...], known: Call | None) -> Any:
        fn, _, kwargs, values, owners = asked
        self.catch_up()
        segment = self._segment
        segment.is_real = True
        parts = self._parts(values, owners, segment) if self._position is not None else None
        records, draws = is_recording(), self._session.generator.draw
        note = self._note = None if parts is None else Note([v for v in values if isinstance(v, TracedObject)])
        self._session.constants = None if note is None else segment.constants
        self._busy, self._launched = True, False
        base, first = len(segment.numbers), len(segment.slots)
        try:
            result = fn(*args, **kwargs)
        except BaseException:
            self._lose()
            raise
        finally:
            self._busy, self._note, self._session.constants = False, None, None
        if note is not None and parts is not None:
            if not note.numbers and self._session.generator.draw != draws:
                note.once = "it draws random numbers on the host"
            try:
                call = Learned(segment, note, owners).call(fn, args, kwargs, parts, result, records, first)
            except Untraceable as reason:
                self._lose(f"{fn.__name__}: {reason}")
            else:
                self._enter(call, known, note, base)
        if self._launched and self._position is None:
            self._begin()
        return result

    def _parts(
        self, values: Sequence[Any], owners: Sequence[Tensor] | None, segment: Segment
    ) -> tuple[tuple[Part, ...], tuple[Part, ...], tuple[Part, ...]] | None:
        try:
            parts = parts_of(values, segment)
            owned = parts_of(owners or (), segment)
            return parts, owned, parts_of([t.grad for t in owners or ()], segment)
        except Untraceable as reason:
            self._lose(str(reason))
            return None

    def _enter(self, call: Call, known: Call | None, note: Note, base: int) -> None:
        """Go on behind a call that was executed."""
        position, segment = self._position, self._segment
        assert position is not None
        if known is None:
            alike = position.calls.setdefault(call.fn, [])
            self._size += 1
            if len(alike) >= MOST_BRANCHES or self._size > MOST_CALLS or len(segment.path) > LONGEST:
                if self._size > MOST_CALLS:
                    self.forget()
                self._lose()
                return
            alike.append(call)
        else:
            known.rounds.update(call.rounds)
            call = known
        segment.path.append(call)
        segment.bases.append(base)
        self._position = call.next
        if note.launches:
            self._end_if_done(next(iter(call.rounds.values())).history if known is None else history(segment))

    def has_deferred(self, tensors: Iterable[Tensor]) -> bool:
        """Whether computing these may be a call that came before."""
        return any(not has(t, "_node") or t._node.op is not BUFFER for t in tensors)

    # What is seen while a call is executed

    @property
    def note(self) -> Note | None:
        """What is noted about the call that is being executed, if it may come again."""
        return self._note

    def number(self, node: Node) -> Any:
        """The number that a scalar holds in the run to come."""
        segment = self._segment
        if self._given is not None:
            index, value = next(self._given)
            segment.scalars[id(node)] = node, index
            return value
        assert node.provider is not None
        value = node.provider()
        if self._note is not None:
            self._note.numbers.append(node.provider)
            segment.scalars[id(node)] = node, len(segment.numbers)
            segment.numbers.append(value)
        return value

    def changes(self, tensor: Tensor) -> None:
        """A tensor is about to be changed in place."""
        if self._left:
            self._catch_up_left()
        if self._note is not None:
            self._note.changed[id(tensor)] = tensor

    def sets_grad(self, tensor: Tensor) -> None:
        """A tensor's ``.grad`` is set or changed."""
        if self._note is not None:
            self._note.grads.setdefault(id(tensor), (tensor, tensor.grad))

    def check(self, tensor: Tensor, check: Callable[[Tensor], None]) -> None:
        """Look at a value that lies on the host, in each round."""
        check(tensor)
        if self._note is not None:
            self._note.checks.append((tensor, check))

    def happens_once(self, what: str) -> None:
        """The call does what it would not do again."""
        if self._note is not None:
            self._note.once = what

    def launches(self, make: Callable[[Segment, set[int]], Launch]) -> None:
        """A program is about to run."""
        self._launched = True
        if self._note is not None:
            if self._note.launches:
                self._note.once = "it runs several programs"
                return
            self._note.alive = self._segment.alive()
            try:
                self._note.launches.append(make(self._segment, self._own_storages()))
            except Untraceable as reason:
                self._note.once = str(reason)

    def _own_storages(self) -> set[int]:
        assert self._note is not None
        state = [s for value in self._note.objects for s in value._traced_storages()]
        return {id(s) for s in (*self._segment.constants, *state)}

    def settles_all(self) -> bool:
        """Whether writes that wait are to be done by the program that runs next."""
        return self._position is None or not has_history(self._segment)


def _tensors(values: Iterable[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif type(value) in (list, tuple):
            yield from _tensors(value)


def _made_or(part: Part, made: list[Tensor], first: int, segment: Segment) -> Tensor | None:
    if part.kind == SLOT and part.what >= first:
        return made[part.what - first]
    return segment.tensor(part)


def _result(part: Part, made: list[Tensor], first: int, segment: Segment) -> Any:
    if part.kind == SEQUENCE:
        values = [_result(p, made, first, segment) for p in part.more]
        return part.what(*values) if hasattr(part.what, "_fields") else part.what(values)
    return part.what if part.kind == CONSTANT else _made_or(part, made, first, segment)


__all__ = ["Tracer"]
