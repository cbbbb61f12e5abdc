"""What the world asks of a run: messages that wait here until the training loop takes them between steps.

``{"type": "pause" | "resume" | "step" | "stop"}``, ``{"type": "set_lr", "lr": float}``,
``{"type": "ping", "id": any}``, ``{"type": "profile", "steps": int}`` (times the kernels of the next training steps).
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from tabgrad.dtypes import LARGEST_FLOAT32
from tabgrad.errors import TabgradError
from tabgrad.session import Session, current
from tabgrad.train.events import Events

MOST_STEPS = 1000  # that one message has profiled
KINDS = ("pause", "resume", "step", "stop", "set_lr", "profile", "ping")


class Inbox:
    """A session's messages, for the run under way."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._messages: deque[dict[str, Any]] = deque()
        self._arrived: asyncio.Event | None = None
        self._listening = False

    def deliver(self, message: dict[str, Any]) -> None:
        """Give a message to the run under way; a ping is answered even when there is none.

        Raises:
            TabgradError: the message is of no known type, or its values are not of their type; no run feels it.
        """
        check(message)
        if not self._listening:
            if message["type"] == "ping":
                self._session.own(Events).emit({"type": "pong", "id": message.get("id"), "step": 0})
            return
        self._messages.append(message)
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

    def take(self) -> dict[str, Any] | None:
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


def check(message: Any) -> None:
    """Refuse what is no message.

    Raises:
        TabgradError: as :func:`deliver`.
    """
    kind = message.get("type") if isinstance(message, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise TabgradError(f"control: expected a message of type {', '.join(KINDS)}, got {_shown(message)}")
    if kind == "set_lr":
        lr = message.get("lr")
        if not isinstance(lr, int | float) or isinstance(lr, bool) or not 0 <= lr <= LARGEST_FLOAT32:
            raise TabgradError(
                f"set_lr: expected a learning rate >= 0 that float32 holds, got {_shown(lr)}; it stays as it was"
            )
    if kind == "profile":
        steps = message.get("steps")
        whole = isinstance(steps, int) and not isinstance(steps, bool)
        if steps is not None and not (whole and 1 <= steps <= MOST_STEPS):
            raise TabgradError(f"profile: expected 1 to {MOST_STEPS} steps, got {_shown(steps)}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


__all__ = ["Inbox", "check", "deliver", "listening"]
