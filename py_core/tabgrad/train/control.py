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
from tabgrad.train import events

MOST_STEPS = 1000  # that one message has profiled
KINDS = ("pause", "resume", "step", "stop", "set_lr", "profile", "ping")

_inbox: deque[dict[str, Any]] = deque()
_arrived: asyncio.Event | None = None
_listening = False


def deliver(message: dict[str, Any]) -> None:
    """Give a message to the run under way; a ping is answered even when there is none.

    Raises:
        TabgradError: the message is of no known type, or its values are not of their type; no run feels it.
    """
    check(message)
    if not _listening:
        if message["type"] == "ping":
            events.emit({"type": "pong", "id": message.get("id"), "step": 0})
        return
    _inbox.append(message)
    if _arrived is not None:
        _arrived.set()


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
