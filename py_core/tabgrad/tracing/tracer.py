"""Follows the trace tree of a session: recognises calls, and executes and notes those that are new."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tabgrad.grad_mode import is_recording
from tabgrad.graph.node import BUFFER
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.tracing.alike import numbers_at, siblings_of, similar, substituted, varying, widened
from tabgrad.tracing.call import Call, Position, Round
from tabgrad.tracing.host_values import without_arrays
from tabgrad.tracing.learned import Executed, Learned, has_history, history
from tabgrad.tracing.number import Numbers, given
from tabgrad.tracing.pattern import CONSTANT, SEEN, SEQUENCE, SLOT, Part, TracedObject, Untraceable, parts_of
from tabgrad.tracing.pending import Pending
from tabgrad.tracing.recognise import Asked, Patterns, Recognised, checks_hold, recognised
from tabgrad.tracing.segment import Segment, has
from tabgrad.tracing.witness import Note

MOST_CALLS = 50_000  # in the tree, and then it is begun anew
LONGEST = 20_000  # calls of a trace
MOST_BRANCHES = 32  # calls of one function that have followed at one position


class Tracer(Pending):
    """A session's. Each call of a user's code on tensors goes through :meth:`call`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.enabled = True
        self.segment = Segment(self, session)
        self._root = Position()
        self._size = 0
        self._position: Position | None = self._root  # None: until a program has run, calls are just executed
        self._may_end = False  # whether the call before ran a program: here a round of a loop may be over
        self._thread = 0
        self._moves = 0
        self._is_stale = False
        self.why = ""  # why calls were last executed without a place in the tree
        self.followed = 0  # calls that were recognised, and not executed

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
            asked, known = self._known(asked)
            if known is not None and not self.segment.is_real:
                chosen = self._round(known.call, known.found)
                if (chosen is not None or not known.call.rounds) and checks_hold(known, self.segment):
                    return self._follow(known, chosen, asked)
            return self._execute(asked, known)

    def _known(self, asked: Asked) -> tuple[Asked, Recognised | None]:
        """The call, with tensors in place of arrays, and what is known of it."""
        position = self._position
        if position is None:
            return asked, None
        if self._is_stale or self._moves != self._session.moves:
            self.forget()
            return asked, None
        found = recognised(position, self.segment, asked)
        if found is None and (plain := without_arrays(asked)) is not None:
            asked = plain
            found = recognised(position, self.segment, asked)
        if self._may_end:
            self._may_end = False
            if found is None and self._ends(asked):
                self._begin()
                found = recognised(self._root, self.segment, asked)
        return asked, found

    def _round(self, call: Call, found: list[Tensor]) -> Round | None:
        """Of a call that runs a program: which, if it can now."""
        if not call.rounds:
            return None
        segment = self.segment
        chosen = call.rounds.get(None) or call.rounds.get(segment.alive())
        if chosen is None or not chosen.launch.prepare([*segment.outside, *found], segment):
            return None
        return chosen

    def _ends(self, asked: Asked) -> bool:
        """Whether a call that nothing is known of begins a round: it uses nothing that was made in this one."""
        segment = self.segment
        if segment.gradients & segment.alive():
            return False
        given = [*asked.values, *(t.grad for t in asked.owners or ())]
        return not any(t._trace is segment and t._slot >= 0 for t in _tensors(given))

    # Known calls

    def _follow(self, known: Recognised, chosen: Round | None, asked: Asked) -> Any:
        call, found, owned, given = known
        segment = self.segment
        length = len(segment.path)
        try:
            for tensor in found:
                segment.enter(tensor)
            segment.aliased |= call.aliased
            numbers = segment.numbers
            segment.path.append(call)
            segment.bases.append(len(numbers))
            if call.varied is not None:
                numbers += given
            for ask in call.numbers:
                numbers.append(ask())  # one by one: some are computed of those before
            if call.is_immediate:
                result = self._plain(asked)
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

    def _defer(self, call: Call, owned: list[Tensor | None], chosen: Round | None) -> Any:
        """What a known call returns, without a value; and its program, if it has one, runs."""
        segment = self.segment
        made = [segment.defer(m) for m in call.made]
        for owner, part in zip(owned, call.after, strict=True):
            if owner is not None:
                owner.grad = _made_or(part, made, call.first, segment)
            if part.kind == SLOT:
                segment.gradients.add(part.what)
        if call.changed:
            self._change(call)
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

    def _change(self, call: Call) -> None:
        """Tensors are about to be changed in place."""
        if self._left:
            self._catch_up_left()
        segment = self.segment
        for part, requires_grad in zip(call.changed, call.asked, strict=True):
            if part.kind == SLOT:
                segment.changed.add(part.what)
                tensor = segment.slots[part.what]()
                if tensor is not None:
                    tensor._requires_grad = requires_grad

    def _undo(self, call: Call, owned: list[Tensor | None], length: int) -> None:
        """A call could not be deferred, or its program could not run: it was not made; those before it are executed."""
        segment = self.segment
        del segment.path[length:], segment.bases[length:], segment.slots[call.first :]
        segment.pending = [place for place in segment.pending if place < length]
        for owner, part in zip(owned, call.before, strict=True):
            if owner is not None:
                owner.grad = segment.tensor(part)
        self.catch_up()
        self._lose("an exception")

    def _ran(self, chosen: Round) -> None:
        """After a program: a round of a loop may be over."""
        segment, launch = self.segment, chosen.launch
        for index in launch.settled:
            segment.show(index)
        if launch.writes:
            segment.pending = list(chosen.kept)
        segment.groups = chosen.groups
        self._end_if_done(chosen.history)

    def _end_if_done(self, history: Iterable[int]) -> None:
        segment = self.segment
        if segment.any_alive(history):
            return
        if segment.is_needed():
            self._may_end = True
        else:
            self._begin()

    def _begin(self) -> None:
        """A new round begins at the root of the tree."""
        self._leave(self.segment)
        self.segment = Segment(self, self._session)
        self._position = self._root
        self._may_end = False

    def _lose(self, why: str = "") -> None:
        """Where this is, is not known: calls are just executed until a program has run."""
        if self._position is not None:
            self.why = why
            self._position = None
            self.segment.is_open = False
            if not self.segment.hidden and not self.segment.pending:
                self.segment.clear()

    def forget(self) -> None:
        """Begin the tree anew: memory has moved or is no more, or there is too much of it."""
        self.catch_up()
        self._lose()
        self._root, self._size, self._is_stale = Position(), 0, False
        self._moves = self._session.moves

    def gone(self, _: object) -> None:
        """A model or an optimizer is no more: its programs are to let go of its memory."""
        self._is_stale = True

    def _plain(self, asked: Asked) -> Any:
        with self._working():
            return asked.fn(*asked.values[: asked.positional], **asked.kwargs)

    # New calls

    def _execute(self, asked: Asked, known: Recognised | None) -> Any:
        self.catch_up()
        segment = self.segment
        segment.is_real = True
        patterns = self._patterns(asked) if self._position is not None else None
        base, first, records = len(segment.numbers), len(segment.slots), is_recording()
        numbers: list[Any] = []
        varied = None
        if known is not None and patterns is not None:
            patterns, numbers, varied = patterns._replace(given=known.call.parts), known.numbers, known.call.varied
        elif patterns is not None:
            patterns, numbers = self._widened(asked, patterns)
            varied = Numbers(len(numbers), base) if numbers else None
        args, kwargs, draws = asked.values[: asked.positional], asked.kwargs, self._session.generator.draw
        if patterns is not None and varied is not None:
            segment.numbers += numbers
            args, kwargs = _varying(asked, patterns, varied, segment)
        note = self._begin_note(asked, patterns)
        try:
            result = asked.fn(*args, **kwargs)
        except BaseException:
            self._lose()
            raise
        finally:
            self._busy, self.note, self._session.constants = False, None, None
        if note is not None and patterns is not None:
            if not note.numbers and self._session.generator.draw != draws:
                note.once = "it draws random numbers on the host"
            executed = Executed(asked, patterns, result, records, first, varied)
            self._learn(executed, None if known is None else known.call, note, base)
        if self._launched and self._position is None:
            self._begin()
        return result

    def _begin_note(self, asked: Asked, patterns: Patterns | None) -> Note | None:
        self._busy, self._launched = True, False
        self.note = None if patterns is None else Note([v for v in asked.values if isinstance(v, TracedObject)])
        self._session.constants = None if patterns is None else self.segment.constants
        return self.note

    def _learn(self, executed: Executed, known: Call | None, note: Note, base: int) -> None:
        asked, patterns, *_, varied = executed
        position = self._position
        if varied is not None and varied.is_fixed:
            if position is not None:
                position.fixed.add(asked.fn)
            note.once = "a number decides what it does"
        try:
            call = Learned(self.segment, note, asked.owners).call(executed)
        except Untraceable as reason:
            self._lose(f"{asked.fn.__name__}: {reason}")
            return
        if known is None and position is not None:
            others = similar(siblings_of(position, asked.fn), asked, patterns, _kinds(asked.fn))
            call.next.siblings = [other.next for other, _ in others]
        self._enter(call, known, note, base)

    def _widened(self, asked: Asked, patterns: Patterns) -> tuple[Patterns, list[Any]]:
        """The patterns with numbers that may differ, where such calls had others before; and these numbers."""
        position, fn = self._position, asked.fn
        if position is None or any(fn in at.fixed for at in (position, *position.siblings)):
            return patterns, []
        others = similar(siblings_of(position, fn), asked, patterns, _kinds(fn)) if patterns.given else []
        places = varying(others, patterns.given) if others else set()
        if not places:
            return patterns, []
        return patterns._replace(given=widened(patterns.given, places)), numbers_at(patterns.given, places)

    def _patterns(self, asked: Asked) -> Patterns | None:
        owners, segment = asked.owners or (), self.segment
        try:
            given, owned = parts_of(asked.values, segment), parts_of(owners, segment)
            return Patterns(given, owned, parts_of([t.grad for t in owners], segment))
        except Untraceable as reason:
            self._lose(str(reason))
            return None

    def _enter(self, call: Call, known: Call | None, note: Note, base: int) -> None:
        """Go on behind a call that was executed."""
        position, segment = self._position, self.segment
        assert position is not None
        if known is None:
            alike = position.calls.setdefault(call.fn, [])
            self._size += 1
            if len(alike) >= MOST_BRANCHES or self._size > MOST_CALLS or len(segment.path) > LONGEST:
                if self._size > MOST_CALLS:
                    self.forget()
                self._lose()
                return
            alike.insert(0 if call.varied is not None else len(alike), call)
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

    def settles_all(self) -> bool:
        """Whether writes that wait are to be done by the program that runs next."""
        return self._position is None or not has_history(self.segment)


def _varying(
    asked: Asked, patterns: Patterns, varied: Numbers, segment: Segment
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments, with a :class:`Number` for each that may differ."""
    index = itertools.count()
    values = substituted(patterns.given, asked.values, lambda value: given(varied, segment, value, next(index)))
    names = list(asked.kwargs)
    return values[: asked.positional], dict(zip(names, values[asked.positional :], strict=True))


def _kinds(fn: Callable[..., Any]) -> tuple[type, ...]:
    """Types of numbers that may differ from call to call of a function."""
    floats = (float, np.float64)
    return (*floats, int) if getattr(fn, "varying_ints", False) else floats


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
