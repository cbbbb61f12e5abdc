"""One run of training: epochs of steps on the event loop, with control messages handled between steps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from typing import Any, cast

from tabgrad.checks import whole_number
from tabgrad.data import DataLoader
from tabgrad.errors import TabgradError
from tabgrad.messages import (
    AdapterKind,
    CompilingEvent,
    ControlMessage,
    DeviceEvent,
    FitStartEvent,
    PauseMessage,
    PhaseEvent,
    PingMessage,
    PongEvent,
    ProfileMessage,
    RunState,
    SetLrMessage,
    StateEvent,
    StepMessage,
    StopMessage,
    ValidationEvent,
)
from tabgrad.metrics import Collector, RunCollectors, RunInfo
from tabgrad.runtime.reads import read
from tabgrad.tensor import Tensor
from tabgrad.train.batches import Batch
from tabgrad.train.control import Inbox
from tabgrad.train.data_on_device import batches_of
from tabgrad.train.events import Events
from tabgrad.train.history import History
from tabgrad.train.report import Reporter
from tabgrad.train.run_programs import RunPrograms
from tabgrad.train.sample_predictions import sample_event, sample_inputs
from tabgrad.train.scheduler import Scheduler
from tabgrad.train.step_profiles import StepProfiles
from tabgrad.train.steps import Steps
from tabgrad.train.trainer_inputs import check_loader
from tabgrad.tuner import TunerRegistry

REPORT_MS = 100  # metrics are read back at most this often
COLLECT_MS = 1000
TURN_MS = 8  # steps follow each other for so long without a turn of the event loop


class Stopped(Exception):
    """A control message ended the run."""


class Run:
    """One call of :meth:`tabgrad.train.Trainer.fit`."""

    def __init__(
        self,
        steps: Steps,
        collectors: Sequence[Collector],
        train: DataLoader,
        validation: DataLoader | None,
        epochs: int,
    ) -> None:
        check_loader(train, "fit")
        whole_number(epochs, "fit", "epochs")
        if len(train) == 0 or epochs < 1:
            raise TabgradError(f"fit: expected at least one batch and one epoch, got {len(train)} and {epochs}")
        if validation is not None:
            check_loader(validation, "fit")
            if len(validation) == 0:
                raise TabgradError(
                    "fit: expected a validation loader with at least one batch, got one without; pass None to leave "
                    "validation out"
                )
        self.steps, self.collectors = steps, RunCollectors(collectors)
        self.train, self.validation, self.epochs = train, validation, epochs
        session = self.session = steps.session
        self.events, self.inbox = session.own(Events), session.own(Inbox)
        self.device = session.device
        self.tuner = session.own(TunerRegistry).of(self.device)
        self.scheduler = Scheduler(self.device, turn_ms=TURN_MS, background=self.tuner.turns)
        self.reporter = Reporter(
            steps,
            self.device,
            self.events,
            self.collectors,
            batch_size=train.batch_size,
            steps_per_epoch=len(train),
            epochs=epochs,
            lr=self._lr,
        )
        self.batches = batches_of(train, steps)
        self.programs = RunPrograms(steps, self.batches, validation, self._compiled)
        self.profiles = StepProfiles(session)
        self.validations = History()
        self.epoch = 0
        self.paused = False
        self.single_steps = 0  # number that may still run while paused
        self._compile_start = 0.0

    async def run(self) -> None:
        """Train until the end, or until a stop message.

        Raises:
            NotFiniteError: the loss became NaN or infinite.
            TabgradError: another run is under way.
        """
        if self.inbox.listening:
            raise TabgradError("fit: expected no other run under way, got one; await it first, or stop it")
        if self.steps.step:
            self.steps.mend()
        self._announce()
        self.inbox.listen(True)
        state: RunState = "failed"
        try:
            self.batches.open()
            await self.tuner.stop()
            self.tuner.turns.drive(True)
            self.collectors.start(RunInfo(device=self.device, batch_size=self.train.batch_size))
            self._compile_start = time.perf_counter()
            await self._obeying(self.programs.first(self._emit_compiling))
            self.events.emit(PhaseEvent(phase="training"))
            self._state("paused" if self.paused else "running")
            self.scheduler.every(REPORT_MS, self._report, sooner=lambda: self.reporter.is_pressing)
            self.scheduler.every(COLLECT_MS, self.reporter.collect)
            self.reporter.restart_clock()
            while self.epoch < self.epochs:
                self.epoch += 1
                await self._epoch()
            await self._catch_up()
            await self.profiles.finish()
            state = "finished"
        except Stopped:
            await self._catch_up()
            await self.profiles.finish()
            state = "stopped"
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            state = "stopped"
            raise
        finally:
            try:
                await self._abandon()
            finally:
                self.inbox.listen(False)
                self.collectors.stop()
                self._state(state)

    async def _abandon(self) -> None:
        """End all work that is still running."""
        self.profiles.cancel()
        self.batches.close()
        self.steps.forget_batches()
        try:
            await self.tuner.stop()
        finally:
            self.tuner.turns.drive(False)
        await self.scheduler.cancel()
        await self.programs.cancel()

    def _announce(self) -> None:
        info = self.device.info
        self.events.emit(
            DeviceEvent(
                device=self.device.name,
                adapter=info.name,
                kind=cast(AdapterKind, info.kind),
                reason=self.session.reason,
            )
        )
        self.events.emit(
            FitStartEvent(
                epochs=self.epochs,
                steps_per_epoch=len(self.train),
                train_samples=len(self.train.dataset),
                val_samples=None if self.validation is None else len(self.validation.dataset),
                parameters=sum(p.numel() for p in self.steps.model.parameters() if p.requires_grad),
                batch_size=self.train.batch_size,
                metrics=self.steps.names,
                lr=self._lr(),
                task="classification" if self.steps.is_classification else "regression",
            )
        )

    def _compiled(self) -> None:
        self.reporter.measure("compile", self._compile_start)
        self._compile_start = time.perf_counter()

    async def _epoch(self) -> None:
        # Few calls per step, and of the clock above all: it is JavaScript's. Small models wait for this loop.
        steps, reporter, inbox, scheduler = self.steps, self.reporter, self.inbox, self.scheduler
        steps.model.train()
        now = time.perf_counter()
        batches = self.batches.epoch()
        while True:
            if self.paused or inbox.waiting:
                await self._obey()
                now = time.perf_counter()
            batch = next(batches, None)
            if batch is not None and not isinstance(batch, Batch):
                batch = await batch
            now = reporter.measure("data", now)
            if batch is None:
                break
            if self.single_steps:
                self.single_steps -= 1
            if reporter.must_catch_up or not (self.programs.are_all_compiled or self.programs.is_first(batch)):
                await self._make_ready(batch)
                now = time.perf_counter()
            now = self._step(batch, now)
            if not scheduler.goes_on(now):
                await scheduler.turn()
                now = time.perf_counter()
        if self.validation is not None:
            await self._validate(self.validation)

    async def _make_ready(self, batch: Batch) -> None:
        """Wait for what a step on this batch needs: room in the log, and its program."""
        if self.reporter.must_catch_up:
            await self._catch_up()
        if not (self.programs.are_all_compiled or self.programs.is_first(batch)):
            await self._all_programs()

    def _step(self, batch: Batch, start_s: float) -> float:
        """Submit a step; returns when that was done."""
        self.steps.train.timed = self.reporter.is_current  # GPU time once per report is enough
        self.steps.run_train(batch)
        return self.reporter.submitted(batch, start_s)

    async def _validate(self, loader: DataLoader) -> None:
        await self._catch_up()  # otherwise the time of steps in flight would not be counted
        start = time.perf_counter()
        stepping = self.paused  # a single step that ended the epoch includes the validation
        await self._all_programs()
        self.steps.model.eval()
        first = True
        async for batch in loader.numpy_batches_async():
            self.steps.run_validate(*batch, first=first)
            first = False
            await self.scheduler.after_step()
            await self._obey(idle=True, hold=not stepping)
        values = await self.steps.validation_means()
        prediction = self.steps.predict(Tensor._of(sample_inputs(loader)[0]))
        self.steps.model.train()
        self.validations.add({"step": self.reporter.done, "epoch": self.epoch, **values})
        loss = values.pop("loss")
        self.events.emit(ValidationEvent(step=self.reporter.done, epoch=self.epoch, loss=loss, metrics=values))
        (predicted,) = await read(prediction)
        self.events.emit(sample_event(loader, predicted, self.steps.is_classification))
        self.reporter.idle_since(start)

    async def _all_programs(self) -> None:
        await self.scheduler.settle()
        await self.programs.all()

    async def _report(self) -> None:
        await self.reporter.report()
        self.programs.begin_rest()
        if self.programs.are_all_compiled:
            self.tuner.begin()

    async def _catch_up(self) -> None:
        """Wait for the steps in flight and report all of them."""
        await self.scheduler.settle()
        await self._report()

    # Controls

    async def _obey(self, *, idle: bool = False, hold: bool = True) -> None:
        """Take all waiting messages; while paused, wait for the next one.

        Args:
            idle: the caller already counts the time as idle.
            hold: wait while paused.

        Raises:
            Stopped: a stop message arrived.
        """
        while True:
            self._take_all()
            if not self.paused or self.single_steps or not hold:
                return
            start = time.perf_counter()
            await self._catch_up()
            if not self.inbox.waiting:
                await self._wait_for_message()
            if not idle:
                self.reporter.idle_since(start)

    async def _wait_for_message(self) -> None:
        self.tuner.turns.hurry(True)  # no training during a pause
        try:
            await self.inbox.wait()
        finally:
            self.tuner.turns.hurry(False)

    async def _obeying(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for work other than a step, and handle messages meanwhile."""
        task = asyncio.ensure_future(work)
        try:
            while not task.done():
                arrived = asyncio.ensure_future(self.inbox.wait())
                await asyncio.wait((task, arrived), return_when=asyncio.FIRST_COMPLETED)
                arrived.cancel()
                self._take_all()
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _take_all(self) -> None:
        while (message := self.inbox.take()) is not None:
            self._take(message)

    def _take(self, message: ControlMessage) -> None:
        if isinstance(message, PingMessage):
            self.events.emit(PongEvent(id=message.id, step=self.reporter.done))
        elif isinstance(message, SetLrMessage):
            self._set_lr(message.lr)
        elif isinstance(message, ProfileMessage):
            self.profiles.take(message.steps)
        elif isinstance(message, StopMessage):
            raise Stopped
        elif isinstance(message, StepMessage):
            self.single_steps += 1
            self._pause(True)
        else:
            self._pause(isinstance(message, PauseMessage))

    def _pause(self, paused: bool) -> None:
        if not paused:
            self.single_steps = 0
        if paused != self.paused:
            self.paused = paused
            self._state("paused" if paused else "running")

    def _set_lr(self, lr: float) -> None:
        for group in self.steps.optimizer.param_groups:
            group["lr"] = float(lr)

    def _lr(self) -> float:
        return float(self.steps.optimizer.param_groups[0]["lr"])

    def _state(self, state: RunState) -> None:
        self.events.emit(StateEvent(state=state, step=self.reporter.done))

    def _emit_compiling(self, done: int, total: int) -> None:
        self.events.emit(CompilingEvent(done=done, total=total))
