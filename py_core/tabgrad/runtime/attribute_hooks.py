"""While a step is recorded, classes tell which attributes of their objects are read and set.

Outside of recordings nothing is slower: the hooks are taken off when the last recording ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tabgrad.runtime.same_value import MISSING
from tabgrad.session import Session, current


class AttributeHooks:
    """Owned by the default session, whichever session records: a class is hooked once."""

    def __init__(self, session: Session) -> None:
        self._lock = threading.Lock()
        self._users: dict[type[Any], int] = {}
        self._replaced: dict[type[Any], dict[str, Any]] = {}

    def put_on(self, kind: type[Any]) -> bool:
        """Hook a class and all that derive from it; returns whether that is possible."""
        with self._lock:
            if not self._users.get(kind):
                replaced = {name: kind.__dict__.get(name, MISSING) for name in HOOKED}
                try:
                    for name, make in _HOOKS.items():
                        type.__setattr__(kind, name, make(getattr(kind, name)))
                except TypeError:  # a class written in C
                    return False
                self._replaced[kind] = replaced
            self._users[kind] = self._users.get(kind, 0) + 1
            return True

    def take_off(self, kind: type[Any]) -> None:
        """Undo one :meth:`put_on`."""
        with self._lock:
            self._users[kind] -= 1
            if self._users[kind]:
                return
            del self._users[kind]
            for name, value in self._replaced.pop(kind).items():
                if value is MISSING:
                    type.__delattr__(kind, name)
                else:
                    type.__setattr__(kind, name, value)


def _listener() -> Any:
    """Of the recording that the running code is part of."""
    capture = current().capture
    return capture.state if capture is not None and capture.owner[0] == threading.get_ident() else None


def _reading(original: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    def getattribute(self: Any, name: str) -> Any:
        if name[:2] == "__":
            return original(self, name)
        listener = _listener()
        try:
            value = original(self, name)
        except AttributeError:
            if listener is not None:
                listener.attribute_is_missing(self, name)
            raise
        if listener is not None:
            listener.attribute_is_read(self, name)
        return value

    return getattribute


def _setting(original: Callable[[Any, str, Any], None]) -> Callable[[Any, str, Any], None]:
    def setattr(self: Any, name: str, value: Any) -> None:
        listener = _listener()
        if listener is not None:
            listener.attribute_is_set(self, name)
        original(self, name, value)

    return setattr


def _deleting(original: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    def delattr(self: Any, name: str) -> None:
        listener = _listener()
        if listener is not None:
            listener.attribute_is_set(self, name)
        original(self, name)

    return delattr


_HOOKS: dict[str, Callable[[Any], Any]] = {
    "__getattribute__": _reading,
    "__setattr__": _setting,
    "__delattr__": _deleting,
}
HOOKED = tuple(_HOOKS)

__all__ = ["HOOKED", "AttributeHooks"]
