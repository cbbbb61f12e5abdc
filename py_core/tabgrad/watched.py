"""What recordings of steps depend on and what rarely changes: they are told, and look at it again."""

from __future__ import annotations

import weakref
from typing import Any, Protocol


class Watcher(Protocol):
    """A recording."""

    must_look: bool
    """Whether something that it depends on may have changed."""


class Watched:
    """Tables of one module or optimizer."""

    __slots__ = ("_watchers",)

    def __init__(self) -> None:
        self._watchers: weakref.WeakSet[Watcher] = weakref.WeakSet()

    def used_by(self, watcher: Watcher) -> None:
        """From now on this one is told of changes."""
        self._watchers.add(watcher)

    def changed(self) -> None:
        """Something was set, added or deleted."""
        for watcher in self._watchers:
            watcher.must_look = True

    def __deepcopy__(self, memo: dict[int, Any]) -> Watched:
        """Nobody watches a copy yet."""
        return Watched()


__all__ = ["Watched", "Watcher"]
