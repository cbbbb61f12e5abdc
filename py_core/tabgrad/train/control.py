"""The inbox of control messages, from which the training loop takes them between steps.

Messages are dicts, such as ``{"type": "set_lr", "lr": 0.1}``; :mod:`tabgrad.messages` declares them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from tabgrad.messages import ControlMessage, PingMessage, PongEvent, read_control
from tabgrad.session import Session, current
from tabgrad.train.events import Events


class Inbox:
    """A session's control messages for the current run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._messages: deque[ControlMessage] = deque()
        self._arrived: asyncio.Event | None = None
        self._listening = False

    def deliver(self, message: dict[str, Any]) -> None:
        """Give a message to the current run; a ping is answered even without a run.

        Raises:
            TabgradError: the message's type is unknown, or a value has the wrong type; the run is not affected.
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
        """A run begins (or stops) to take messages; earlier ones are dropped."""
        self._listening, self._arrived = on, asyncio.Event() if on else None
        self._messages.clear()

    @property
    def listening(self) -> bool:
        """Whether there is a current run."""
        return self._listening

    @property
    def waiting(self) -> bool:
        """Whether a message is waiting."""
        return bool(self._messages)

    def take(self) -> ControlMessage | None:
        """The oldest waiting message."""
        return self._messages.popleft() if self._messages else None

    async def wait(self) -> None:
        """Wait for a message, without polling."""
        assert self._arrived is not None, "only a listening run waits"
        if not self._messages:
            self._arrived.clear()
            await self._arrived.wait()


def deliver(message: dict[str, Any]) -> None:
    """Give a message to the current session's run, as :meth:`Inbox.deliver`."""
    current().own(Inbox).deliver(message)


def listening() -> bool:
    """Whether the current session has a run."""
    return current().own(Inbox).listening


__all__ = ["Inbox", "deliver", "listening"]
