"""The sink of events, which the page, Node or the command line sets; events are dicts.

:mod:`tabgrad.messages` declares them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tabgrad.messages import TabgradEvent
from tabgrad.session import Session, current
from tabgrad.tuner import TunerRegistry

Sink = Callable[[dict[str, Any]], None]


class Events:
    """A session's sink of events, including the tuner's."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sink: Sink | None = None

    def set_sink(self, sink: Sink | None) -> Sink | None:
        """Send every event to ``sink``; ``None`` drops them. Returns the previous sink."""
        before, self._sink = self._sink, sink
        self._session.own(TunerRegistry).listener = None if sink is None else self._show
        return before

    def emit(self, event: TabgradEvent | dict[str, Any]) -> None:
        """Send an event: a dict with a ``type`` and JSON values."""
        if self._sink is not None:
            self._sink(event if isinstance(event, dict) else event.to_json())

    def _show(self, event: dict[str, Any]) -> bool:
        self.emit(event)
        return True


def set_sink(sink: Sink | None) -> Sink | None:
    """Send every event of the current session to ``sink``; ``None`` drops them.

    Returns the previous sink, so that the new one can forward events to it.
    """
    return current().own(Events).set_sink(sink)


def emit(event: TabgradEvent | dict[str, Any]) -> None:
    """Send an event of the current session, as :meth:`Events.emit`."""
    current().own(Events).emit(event)


__all__ = ["Events", "Sink", "emit", "set_sink"]
