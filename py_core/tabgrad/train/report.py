"""Reports of a run: read its log at a bounded rate, check it, and emit events."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tabgrad.errors import NotFiniteError
from tabgrad.messages import CollectorEvent, MetricPoint, MetricsEvent
from tabgrad.metrics import RunCollectors
from tabgrad.runtime.reads import read
from tabgrad.train.batches import Batch
from tabgrad.train.diagnose import first_not_finite, strange_labels
from tabgrad.train.events import Events
from tabgrad.train.history import History
from tabgrad.train.steps import LOG_ROWS, Steps

if TYPE_CHECKING:
    from tabgrad.devices.base import Device

MOST_RECENT_BYTES = 64 << 20


class Reporter:
    """Makes reports from the device's log: losses and metrics, rates, and the estimated time left.

    Args:
        steps: the run's compiled steps, with the log.
        device: its GPU time is reported.
        events: the sink of reports.
        collectors: of the run.
        batch_size: samples per step.
        steps_per_epoch, epochs: the run's length.
        lr: returns the current learning rate.
    """

    def __init__(
        self,
        steps: Steps,
        device: Device,
        events: Events,
        collectors: RunCollectors,
        *,
        batch_size: int,
        steps_per_epoch: int,
        epochs: int,
        lr: Callable[[], float],
    ) -> None:
        self._steps, self._device, self._collectors, self._lr = steps, device, collectors, lr
        self._events = events
        self._batch_size, self._steps_per_epoch = batch_size, steps_per_epoch
        self._total_steps = epochs * steps_per_epoch
        self._before = steps.step  # number of steps of earlier runs
        self._reported = steps.step
        self._recent: deque[Batch] = deque()  # batches of steps whose loss was not read yet
        self._recent_bytes = 0
        self._last = time.perf_counter()
        self._idle_s = 0.0  # time paused or validating since the last report
        self.history = History()
        self.host_ms = 0.0  # Python's time for the newest step

    @property
    def done(self) -> int:
        """Steps of this run that have been submitted."""
        return self._steps.step - self._before

    @property
    def is_current(self) -> bool:
        """Whether every submitted step has been reported."""
        return self._steps.step == self._reported

    @property
    def is_pressing(self) -> bool:
        """Whether the steps since the last report take half of the log, or their batches much memory."""
        return self._steps.step - self._reported >= LOG_ROWS // 2 or self._recent_bytes > MOST_RECENT_BYTES

    @property
    def must_catch_up(self) -> bool:
        """Whether the next step would overwrite an unread row of the log."""
        return self._steps.step - self._reported >= LOG_ROWS - 1

    def submitted(self, batch: Batch, start_s: float) -> float:
        """A step on this batch was submitted; its host work began at ``start_s``. Returns the time."""
        self._recent.append(batch)
        self._recent_bytes += batch.size_bytes
        end_s = self.measure("step", start_s)
        self.host_ms = (end_s - start_s) * 1000
        return end_s

    def restart_clock(self) -> None:
        """Start the clock: earlier time is not step time."""
        self._last, self._idle_s = time.perf_counter(), 0.0

    def idle_since(self, start_s: float) -> None:
        """Exclude the time since then from the next reported step time."""
        self._idle_s += time.perf_counter() - max(start_s, self._last)

    async def report(self) -> None:
        """Read the log and emit the points since the last report.

        Raises:
            NotFiniteError: a loss is NaN or infinite.
        """
        upto = self._steps.step
        if upto == self._reported:
            return
        start = time.perf_counter()
        (log,) = await read(self._steps.log)
        self.measure("read", start)
        points: list[MetricPoint] = []
        rows = log.tolist()
        for step in range(self._reported, upto):
            values = dict(zip(self._steps.names, rows[step % LOG_ROWS], strict=True))
            batch = self._recent.popleft()
            self._recent_bytes -= batch.size_bytes
            number = step - self._before + 1
            loss = values.pop("loss")
            if not math.isfinite(loss):
                self._reported = upto
                await self._fail(number, loss, batch.arrays())
            points.append(MetricPoint(step=number, epoch=number / self._steps_per_epoch, loss=loss, metrics=values))
        self._emit(points, upto)

    def _emit(self, points: list[MetricPoint], upto: int) -> None:
        now = time.perf_counter()
        count, self._reported = upto - self._reported, upto
        step_ms = max(now - self._last - self._idle_s, 1e-6) * 1000 / count
        self._last, self._idle_s = now, 0.0
        event = MetricsEvent(
            points=points,
            step_ms=step_ms,
            samples_per_s=self._batch_size * 1000 / step_ms,
            host_ms=self.host_ms,
            gpu_ms=self._device.gpu_ms,
            lr=self._lr(),
            step=points[-1].step,
            total_steps=self._total_steps,
            eta_s=(self._total_steps - points[-1].step) * step_ms / 1000,
        ).to_json()
        self.history.extend(event["points"])
        self._events.emit(event)

    async def _fail(self, number: int, loss: float, batch: Sequence[np.ndarray]) -> None:
        # updates stopped at that step, so its parameters are unchanged
        labels = await strange_labels(self._steps.model, self._steps.loss_fn, batch)
        if labels is not None:
            raise NotFiniteError(f"fit: the loss is {loss} at step {number}; {labels}")
        what = await first_not_finite(self._steps.model, self._steps.loss_fn, batch)
        raise NotFiniteError(
            f"fit: the loss is {loss} at step {number}; the first tensor that is not finite is "
            f"{what or 'not found when the step is repeated'}; try a smaller learning rate, or check the data"
        )

    async def collect(self) -> None:
        """Emit the collectors' newest values."""
        for name, values in self._collectors.values():
            if values:
                self._events.emit(CollectorEvent(name=name, values=values))

    def measure(self, kind: str, start_s: float) -> float:
        """Report to the collectors a part of the run since ``start_s``; returns when it ended: now."""
        end_s = time.perf_counter()
        self._collectors.on_measure(kind, start_s * 1000, end_s * 1000)
        return end_s
