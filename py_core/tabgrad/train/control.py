"""What the world asks of a run: messages that wait here until the training loop takes them between steps.

They come as dicts, such as ``{"type": "set_lr", "lr": 0.1}``; :mod:`tabgrad.messages` declares them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from tabgrad.messages import ControlMessage, PingMessage, PongEvent, read_control
from tabgrad.session import Session, current
from tabgrad.train.events import Events


class Inbox:
    """A session's messages, for the run under way."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._messages: deque[ControlMessage] = deque()
        self._arrived: asyncio.Event | None = None
        self._listening = False

    def deliver(self, message: dict[str, Any]) -> None:
        """Give a message to the run under way; a ping is answered even when there is none.

        Raises:
            TabgradError: the message is of no known type, or its values are not of their type; no run feels it.
        """
        request = read_control(message)
        if not self._listening:
            if isinstance(request, PingMessage):
                self._session.own(Events).emit(PongEvent(id=request.id, step=0))
            return
        self._messages.append(request)
        if self._arrived is not None:
            self._arrived.set()

    def listen(self, on: bool) -> None:
        """A run begins (or stops) to take messages; what came before is not for it."""
        self._listening, self._arrived = on, asyncio.Event() if on else None
        self._messages.clear()

    @property
    def listening(self) -> bool:
        """Whether a run is under way."""
        return self._listening

    @property
    def waiting(self) -> bool:
        """Whether a message is waiting."""
        return bool(self._messages)

    def take(self) -> ControlMessage | None:
        """The oldest waiting message."""
        return self._messages.popleft() if self._messages else None

    async def wait(self) -> None:
        """Return when a message has arrived; nothing is polled."""
        assert self._arrived is not None, "only a listening run waits"
        if not self._messages:
            self._arrived.clear()
            await self._arrived.wait()


def deliver(message: dict[str, Any]) -> None:
    """Give a message to the current session's run, as :meth:`Inbox.deliver`."""
    current().own(Inbox).deliver(message)


def listening() -> bool:
    """Whether a run of the current session is under way."""
    return current().own(Inbox).listening


__all__ = ["Inbox", "deliver", "listening"]
