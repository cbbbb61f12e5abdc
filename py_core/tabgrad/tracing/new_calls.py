"""Calls that are executed: noted, so that they are recognised when they come again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tabgrad.grad_mode import is_recording
from tabgrad.tracing.alike import numbers_at, siblings_of, similar, substituted, varying, widened
from tabgrad.tracing.call import Call
from tabgrad.tracing.learned import Executed, Learned, history
from tabgrad.tracing.number import Numbers, given
from tabgrad.tracing.pattern import TracedObject, Untraceable, parts_of
from tabgrad.tracing.recognise import Asked, Patterns, Recognised
from tabgrad.tracing.segment import Segment
from tabgrad.tracing.tree_walk import TreeWalk
from tabgrad.tracing.witness import Note

MOST_CALLS = 50_000  # in the tree, and then it is begun anew
LONGEST = 20_000  # calls of a trace
MOST_BRANCHES = 32  # calls of one function that have followed at one position


class NewCalls(TreeWalk):
    """Executes calls, and adds them to the tree."""

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
        args, kwargs, draws = asked.values[: asked.positional], asked.kwargs, self._session.generator.position
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
            if not note.numbers and self._session.generator.position != draws:
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
            return Patterns(given, owned, parts_of([t._grad for t in owners], segment))
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


__all__ = ["NewCalls"]
