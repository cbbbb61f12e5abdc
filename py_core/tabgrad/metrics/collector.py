"""What a metric collector is: a small class that watches a run and gives numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class RunInfo:
    """What a collector is told when a run starts.

    ``device`` is whatever the run computes on; collectors read its ``counters``, ``gpu_ms`` and
    ``info`` and call nothing else on it.
    """

    device: Any
    batch_size: int


class Collector:
    """Base of collectors. Override what you need; every method has a sensible default.

    ::

        class Battery(Collector):
            name = "battery"

            def values(self):
                return {"percent": read_battery()}

    Hand it to the trainer beside the built-in ones: ``Trainer(..., collectors=[*pick_collectors(), Battery()])``.
    All methods are called between steps, so they must return within a millisecond or so.
    """

    name = "collector"

    @classmethod
    def missing(cls) -> str | None:
        """What this platform lacks for the collector, in a sentence; ``None`` where it works."""
        return None

    def start(self, run: RunInfo) -> None:
        """A run starts."""

    def on_measure(self, kind: str, start_ms: float, end_ms: float) -> None:
        """Something took from ``start_ms`` to ``end_ms`` on the clock of ``time.perf_counter``.

        ``kind`` is ``"compile"``, ``"step"`` (host time of one step), ``"read"`` (waiting for values) or
        ``"data"`` (preparing a batch).
        """

    def values(self) -> dict[str, float]:
        """The newest numbers by name, with units as suffixes; asked a few times a second."""
        return {}

    def stop(self) -> None:
        """The run ended; release what :meth:`start` took."""
