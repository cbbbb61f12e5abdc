"""Whether a Python value is still the one that a recording has used."""

from __future__ import annotations

import math
from collections.abc import Collection
from operator import is_
from typing import Any

import numpy as np

SMALL = 256

MISSING: Any = object()
"""In the place of a name that is not there."""

_EXACT = (int, str, bytes, bool, complex, type(None), range, frozenset, slice, np.dtype)


def is_same(a: Any, b: Any) -> bool:
    """Whether two values are one object, or equal numbers, strings, or tuples of such, of one type.

    Tensors, functions and other objects are the same only as one object.
    """
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is float:
        return _same_number(a, b)
    if kind in _EXACT:
        return bool(a == b)
    if issubclass(kind, tuple):
        return len(a) == len(b) and all(map(is_same, a, b))
    if issubclass(kind, np.generic):
        return bool(a.tobytes() == b.tobytes())
    if kind.__name__ in ("method", "builtin_function_or_method"):
        return bool(a == b)
    return False


def _same_number(a: float, b: float) -> bool:
    if a == b:
        return a != 0 or math.copysign(1, a) == math.copysign(1, b)
    return a != a and b != b


class Contents:
    """What a list, dict, set, deque or array held."""

    __slots__ = ("_names", "_saved", "container")

    def __init__(self, container: Any) -> None:
        self.container = container
        self._saved = _copied(container)
        # of a dict, if strings; other keys are compared with their types
        self._names = (
            list(container) if isinstance(container, dict) and all(type(k) is str for k in container) else None
        )

    @property
    def is_small(self) -> bool:
        """Whether it is a list, or a dict from strings, of few elements."""
        kind = type(self.container)
        return (kind is list or (kind is dict and self._names is not None)) and len(self._saved) <= SMALL

    def hold(self) -> bool:
        """Whether it holds the same now."""
        now, saved = self.container, self._saved
        if isinstance(now, np.ndarray):
            return (now.shape, now.dtype, now.tobytes()) == saved
        if isinstance(now, dict):
            return (list(now) == self._names or _are_same(now, saved)) and _are_same(now.values(), saved.values())
        return bool(now == saved) if isinstance(now, set) else _are_same(now, saved)

    def has_only_grown(self) -> bool:
        """Whether a dict or set holds what it did, and more."""
        if isinstance(self.container, dict):
            return self._holds_all()
        return isinstance(self.container, set) and self.container >= self._saved

    def _holds_all(self) -> bool:
        return all(is_same(self.container.get(name, MISSING), value) for name, value in self._saved.items())


def _are_same(now: Collection[Any], saved: Collection[Any]) -> bool:
    """In order; quick where they are the same objects."""
    return len(now) == len(saved) and (all(map(is_, now, saved)) or all(map(is_same, now, saved)))


def _copied(container: Any) -> Any:
    if isinstance(container, np.ndarray):
        return container.shape, container.dtype, container.tobytes()
    if isinstance(container, dict):
        return dict(container)
    return set(container) if isinstance(container, set) else list(container)


__all__ = ["MISSING", "Contents", "is_same"]
