"""The recordings of one compiled step: found by what it is called with, and no more of them than a bound."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from tabgrad.runtime.same_value import is_same

MOST_RECORDINGS = 64  # per step; the one used longest ago is dropped for a new one
WARN_FROM = 16  # values of one argument


class Recording(Protocol):
    """What is kept."""

    used: int

    @property
    def values(self) -> list[tuple[str, Any]]:
        """What it has read of Python's state: names in words, and values."""

    @property
    def is_stale(self) -> bool:
        """Whether it can never be used again."""

    def takes(self, args: tuple[Any, ...]) -> bool:
        """Whether its signature is that of these positional arguments; may deny it where that takes time to tell."""

    def holds(self) -> bool:
        """Whether it still describes what the function would do."""

    def drop(self) -> None:
        """Release what it holds on the device."""


R = TypeVar("R", bound=Recording)


class Recordings(Generic[R]):
    """By signature of the arguments; several of one signature differ in Python values that the step has read."""

    def __init__(self, fn: Callable[..., Any], name: str) -> None:
        self._fn, self._name = fn, name
        self._known: dict[Hashable, list[R]] = {}
        self._count = self._clock = 0
        self._newest: R | None = None
        self._warned = False

    def __iter__(self) -> Iterator[R]:
        return (recorded for known in self._known.values() for recorded in known)

    def __len__(self) -> int:
        return self._count

    def find(self, signature: Hashable) -> R | None:
        """The recording that serves a call."""
        for recorded in self._known.get(signature, ()):
            if recorded.holds():
                self._use(recorded)
                return recorded
        return None

    def again(self, args: tuple[Any, ...]) -> R | None:
        """The recording that served the call before, if it serves one with these arguments as well."""
        newest = self._newest
        if newest is None or not newest.takes(args) or not newest.holds():
            return None
        self._clock += 1
        newest.used = self._clock
        return newest

    def _use(self, recorded: R) -> None:
        self._clock += 1
        recorded.used = self._clock
        self._newest = recorded

    def add(self, signature: Hashable, recorded: R) -> None:
        """Keep a new one; those that are of no more use are dropped, and the oldest where there are too many."""
        self._use(recorded)
        for key, known in list(self._known.items()):
            for old in [r for r in known if r.is_stale]:
                self._drop(key, old)
        self._known.setdefault(signature, []).append(recorded)
        self._count += 1
        self._warn(self._known[signature])
        if self._count > MOST_RECORDINGS:
            self._drop(
                *min(((k, r) for k, known in self._known.items() for r in known), key=lambda found: found[1].used)
            )

    def _drop(self, key: Hashable, old: R) -> None:
        known = self._known[key]
        known.remove(old)
        if old is self._newest:
            self._newest = None
        self._count -= 1
        if not known:
            del self._known[key]
        old.drop()

    def _warn(self, alike: list[R]) -> None:
        """Say once which argument, or which variable that it reads, takes another value at each call."""
        if self._warned or self._count < WARN_FROM:
            return
        name, values, constant = self._most_varied()
        if values >= (WARN_FROM if constant else MOST_RECORDINGS + 1):
            what, remedy = (
                ("values", f"pass what changes from call to call as a tensor, for example tabgrad.tensor({name})")
                if constant
                else ("shapes", "pad it to a few shapes")
            )
            name = f"its argument '{name}'"
        else:
            name, values = _most_varied_variable(alike)
            what, remedy = "values", "pass it as a tensor argument, or keep it in a tensor and write it with copy_()"
            if values < WARN_FROM:
                return
        self._warned = True
        warnings.warn(
            f"compile: {self._name!r} has been recorded for {values} {what} of {name}, each of which takes time and "
            f"memory, and keeps the newest {MOST_RECORDINGS}; {remedy}",
            stacklevel=5,
        )

    def _most_varied(self) -> tuple[str, int, bool]:
        """The argument with the most values among the recordings; how many, and whether they are constants."""
        seen: dict[str, set[Any]] = {}
        for signature in self._known:
            for name, part in self._named(signature):
                seen.setdefault(name, set()).add(part)
        if not seen:
            return "", 0, False
        name = max(seen, key=lambda n: len(seen[n]))
        return name, len(seen[name]), all(isinstance(part[0], type) for part in seen[name])

    def _named(self, signature: Any) -> list[tuple[str, Any]]:
        """The parts of a signature, which follows the session in a key, by the names of the arguments."""
        _, (_, (args, kwargs)) = signature
        try:
            parameters = list(inspect.signature(self._fn).parameters.values())
        except (TypeError, ValueError):
            parameters = []
        plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        named = [(plain[n] if n < len(plain) else f"number {n + 1}", part) for n, part in enumerate(args[1])]
        return named + list(kwargs[1])


def _most_varied_variable(alike: list[R]) -> tuple[str, int]:
    """Of recordings for one signature: the name with the most values, and how many."""
    seen: dict[str, list[Any]] = {}
    for label, value in (pair for recorded in alike for pair in recorded.values):
        known = seen.setdefault(label, [])
        if not any(is_same(value, other) for other in known):
            known.append(value)
    name = max(seen, key=lambda n: len(seen[n]), default="")
    return name, len(seen.get(name, ()))


__all__ = ["Recordings"]
