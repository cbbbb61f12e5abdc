"""The trainer: epochs of compiled steps on the event loop, with live metrics and controls."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad import runtime
from tabgrad.capture import RecordedStep
from tabgrad.data import DataLoader
from tabgrad.errors import NotFiniteError, TabgradError
from tabgrad.metrics import Collector, RunInfo, pick_collectors
from tabgrad.nn import Module
from tabgrad.optim import Optimizer
from tabgrad.tensor import Tensor
from tabgrad.train import control, events
from tabgrad.train.diagnose import first_not_finite
from tabgrad.train.samples import sample_event, sample_inputs
from tabgrad.train.scheduler import Scheduler
from tabgrad.train.steps import LOG_ROWS, Loss, Steps, distinct_batches

REPORT_MS = 100  # metrics are read back at most this often
COLLECT_MS = 1000


class Stopped(Exception):
    """The run was asked to end."""


class Trainer:
    """Trains a model from loaders of (input, target) batches.

    Args:
        model: the module to train.
        loss_fn: ``loss_fn(output, target)`` gives the 0-d mean loss of a batch.
        optimizer: over the model's parameters.
        metrics: names of quality measures beside the loss: ``"accuracy"``, ``"mae"``, ``"mse"``.
        collectors: what watches the run; by default what this platform offers.

    Each step is recorded once per batch shape and replayed. Progress goes out as events
    (:mod:`tabgrad.train.events`); pause, resume, step, stop and the learning rate come in as messages
    (:mod:`tabgrad.train.control`) that take effect between steps.
    """

    def __init__(
        self,
        model: Module,
        loss_fn: Loss,
        optimizer: Optimizer,
        metrics: Sequence[str] = (),
        *,
        collectors: Sequence[Collector] | None = None,
    ) -> None:
        self.model, self.optimizer = model, optimizer
        self.steps = Steps(model, loss_fn, optimizer, metrics)
        self.collectors = list(pick_collectors() if collectors is None else collectors)
        self.history: dict[str, list[dict[str, float]]] = {"train": [], "validation": []}

    async def fit(self, train: DataLoader, validation: DataLoader | None = None, epochs: int = 1) -> dict[str, Any]:
        """Train for some epochs, validating after each; returns the history of metrics.

        Raises:
            NotFiniteError: the loss became NaN or infinite; names the step and the first such tensor.
            TabgradError: there is nothing to train on, or another run is under way.
        """
        run = _Run(self, train, validation, epochs)
        await run.run()
        return self.history

    async def evaluate(self, loader: DataLoader) -> dict[str, float]:
        """Mean loss and metrics over a loader, in evaluation mode."""
        was_training = self.model.training
        self.model.eval()
        try:
            for n, batch in enumerate(loader.numpy_batches()):
                self.steps.run_validate(*batch, first=n == 0)
                await runtime.device().breathe()
            return await self._sums()
        finally:
            self.model.train(was_training)

    async def _sums(self) -> dict[str, float]:
        (sums,) = await runtime.read(self.steps.sums)
        return {name: float(v / sums[-1]) for name, v in zip(self.steps.names, sums, strict=False)}


class _Run:
    """One call of :meth:`Trainer.fit`."""

    def __init__(self, trainer: Trainer, train: DataLoader, validation: DataLoader | None, epochs: int) -> None:
        if len(train) == 0 or epochs < 1:
            raise TabgradError(f"fit: expected at least one batch and one epoch, got {len(train)} and {epochs}")
        self.trainer, self.steps = trainer, trainer.steps
        self.train, self.validation, self.epochs = train, validation, epochs
        self.first_step = self.steps.step
        self.total_steps = epochs * len(train)
        self.device = runtime.device()
        self.scheduler = Scheduler(self.device)
        self._background: asyncio.Future[None] | None = None
        self._first_shape: tuple[int, ...] = ()
        self._begun = asyncio.Event()
        self.paused = False
        self.single_steps = 0  # that may still run while paused
        self.epoch = 0
        self.reported = self.steps.step  # steps whose metrics have been read
        self.recent: deque[tuple[np.ndarray, ...]] = deque()  # batches of steps not yet known to be finite
        self.host_ms = 0.0
        self._last_report = time.perf_counter()
        self._idle_s = 0.0  # time paused or validating since the last report

    @property
    def done(self) -> int:
        """Steps of this run that have been submitted."""
        return self.steps.step - self.first_step

    async def run(self) -> None:
        if control.listening():
            raise TabgradError("fit: expected no other run under way, got one; await it first, or stop it")
        if self.first_step:
            self.steps.mend()
        self._announce()
        control.listen(True)
        state = "failed"
        info = RunInfo(device=self.device, batch_size=self.train.batch_size)
        for collector in self.trainer.collectors:
            collector.start(info)
        try:
            await self._compile()
            self._state("running")
            self.scheduler.every(REPORT_MS, self._report)
            self.scheduler.every(COLLECT_MS, self._collect)
            self._last_report = time.perf_counter()
            while self.epoch < self.epochs:
                self.epoch += 1
                await self._epoch()
            await self._catch_up()
            state = "finished"
        except Stopped:
            await self._catch_up()
            state = "stopped"
        finally:
            await self.scheduler.cancel()
            if self._background is not None:
                self._background.cancel()
                await asyncio.gather(self._background, return_exceptions=True)
            control.listen(False)
            for collector in self.trainer.collectors:
                collector.stop()
            self._state(state)

    def _announce(self) -> None:
        info, parameters = self.device.info, [p for p in self.trainer.model.parameters() if p.requires_grad]
        adapter = info.name
        events.emit(
            {
                "type": "device",
                "device": self.device.name,
                "adapter": adapter,
                "kind": info.kind,
                "reason": self.device.reason,
            }
        )
        events.emit(
            {
                "type": "fit_start",
                "epochs": self.epochs,
                "steps_per_epoch": len(self.train),
                "train_samples": len(self.train.dataset),
                "val_samples": None if self.validation is None else len(self.validation.dataset),
                "parameters": sum(p.numel() for p in parameters),
                "batch_size": self.train.batch_size,
                "metrics": self.steps.names,
                "lr": self._lr(),
                "task": "classification" if self.steps.is_classification else "regression",
            }
        )

    async def _compile(self) -> None:
        """Compile what the first step needs, with progress; the rest follows while training runs."""
        first, *others = distinct_batches(self.train)
        start = time.perf_counter()
        self._first_shape = first[0].shape
        recorded = self._record("train", first)
        total = recorded.num_kernels()
        self._compiling(0, total)
        await self.device.breathe()
        await recorded.ready(lambda done, _: self._compiling(done, total))
        self._measure("compile", start)
        self._background = asyncio.ensure_future(self._compile_rest(others))
        events.emit({"type": "status", "phase": "training"})

    async def _compile_rest(self, train_batches: Sequence[tuple[np.ndarray, ...]]) -> None:
        """The programs of other batch sizes, of validation and of predictions, once there is a first loss to show."""
        await self._begun.wait()
        jobs = [("train", batch) for batch in train_batches]
        if self.validation is not None:
            jobs += [("validate", batch) for batch in distinct_batches(self.validation)]
            jobs.append(("predict", sample_inputs(self.validation)[:1]))
        for mode, batch in jobs:
            await self.device.breathe()
            start = time.perf_counter()
            await self._record(mode, batch).ready()
            self._measure("compile", start)

    def _record(self, mode: str, batch: tuple[np.ndarray, ...]) -> RecordedStep:
        model, step = self.trainer.model, getattr(self.steps, mode)
        was_training = model.training
        model.train(mode == "train")
        try:
            return step.record(*(Tensor(a) for a in batch))
        finally:
            model.train(was_training)

    async def _all_compiled(self) -> None:
        self._begun.set()
        if self._background is not None and not self._background.done():
            await self.scheduler.settle()
        if self._background is not None:
            await self._background

    def _compiling(self, done: int, total: int) -> None:
        events.emit({"type": "status", "phase": "compiling", "done": done, "total": total})

    async def _epoch(self) -> None:
        self.trainer.model.train()
        batches = self.train.numpy_batches()
        while True:
            await self._obey()
            start = time.perf_counter()
            batch = next(batches, None)
            self._measure("data", start)
            if batch is None:
                break
            self.single_steps = max(0, self.single_steps - 1)
            if self.steps.step - self.reported >= LOG_ROWS - 1:
                await self._catch_up()
            if batch[0].shape != self._first_shape:
                await self._all_compiled()
            start = time.perf_counter()
            self.steps.train.timed = self.steps.step == self.reported  # GPU time once per report is enough
            self.steps.run_train(*batch)
            self.recent.append(batch)
            self.host_ms = self._measure("step", start)
            await self.scheduler.after_step()
        if self.validation is not None:
            await self._validate(self.validation)

    async def _validate(self, loader: DataLoader) -> None:
        start = time.perf_counter()
        await self._all_compiled()
        self.trainer.model.eval()
        for n, batch in enumerate(loader.numpy_batches()):
            self.steps.run_validate(*batch, first=n == 0)
            await self.scheduler.after_step()
            await self._obey(idle=True)
        values = await self.trainer._sums()
        inputs, _ = sample_inputs(loader)
        prediction = self.steps.predict(Tensor(inputs))
        self.trainer.model.train()
        point: dict[str, float] = {"step": self.done, "epoch": self.epoch, **values}
        self.trainer.history["validation"].append(point)
        events.emit({"type": "validation", **point})
        (predicted,) = await runtime.read(prediction)
        events.emit(sample_event(loader, predicted, self.steps.is_classification))
        self._idle_since(start)

    def _idle_since(self, start_s: float) -> None:
        """Leave the time since then out of the step time that is reported next."""
        self._idle_s += time.perf_counter() - max(start_s, self._last_report)

    # Controls

    async def _obey(self, *, idle: bool = False) -> None:
        """Take all waiting messages; while paused, wait for the next one.

        Args:
            idle: the time is counted as idle already.

        Raises:
            Stopped: stop was asked for.
        """
        while True:
            while (message := control.take()) is not None:
                self._take(message)
            if not self.paused or self.single_steps:
                return
            start = time.perf_counter()
            await self._catch_up()
            if not control.waiting():
                await control.wait()
            if not idle:
                self._idle_since(start)

    def _take(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "ping":
            events.emit({"type": "pong", "id": message.get("id"), "step": self.done})
        elif kind == "set_lr":
            self._set_lr(message.get("lr"))
        elif kind == "stop":
            raise Stopped
        elif kind == "step":
            self.single_steps += 1
            self._pause(True)
        else:
            self._pause(kind == "pause")

    def _pause(self, paused: bool) -> None:
        if not paused:
            self.single_steps = 0
        if paused != self.paused:
            self.paused = paused
            self._state("paused" if paused else "running")

    def _set_lr(self, lr: Any) -> None:
        if not isinstance(lr, int | float) or not math.isfinite(lr) or lr < 0:
            raise TabgradError(f"set_lr: expected a finite learning rate >= 0, got {lr!r}")
        for group in self.trainer.optimizer.param_groups:
            group["lr"] = float(lr)

    def _lr(self) -> float:
        return float(self.trainer.optimizer.param_groups[0]["lr"])

    def _state(self, state: str) -> None:
        events.emit({"type": "state", "state": state, "step": self.done})

    # Metrics

    async def _catch_up(self) -> None:
        """Wait for the steps in flight and report all of them."""
        await self.scheduler.settle()
        await self._report()

    async def _report(self) -> None:
        """Read the log, check it, and emit the points since the last time."""
        upto = self.steps.step
        if upto == self.reported:
            return
        start = time.perf_counter()
        (log,) = await runtime.read(self.steps.log)
        self._measure("read", start)
        points = []
        for step in range(self.reported, upto):
            values = {name: float(v) for name, v in zip(self.steps.names, log[step % LOG_ROWS], strict=True)}
            batch = self.recent.popleft()
            number = step - self.first_step + 1
            if not math.isfinite(values["loss"]):
                self.reported = upto
                await self._fail(number, values["loss"], batch)
            points.append({"step": number, "epoch": number / len(self.train), **values})
        now = time.perf_counter()
        count, self.reported = upto - self.reported, upto
        elapsed_s = max(now - self._last_report - self._idle_s, 1e-6)
        self._last_report, self._idle_s = now, 0.0
        step_ms = elapsed_s * 1000 / count
        self.trainer.history["train"] += points
        self._begun.set()
        events.emit(
            {
                "type": "metrics",
                "points": points,
                "step_ms": step_ms,
                "samples_per_s": self.train.batch_size * 1000 / step_ms,
                "host_ms": self.host_ms,
                "gpu_ms": self.device.gpu_ms,
                "lr": self._lr(),
                "step": points[-1]["step"],
                "total_steps": self.total_steps,
                "eta_s": (self.total_steps - points[-1]["step"]) * step_ms / 1000,
            }
        )

    async def _fail(self, number: int, loss: float, batch: tuple[np.ndarray, ...]) -> None:
        # updates stopped with the step that broke, so its parameters are still there to look at
        what = await first_not_finite(self.trainer.model, self.steps.loss_fn, batch)
        raise NotFiniteError(
            f"fit: the loss is {loss} at step {number}; the first tensor that is not finite is "
            f"{what or 'not found when the step is repeated'}; try a smaller learning rate, or check the data"
        )

    async def _collect(self) -> None:
        for collector in self.trainer.collectors:
            values = collector.values()
            if values:
                events.emit({"type": "collector", "name": collector.name, "values": values})

    def _measure(self, kind: str, start_s: float) -> float:
        end_s = time.perf_counter()
        for collector in self.trainer.collectors:
            collector.on_measure(kind, start_s * 1000, end_s * 1000)
        return (end_s - start_s) * 1000
