"""The cooperative scheduler: training shares the event loop with messages, reads and background work.

After each step the event loop runs, so control messages arrive between any two steps. At most a few steps
are in flight; periodic jobs (metric reads, collectors) run one at a time, each as its own task.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tabgrad.devices.base import Device

Job = Callable[[], Awaitable[Any]]


class Scheduler:
    """Schedules one run's work on the event loop.

    Args:
        device: runs the steps.
        max_in_flight: most steps queued on the device.
        background: is offered a turn after each step, after the due jobs.
    """

    def __init__(self, device: Device, *, max_in_flight: int = 2, background: Background | None = None) -> None:
        self._device = device
        self._background = background
        self._max_in_flight = max_in_flight
        self._fences: deque[asyncio.Future[None]] = deque()
        self._periodic: list[_Periodic] = []

    def every(self, interval_ms: float, job: Job) -> None:
        """Run ``job`` at most once per interval, and never concurrently with itself."""
        self._periodic.append(_Periodic(interval_ms / 1000, job))

    async def after_step(self) -> None:
        """Called after a step was submitted: limit the queue, let the event loop run, start due jobs."""
        self._fences.append(asyncio.ensure_future(self._device.fence()))
        if len(self._fences) >= self._max_in_flight:
            await self._fences.popleft()
        else:
            await self._device.breathe()
        self._start_due()
        if self._background is not None:
            await self._background.offer()  # the jobs' tasks were made before, so they start first

    def _start_due(self) -> None:
        for periodic in self._periodic:
            periodic.start_if_due()

    async def settle(self) -> None:
        """Wait for all steps in flight and running jobs; raises a job's error."""
        while self._fences:
            await self._fences.popleft()
        for periodic in self._periodic:
            await periodic.finish()

    async def cancel(self) -> None:
        """Cancel all waiting work, after an error."""
        pending = [*self._fences, *(p.task for p in self._periodic if p.task is not None)]
        self._fences.clear()
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


class Background(Protocol):
    """Background work in slices; :class:`tabgrad.tuner.turns.Turns` is one."""

    async def offer(self) -> None:
        """Begin a slice if one waits; return at once, unless no step may run during the slice."""


class _Periodic:
    def __init__(self, interval_s: float, job: Job) -> None:
        self.interval_s = interval_s
        self.job = job
        self.task: asyncio.Future[Any] | None = None
        self._next = time.perf_counter()  # the first run is due at once

    def start_if_due(self) -> None:
        if self.task is not None:
            if not self.task.done():
                return
            task, self.task = self.task, None
            task.result()  # raises the job's error
        now = time.perf_counter()
        if now >= self._next:
            self._next = now + self.interval_s
            self.task = asyncio.ensure_future(self.job())

    async def finish(self) -> None:
        if self.task is not None:
            task, self.task = self.task, None
            await task
