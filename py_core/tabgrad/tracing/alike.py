"""Calls that differ in nothing but Python numbers: their pattern, and the arguments of one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tabgrad.grad_mode import is_recording
from tabgrad.tracing.call import Call, Position
from tabgrad.tracing.number import may_vary
from tabgrad.tracing.pattern import CONSTANT, NEW, NUMBER, OBJECT, RANGE, SEQUENCE, Part, is_same
from tabgrad.tracing.recognise import Asked, Patterns

SEEN_BEFORE = 2  # other numbers in the same place, from which on it is expected that they go on to differ
MOST_ATTEMPTS = 4  # patterns with numbers that may differ, among the calls of one function at one position

Place = tuple[int, ...]
"""Of an argument: its number; of one in a sequence: those of all sequences that it is in, too."""


def differences(old: Sequence[Part], new: Sequence[Part], kinds: tuple[type, ...]) -> list[Place] | None:
    """Where numbers of some types differ, or may; None if anything else does."""
    found: list[Place] = []
    if len(old) != len(new):
        return None
    for n, (a, b) in enumerate(zip(map(_opened, old), map(_opened, new), strict=True)):
        if NUMBER in (a.kind, b.kind):
            if _type_of(a) is not _type_of(b):
                return None
            found.append((n,))
        elif a.kind != b.kind:
            return None
        elif a.kind == CONSTANT:
            if is_same(a.what, b.what):
                continue
            if type(a.what) is not type(b.what) or type(a.what) not in kinds:
                return None
            found.append((n,))
        elif a.kind in (SEQUENCE, RANGE):
            inner = differences(a.more, b.more, kinds) if a.what is b.what else None
            if inner is None:
                return None
            found += [(n, *place) for place in inner]
        elif a.kind == NEW:
            if a.what[:-1] != b.what[:-1]:
                return None
        elif a.kind == OBJECT:
            if a.what.object() is not b.what.object() or a.what.state != b.what.state:
                return None
        elif a != b:
            return None
    return found


def similar(
    calls: Iterable[Call], asked: Asked, patterns: Patterns, kinds: tuple[type, ...]
) -> list[tuple[Call, list[Place]]]:
    """Those that differ from a call in nothing but numbers, and where they do."""
    found = []
    records, names = is_recording(), tuple(asked.kwargs)
    owned = (*patterns.owners, *patterns.before)
    for other in calls:
        if other.count != asked.positional or other.names != names or other.records is not records:
            continue
        places = differences(other.parts, patterns.given, kinds)
        if places is None:
            continue
        if asked.owners is None or differences((*other.owners, *other.before), owned, ()) == []:
            found.append((other, places))
    return found


def varying(alike: Sequence[tuple[Call, list[Place]]], parts: Sequence[Part]) -> set[Place]:
    """Where numbers are expected to differ: these have differed before. None, if this round's cannot be scalars."""
    if sum(call.varied is not None for call, _ in alike) >= MOST_ATTEMPTS or any(
        call.varied is not None and call.varied.is_fixed for call, _ in alike
    ):
        return set()
    others: dict[Place, set[Any]] = {}
    for call, places in alike:
        for place in places:
            part = _at(call.parts, place)
            others.setdefault(place, set()).update([part.what] if part.kind == CONSTANT else range(SEEN_BEFORE))
    found = {place for place, values in others.items() if len(values) >= SEEN_BEFORE}
    return found if all(may_vary(_at(parts, place).what, False) for place in found) else set()


def _at(parts: Sequence[Part], place: Place) -> Part:
    part = _opened(parts[place[0]])
    return _at(part.more, place[1:]) if place[1:] else part


def widened(parts: Sequence[Part], places: set[Place]) -> tuple[Part, ...]:
    """The pattern with numbers that may differ at some places."""
    found = []
    for n, part in enumerate(parts):
        inner = {place[1:] for place in places if place[0] == n}
        if () in inner:
            found.append(Part(NUMBER, type(part.what)))
        elif inner:
            opened = _opened(part)
            found.append(Part(opened.kind, opened.what, widened(opened.more, inner)))
        else:
            found.append(part)
    return tuple(found)


def numbers_at(parts: Sequence[Part], places: set[Place]) -> list[Any]:
    """The numbers at some places, in order."""
    return [_at(parts, place).what for place in sorted(places)]


def substituted(parts: Sequence[Part], values: Sequence[Any], make: Callable[[Any], Any]) -> list[Any]:
    """The arguments of a call, with what ``make`` makes of each number that may differ in its place."""
    found = []
    for part, value in zip(parts, values, strict=True):
        if part.kind == NUMBER:
            found.append(make(value))
        elif part.kind == RANGE:
            found.append(slice(*substituted(part.more, (value.start, value.stop, value.step), make)))
        elif part.kind == SEQUENCE:
            found.append(part.what(substituted(part.more, value, make)))
        else:
            found.append(value)
    return found


def _type_of(part: Part) -> Any:
    """Of a number."""
    return part.what if part.kind == NUMBER else type(part.what)


def _opened(part: Part) -> Part:
    """A slice as a sequence of its numbers."""
    if part.kind != CONSTANT or not isinstance(part.what, slice):
        return part
    return Part(RANGE, slice, tuple([Part(CONSTANT, n) for n in (part.what.start, part.what.stop, part.what.step)]))


def siblings_of(position: Position, fn: Callable[..., Any]) -> list[Call]:
    """Calls of a function that came at a position, and at those that differ from it in numbers before them."""
    return [call for at in (position, *position.siblings) for call in at.calls.get(fn, ())]


__all__ = ["differences", "numbers_at", "siblings_of", "similar", "substituted", "varying", "widened"]
