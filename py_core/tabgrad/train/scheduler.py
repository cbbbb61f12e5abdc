"""The cooperative scheduler: training shares the event loop with messages, reads and background work.

The event loop runs after each step, or every few milliseconds where steps are shorter, so control messages arrive in
time. The work in flight is bounded; periodic jobs (metric reads, collectors) run one at a time, each as its own task.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

from tabgrad.train.in_flight import InFlight

if TYPE_CHECKING:
    from tabgrad.devices.base import Device

Job = Callable[[], Awaitable[Any]]


class Scheduler:
    """Schedules one run's work on the event loop.

    Args:
        device: runs the steps.
        max_in_flight: most steps queued on the device; default: as many as take it two frames of a display.
        turn_ms: steps follow each other for so long without a turn of the event loop.
        background: is offered a turn at each turn of the event loop, after the due jobs.
    """

    def __init__(
        self,
        device: Device,
        *,
        max_in_flight: int | None = None,
        turn_ms: float = 0.0,
        background: Background | None = None,
    ) -> None:
        self._device = device
        self._background = background
        self._in_flight = InFlight(device, max_in_flight)
        self._turn_s = turn_ms / 1000
        self._turn_over_s = 0.0
        self._periodic: list[_Periodic] = []

    def every(self, interval_ms: float, job: Job, *, sooner: Callable[[], bool] | None = None) -> None:
        """Run ``job`` at most once per interval, or when ``sooner`` says so, and never concurrently with itself."""
        self._periodic.append(_Periodic(interval_ms / 1000, job, sooner))

    async def after_step(self) -> None:
        """Called after a step was submitted: limit the queue, let the event loop run, start due jobs."""
        if not self.goes_on(time.perf_counter()):
            await self.turn()

    def goes_on(self, now_s: float) -> bool:
        """A step was submitted by then; returns whether another may follow before :meth:`turn`.

        These two are :meth:`after_step` without a coroutine for each step.
        """
        return self._in_flight.add() and now_s < self._turn_over_s

    async def turn(self) -> None:
        """Limit the queue, let the event loop run, start due jobs."""
        self._in_flight.fence()
        if not await self._in_flight.room():
            await self._device.breathe()
        self._start_due()
        if self._background is not None:
            await self._background.offer()  # the jobs' tasks were made before, so they start first
        self._turn_over_s = time.perf_counter() + self._turn_s

    def _start_due(self) -> None:
        for periodic in self._periodic:
            periodic.start_if_due()

    async def settle(self) -> None:
        """Wait for all steps in flight and running jobs; raises a job's error."""
        await self._in_flight.drain()
        for periodic in self._periodic:
            await periodic.finish()

    async def cancel(self) -> None:
        """Cancel all waiting work, after an error."""
        jobs = [p.task for p in self._periodic if p.task is not None]
        for task in jobs:
            task.cancel()
        await self._in_flight.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)


class Background(Protocol):
    """Background work in slices; :class:`tabgrad.tuner.turns.Turns` is one."""

    async def offer(self) -> None:
        """Begin a slice if one waits; return at once, unless no step may run during the slice."""


class _Periodic:
    def __init__(self, interval_s: float, job: Job, sooner: Callable[[], bool] | None) -> None:
        self.interval_s = interval_s
        self.job, self._sooner = job, sooner
        self.task: asyncio.Future[Any] | None = None
        self._next = time.perf_counter()  # the first run is due at once

    def start_if_due(self) -> None:
        if self.task is not None:
            if not self.task.done():
                return
            task, self.task = self.task, None
            task.result()  # raises the job's error
        now = time.perf_counter()
        if now >= self._next or (self._sooner is not None and self._sooner()):
            self._next = now + self.interval_s
            self.task = asyncio.ensure_future(self.job())

    async def finish(self) -> None:
        if self.task is not None:
            task, self.task = self.task, None
            await task
