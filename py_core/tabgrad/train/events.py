"""What a run tells the world: plain dicts handed to one sink, which the page, Node or the command line sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Sink = Callable[[dict[str, Any]], None]

_sink: Sink | None = None


def set_sink(sink: Sink | None) -> None:
    """Send every event to ``sink`` from now on; ``None`` drops them."""
    global _sink
    _sink = sink


def show(event: dict[str, Any]) -> bool:
    """Hand an event on; whether there is a sink to see it."""
    emit(event)
    return _sink is not None


def emit(event: dict[str, Any]) -> None:
    """Hand an event on; it has a ``type`` and values that JSON can carry."""
    if _sink is not None:
        _sink(event)
