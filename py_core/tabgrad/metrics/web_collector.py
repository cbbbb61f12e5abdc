"""The collector for browsers: measures on the Performance timeline, and memory."""

from __future__ import annotations

import sys
import time
from typing import Any

from tabgrad.metrics.collector import Collector, RunInfo

_MAX_PENDING = 256
_MAX_ON_TIMELINE = 2000


class Web(Collector):
    """Puts ``tabgrad:compile``, ``tabgrad:step``, ``tabgrad:read`` and ``tabgrad:data`` measures, and a
    mark at the start and end of a run, on the Performance timeline, where the browser's tools show them.

    Measures are added in :meth:`values`, not one by one, so a step makes no call into JavaScript. Only the newest
    256 are kept in between; ``skipped_measures`` counts the others.
    """

    name = "web"

    @classmethod
    def missing(cls) -> str | None:
        if "pyodide" not in sys.modules:
            return "it needs a browser or Node; run the script in the page or with --device web"
        return None

    def start(self, run: RunInfo) -> None:
        from js import Object, performance

        self._performance: Any = performance
        # Python's clock and the timeline's have different origins
        self._offset_ms = performance.now() - time.perf_counter() * 1000
        self._options: Any = Object.new()  # of one measure after the other: an object for each would take longer
        self._run = run
        self._pending: list[tuple[str, float, float]] = []
        self._on_timeline = 0
        self._skipped = 0
        performance.mark("tabgrad:start")

    def on_measure(self, kind: str, start_ms: float, end_ms: float) -> None:
        self._pending.append((kind, start_ms, end_ms))
        if len(self._pending) > _MAX_PENDING:
            del self._pending[0]
            self._skipped += 1

    def values(self) -> dict[str, float]:
        self._flush()
        result = {
            "device_bytes": float(self._run.device.counters.bytes_allocated),
            "skipped_measures": float(self._skipped),
        }
        if self._run.device.gpu_ms is not None:
            result["gpu_ms"] = self._run.device.gpu_ms
        heap = _wasm_heap_bytes()
        if heap is not None:
            result["python_heap_bytes"] = float(heap)
        memory = getattr(self._performance, "memory", None)  # Chromium only
        if memory is not None:
            result["js_heap_bytes"] = float(memory.usedJSHeapSize)
        return result

    def stop(self) -> None:
        self._flush()
        self._performance.mark("tabgrad:end")

    def _flush(self) -> None:
        if self._on_timeline > _MAX_ON_TIMELINE:
            # the timeline keeps all entries, which would fill the memory in a run of days
            for kind in ("compile", "step", "read", "data"):
                self._performance.clearMeasures(f"tabgrad:{kind}")
            self._on_timeline = 0
        measure, options = self._performance.measure, self._options
        for kind, start_ms, end_ms in self._pending:
            options.start = max(start_ms + self._offset_ms, 0.0)
            options.end = max(end_ms + self._offset_ms, 0.0)
            measure(f"tabgrad:{kind}", options)
        self._on_timeline += len(self._pending)
        self._pending.clear()


def _wasm_heap_bytes() -> int | None:
    try:
        from pyodide_js import _module
    except ImportError:
        return None
    return int(_module.HEAPU8.length)
