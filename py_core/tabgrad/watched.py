"""What recordings of steps depend on and what rarely changes: they are told, and look at it again."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, ClassVar, Protocol


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
        """From now on this one is notified of changes."""
        self._watchers.add(watcher)

    def changed(self) -> None:
        """Something was set, added or deleted."""
        for watcher in self._watchers:
            watcher.must_look = True

    def __deepcopy__(self, memo: dict[int, Any]) -> Watched:
        """A copy has no watchers yet."""
        return Watched()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "pickle: expected host data, got a module or an optimizer, whose tensors lie on a device; "
            "save its state_dict() with tabgrad.save"
        )


class WatchedAttributes:
    """Base of classes that tell recordings when an attribute is set; what is read is noted while a step is recorded."""

    _watched: Watched
    _machinery: ClassVar[frozenset[str]] = frozenset()
    """Attributes that hold the tables; changes of what is in them are told one by one."""

    def _leaves(self) -> Iterator[Any]:
        """The tensors that can be trained, here and below."""
        raise NotImplementedError(f"{type(self).__name__} does not say which tensors it holds")


__all__ = ["Watched", "WatchedAttributes", "Watcher"]
