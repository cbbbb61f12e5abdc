"""Where events go: as plain dicts to one sink, which the page, Node or the command line sets.

:mod:`tabgrad.messages` declares them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tabgrad.messages import TabgradEvent
from tabgrad.session import Session, current
from tabgrad.tuner import Tuners

Sink = Callable[[dict[str, Any]], None]


class Events:
    """Where a session's events go. What tuning tells goes there, too."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sink: Sink | None = None

    def set_sink(self, sink: Sink | None) -> Sink | None:
        """Send every event to ``sink`` from now on, where ``None`` drops them; returns the sink before."""
        before, self._sink = self._sink, sink
        self._session.own(Tuners).listener = None if sink is None else self._show
        return before

    def emit(self, event: TabgradEvent | dict[str, Any]) -> None:
        """Hand an event on; a dict has a ``type`` and values that JSON can carry."""
        if self._sink is not None:
            self._sink(event if isinstance(event, dict) else event.to_json())

    def _show(self, event: dict[str, Any]) -> bool:
        self.emit(event)
        return True


def set_sink(sink: Sink | None) -> Sink | None:
    """Send every event of the current session to ``sink`` from now on, where ``None`` drops them.

    Returns the sink before, so that one may pass events on to it.
    """
    return current().own(Events).set_sink(sink)


def emit(event: TabgradEvent | dict[str, Any]) -> None:
    """Hand an event of the current session on, as :meth:`Events.emit`."""
    current().own(Events).emit(event)


__all__ = ["Events", "Sink", "emit", "set_sink"]
