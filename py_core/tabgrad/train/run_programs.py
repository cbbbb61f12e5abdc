"""Compile a run's programs: what the first step needs before it, everything else while training goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tabgrad.data import DataLoader
from tabgrad.runtime.capture import RecordedStep
from tabgrad.tensor import Tensor
from tabgrad.train.batches import Batch, HostBatches
from tabgrad.train.sample_predictions import sample_inputs
from tabgrad.train.steps import Steps
from tabgrad.tuner import TunerRegistry

if TYPE_CHECKING:
    from tabgrad.devices.base import Progress


class RunPrograms:
    """The training step for each batch size, the validation step and the predictions of one run.

    Args:
        steps: what is recorded.
        train, validation: whose kinds of batches occur.
        on_compiled: called after each program that took time.
    """

    def __init__(
        self,
        steps: Steps,
        train: HostBatches,
        validation: DataLoader | None,
        on_compiled: Callable[[], None],
    ) -> None:
        self._steps, self._validation, self._on_compiled = steps, validation, on_compiled
        self._session, self._device = steps.session, steps.session.device
        self._first, *self._others = train.samples()
        self._may_begin = asyncio.Event()
        self._rest: asyncio.Future[None] | None = None

    async def first(self, on_progress: Progress) -> None:
        """Compile the training step for the first batch; the rest waits for :meth:`begin_rest`.

        With tuning before the first step, its kernels are measured, too.
        """
        recorded = self._record("train", self._first.arguments())
        observer = self._session.observer
        if observer is not None:
            for mode, arguments in [("train", self._first.arguments()), *self._later()]:
                self._record(mode, arguments).num_kernels()
            observer.recorded()
        total = recorded.num_kernels()
        on_progress(0, total)
        await self._device.breathe()
        await recorded.ready(lambda done, _: on_progress(done, total))
        on_progress(total, total)
        self._on_compiled()
        if self._session.own(TunerRegistry).settings.tuning.mode == "before":
            await recorded.tune()
        self._rest = asyncio.ensure_future(self._compile_rest())

    def begin_rest(self) -> None:
        """Start on the other programs: there is something to look at now."""
        self._may_begin.set()

    def is_first(self, batch: Batch) -> bool:
        """Whether a training batch is of the kind that :meth:`first` compiled for."""
        return bool(batch.kind == self._first.kind)

    @property
    def are_all_compiled(self) -> bool:
        """Whether the driver has nothing more urgent to compile."""
        return self._rest is not None and self._rest.done()

    async def all(self) -> None:
        """Wait until every program is there."""
        self.begin_rest()
        if self._rest is not None:
            await self._rest

    async def cancel(self) -> None:
        """Abandon what is not compiled yet."""
        if self._rest is not None:
            self._rest.cancel()
            await asyncio.gather(self._rest, return_exceptions=True)

    async def _compile_rest(self) -> None:
        await self._may_begin.wait()
        for mode, arguments in self._later():
            await self._device.breathe()
            await self._record(mode, arguments).ready()
            self._on_compiled()

    def _later(self) -> list[tuple[str, Sequence[Any]]]:
        """Modes and arguments of all programs but the first."""
        jobs: list[tuple[str, Sequence[Any]]] = [("train", batch.arguments()) for batch in self._others]
        if self._validation is not None:
            jobs += [
                ("validate", batch.arguments()) for batch in HostBatches(self._validation, self._session).samples()
            ]
            jobs.append(("predict", [Tensor._of(sample_inputs(self._validation)[0])]))
        return jobs

    def _record(self, mode: str, arguments: Sequence[Any]) -> RecordedStep:
        """Record a step in the mode in which it will run; nothing else runs meanwhile."""
        model = self._steps.model
        was_training = model.training
        model.train(mode == "train")
        try:
            return getattr(self._steps, mode).record(*arguments)
        finally:
            model.train(was_training)
