"""Report a run: read its log at a bounded rate, check it, and emit what the page and the terminal show."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tabgrad.errors import NotFiniteError
from tabgrad.messages import CollectorEvent, MetricPoint, MetricsEvent
from tabgrad.metrics import Collectors
from tabgrad.runtime.reads import read
from tabgrad.train.diagnose import first_not_finite, strange_labels
from tabgrad.train.events import Events
from tabgrad.train.steps import LOG_ROWS, Steps

if TYPE_CHECKING:
    from tabgrad.devices.base import Device


class Reporter:
    """Turns the device's log of losses into points, rates and an estimate of the time left.

    Args:
        steps: whose log is read; steps that ran before are not this run's.
        device: whose GPU time is reported.
        events: where reports go.
        collectors: what else watches the run.
        batch_size: samples per step.
        steps_per_epoch, epochs: the run's length.
        lr: gives the learning rate in force.
    """

    def __init__(
        self,
        steps: Steps,
        device: Device,
        events: Events,
        collectors: Collectors,
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
        self._before = steps.step  # steps of earlier runs
        self._reported = steps.step
        self._recent: deque[Sequence[np.ndarray]] = deque()  # batches of steps not yet known to be finite
        self._last = time.perf_counter()
        self._idle_s = 0.0  # time paused or validating since the last report
        self.history: list[dict[str, float]] = []
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
    def must_catch_up(self) -> bool:
        """Whether the log would overwrite a step that has not been read."""
        return self._steps.step - self._reported >= LOG_ROWS - 1

    def submitted(self, batch: Sequence[np.ndarray], start_s: float) -> None:
        """A step was submitted, on this batch, in the time since ``start_s``."""
        self._recent.append(batch)
        self.host_ms = self.measure("step", start_s)

    def restart_clock(self) -> None:
        """Steps begin now: what came before is not their time."""
        self._last, self._idle_s = time.perf_counter(), 0.0

    def idle_since(self, start_s: float) -> None:
        """Leave the time since then out of the step time that is reported next."""
        self._idle_s += time.perf_counter() - max(start_s, self._last)

    async def report(self) -> None:
        """Read the log and emit the points since the last time.

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
        for step in range(self._reported, upto):
            values = {n: float(v) for n, v in zip(self._steps.names, log[step % LOG_ROWS], strict=True)}
            batch = self._recent.popleft()
            number = step - self._before + 1
            loss = values.pop("loss")
            if not math.isfinite(loss):
                self._reported = upto
                await self._fail(number, loss, batch)
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
        self.history += event["points"]
        self._events.emit(event)

    async def _fail(self, number: int, loss: float, batch: Sequence[np.ndarray]) -> None:
        # updates stopped with the step that broke, so its parameters are still there to look at
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
        """Tell the collectors that something took from ``start_s`` until now; returns how long, in ms."""
        end_s = time.perf_counter()
        self._collectors.on_measure(kind, start_s * 1000, end_s * 1000)
        return (end_s - start_s) * 1000
