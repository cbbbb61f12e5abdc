"""Values that are others for a while; importable without pytest, unlike its fixture of that kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Change = tuple[Any, str, Any]
"""``(object, name, value)``"""


@contextmanager
def patched(*changes: Change) -> Iterator[None]:
    """Inside, each object's attribute has the value given."""
    before = [getattr(owner, name) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for (owner, name, _), value in zip(changes, before, strict=True):
            setattr(owner, name, value)
