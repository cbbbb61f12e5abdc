"""What tuning tells the world: events for a display, lines for a log.

``{"type": "tuning", "phase": ..., "text": ...}``, where ``phase`` is ``measuring`` (``done`` of ``total``
kernels), ``found``, ``rejected``, ``skipped``, ``failed`` or ``done``; ``text`` says it in words.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

Listener = Callable[[dict[str, Any]], bool]

_log = logging.getLogger("tabgrad.tuning")
_listener: Listener | None = None


def set_listener(listener: Listener | None) -> None:
    """Hand every event to ``listener``, which says whether anybody saw it."""
    global _listener
    _listener = listener


def tell(phase: str, text: str, **values: Any) -> None:
    """Report; what went wrong is a warning in the log unless a display shows it."""
    seen = _listener is not None and _listener({"type": "tuning", "phase": phase, "text": text, **values})
    loud = phase in ("rejected", "skipped", "failed") and not seen
    _log.log(logging.WARNING if loud else logging.INFO, text)
