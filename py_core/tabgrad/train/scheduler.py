"""The cooperative scheduler: training shares the event loop with messages, reads and background work.

After each step the loop gets a turn, so control messages arrive between any two steps. At most a few steps
are in flight; periodic jobs (metric reads, collectors) run one at a time, each as a task of its own.
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
    """Orders one run's work on the event loop.

    Args:
        device: where steps are submitted.
        max_in_flight: steps that may be queued on the device before the next one waits.
        background: is offered a turn after each step, behind the jobs that were due.
    """

    def __init__(self, device: Device, *, max_in_flight: int = 2, background: Background | None = None) -> None:
        self._device = device
        self._background = background
        self._max_in_flight = max_in_flight
        self._fences: deque[asyncio.Future[None]] = deque()
        self._periodic: list[_Periodic] = []

    def every(self, interval_ms: float, job: Job) -> None:
        """Run ``job`` at most once per interval, never twice at a time."""
        self._periodic.append(_Periodic(interval_ms / 1000, job))

    async def after_step(self) -> None:
        """Called when a step has been submitted: bound the queue, let messages in, start due jobs."""
        self._fences.append(asyncio.ensure_future(self._device.fence()))
        if len(self._fences) >= self._max_in_flight:
            await self._fences.popleft()
        else:
            await self._device.breathe()
        self._start_due()
        if self._background is not None:
            await self._background.offer()  # the jobs' tasks were made first, so they begin first

    def _start_due(self) -> None:
        for periodic in self._periodic:
            periodic.start_if_due()

    async def settle(self) -> None:
        """Wait for all steps in flight and for jobs under way; raises what a job raised."""
        while self._fences:
            await self._fences.popleft()
        for periodic in self._periodic:
            await periodic.finish()

    async def cancel(self) -> None:
        """Abandon all waiting work, after an error."""
        pending = [*self._fences, *(p.task for p in self._periodic if p.task is not None)]
        self._fences.clear()
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


class Background(Protocol):
    """Work that nobody waits for, in slices; :class:`tabgrad.tuner.turns.Turns` is one."""

    async def offer(self) -> None:
        """Begin a slice, if one waits; return at once unless it bears no step beside it."""


class _Periodic:
    def __init__(self, interval_s: float, job: Job) -> None:
        self.interval_s = interval_s
        self.job = job
        self.task: asyncio.Future[Any] | None = None
        self._next = time.perf_counter()  # the first time at once

    def start_if_due(self) -> None:
        if self.task is not None:
            if not self.task.done():
                return
            task, self.task = self.task, None
            task.result()  # raise here what the job raised
        now = time.perf_counter()
        if now >= self._next:
            self._next = now + self.interval_s
            self.task = asyncio.ensure_future(self.job())

    async def finish(self) -> None:
        if self.task is not None:
            task, self.task = self.task, None
            await task
