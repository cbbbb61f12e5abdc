"""What the world asks of a run: messages that wait here until the training loop takes them between steps.

``{"type": "pause" | "resume" | "step" | "stop"}``, ``{"type": "set_lr", "lr": float}``,
``{"type": "ping", "id": any}``, ``{"type": "profile", "steps": int}`` (times the kernels of the next training steps).
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.train import events

KINDS = ("pause", "resume", "step", "stop", "set_lr", "profile", "ping")

_inbox: deque[dict[str, Any]] = deque()
_arrived: asyncio.Event | None = None
_listening = False


def deliver(message: dict[str, Any]) -> None:
    """Give a message to the run under way; a ping is answered even when there is none.

    Raises:
        TabgradError: the message is of no known type.
    """
    if message.get("type") not in KINDS:
        raise TabgradError(f"control: expected a message of type {', '.join(KINDS)}, got {message!r}")
    if not _listening:
        if message["type"] == "ping":
            events.emit({"type": "pong", "id": message.get("id"), "step": 0})
        return
    _inbox.append(message)
    if _arrived is not None:
        _arrived.set()


def listen(on: bool) -> None:
    """A run begins (or stops) to take messages; what came before is not for it."""
    global _listening, _arrived
    _listening, _arrived = on, asyncio.Event() if on else None
    _inbox.clear()


def listening() -> bool:
    """Whether a run is under way."""
    return _listening


def take() -> dict[str, Any] | None:
    """The oldest waiting message."""
    return _inbox.popleft() if _inbox else None


async def wait() -> None:
    """Return when a message has arrived; nothing is polled."""
    assert _arrived is not None, "only a listening run waits"
    if not _inbox:
        _arrived.clear()
        await _arrived.wait()


def waiting() -> bool:
    """Whether a message is waiting."""
    return bool(_inbox)
