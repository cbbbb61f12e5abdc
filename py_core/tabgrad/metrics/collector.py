"""The base class of collectors, which observe a run and report numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class RunInfo:
    """A description of the run, passed to a collector at its start.

    Collectors may read ``counters``, ``gpu_ms`` and ``info`` of ``device``, and nothing else.
    """

    device: Any
    batch_size: int


class Collector:
    """Base class of collectors. Override the methods you need; each has a default.

    ::

        class Battery(Collector):
            name = "battery"

            def values(self):
                return {"percent": read_battery()}

    Pass it to the trainer with the built-in ones: ``Trainer(..., collectors=[*pick_collectors(), Battery()])``.
    All methods are called between steps, so each must return within about 1 ms.
    """

    name = "collector"

    @classmethod
    def missing(cls) -> str | None:
        """What the collector needs and this platform lacks, in a sentence; ``None`` if it works."""
        return None

    def start(self, run: RunInfo) -> None:
        """A run starts."""

    def on_measure(self, kind: str, start_ms: float, end_ms: float) -> None:
        """A part of the run took from ``start_ms`` to ``end_ms``, by ``time.perf_counter``.

        ``kind`` is ``"compile"``, ``"step"`` (host time of one step), ``"read"`` (waiting for values) or
        ``"data"`` (preparing a batch).
        """

    def values(self) -> dict[str, float]:
        """The newest numbers by name, with units as suffixes; called a few times a second."""
        return {}

    def stop(self) -> None:
        """The run ended; release what :meth:`start` acquired."""
