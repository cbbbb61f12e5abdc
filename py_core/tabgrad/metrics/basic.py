"""The collector for every platform: times of the run's parts, throughput, memory, submits."""

from __future__ import annotations

from tabgrad.metrics.collector import Collector, RunInfo


class Basic(Collector):
    """Mean milliseconds per measure kind, samples per second, device memory and submits per step.

    Means and rates cover the time since the last call of :meth:`values`.
    """

    name = "basic"

    def start(self, run: RunInfo) -> None:
        self._run = run
        self._totals: dict[str, tuple[float, int]] = {}
        self._first_step_ms: float | None = None
        self._last_step_ms = 0.0
        self._steps = 0
        self._submits = run.device.counters.submits

    def on_measure(self, kind: str, start_ms: float, end_ms: float) -> None:
        total, count = self._totals.get(kind, (0.0, 0))
        self._totals[kind] = total + end_ms - start_ms, count + 1
        if kind == "step":
            if self._first_step_ms is None:
                self._first_step_ms = start_ms
            self._last_step_ms = end_ms
            self._steps += 1

    def values(self) -> dict[str, float]:
        counters = self._run.device.counters
        result = {f"{kind}_ms": total / count for kind, (total, count) in self._totals.items()}
        if self._first_step_ms is not None and self._last_step_ms > self._first_step_ms:
            elapsed_s = (self._last_step_ms - self._first_step_ms) / 1000
            result["samples_per_s"] = self._steps * self._run.batch_size / elapsed_s
        if self._steps:
            result["submits_per_step"] = (counters.submits - self._submits) / self._steps
        result["device_bytes"] = float(counters.bytes_allocated)
        if self._run.device.gpu_ms is not None:
            result["gpu_ms"] = self._run.device.gpu_ms
        # the next window starts where this one ended, so that gaps between steps are counted
        self._first_step_ms = self._last_step_ms if self._steps else None
        self._steps, self._submits, self._totals = 0, counters.submits, {}
        return result
