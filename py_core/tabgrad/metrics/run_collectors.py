"""The collectors of one run. One that raises is removed from the run and named in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tabgrad.metrics.collector import Collector, RunInfo

_log = logging.getLogger("tabgrad.metrics")


class RunCollectors:
    """Calls all of a run's collectors; none of them can end the run."""

    def __init__(self, collectors: Sequence[Collector]) -> None:
        self._active = list(collectors)

    def start(self, run: RunInfo) -> None:
        """See :meth:`Collector.start`."""
        self._each("start", lambda collector: collector.start(run))

    def on_measure(self, kind: str, start_ms: float, end_ms: float) -> None:
        """See :meth:`Collector.on_measure`."""
        for collector in self._active:
            try:
                collector.on_measure(kind, start_ms, end_ms)
            except Exception as error:  # noqa: BLE001 - a user's code
                self._drop(collector, "on_measure", error)

    def values(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The newest numbers by the collector's name; see :meth:`Collector.values`."""
        found: list[tuple[str, dict[str, Any]]] = []
        self._each("values", lambda collector: found.append((collector.name, collector.values())))
        yield from found

    def stop(self) -> None:
        """See :meth:`Collector.stop`."""
        self._each("stop", lambda collector: collector.stop())

    def _each(self, what: str, call: Callable[[Collector], object]) -> None:
        for collector in self._active:
            try:
                call(collector)
            except Exception as error:  # noqa: BLE001 - a user's code
                self._drop(collector, what, error)

    def _drop(self, collector: Collector, what: str, error: Exception) -> None:
        self._active = [c for c in self._active if c is not collector]
        _log.warning(
            "the collector %r is left out of the rest of this run: its %s raised %s: %s",
            collector.name,
            what,
            type(error).__name__,
            error,
        )
        if what in ("start", "stop"):
            return
        try:
            collector.stop()
        except Exception as another:  # noqa: BLE001 - its first error was logged
            _log.debug("the collector %r raised in stop, too: %s", collector.name, another)
