"""Steps that were submitted and may not have finished: how many there are, and how long they take the device."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabgrad.devices.base import Device

QUEUE_MS = 33.0  # of work on the device: two frames of a display, which may show something else meanwhile
GROUP_MS = QUEUE_MS / 4  # of work between two fences
FEWEST, MOST = 2, 512  # steps in flight, whatever they take
FORGET = 0.7  # weight of earlier measurements at each new one


class InFlight:
    """Groups of steps, each followed by a fence. When the fences come back tells how long a step takes.

    Args:
        device: runs the steps.
        most_groups: a fixed bound in place of one by time.
    """

    def __init__(self, device: Device, most_groups: int | None = None) -> None:
        self._device, self._most_groups = device, most_groups
        self._groups: deque[_Group] = deque()
        self._open = 0  # steps without a fence yet
        self._closed = 0  # steps in groups
        self._busy_ms = self._measured = 0.0  # of finished steps, and their number, the newest ones weighted most
        self._last_s = 0.0  # when the newest group finished

    @property
    def step_ms(self) -> float | None:
        """The device's time for a step, at most; None before the first one has finished."""
        return self._busy_ms / self._measured if self._measured else None

    def add(self) -> bool:
        """A step was submitted; returns whether another one may follow before the fence."""
        self._open += 1
        step_ms = self.step_ms
        return step_ms is not None and (self._open + 1) * step_ms <= GROUP_MS and not self._is_full(self._open + 1)

    def fence(self) -> None:
        """The steps since the last fence are a group."""
        if self._open:
            self._groups.append(_Group(self._device, self._open))
            self._closed += self._open
            self._open = 0

    async def room(self) -> bool:
        """Wait until another step may be submitted; returns whether that took a turn of the event loop."""
        waited = False
        self._clear()
        while self._groups and self._is_full(1):
            await self._groups[0].finished
            waited = True
            self._clear()
        return waited

    async def drain(self) -> None:
        """Wait for all steps."""
        self.fence()
        while self._groups:
            await self._groups[0].finished
            self._clear()

    async def cancel(self) -> None:
        """Wait for nothing any more."""
        groups, self._open, self._closed = list(self._groups), 0, 0
        self._groups.clear()
        for group in groups:
            group.finished.cancel()
        await asyncio.gather(*(g.finished for g in groups), return_exceptions=True)

    def _is_full(self, more: int) -> bool:
        """Whether so many more steps are too many."""
        if self._most_groups is not None:
            return len(self._groups) >= self._most_groups
        steps = self._closed + more
        if steps <= FEWEST:
            return False
        step_ms = self.step_ms
        return step_ms is None or steps > MOST or steps * step_ms > QUEUE_MS

    def _clear(self) -> None:
        """Take note of the groups that have finished; raises what the device met."""
        while self._groups and self._groups[0].finished.done():
            group = self._groups.popleft()
            self._closed -= group.steps
            done_s = group.finished.result()
            self._busy_ms = FORGET * self._busy_ms + 1000 * (done_s - max(group.start_s, self._last_s))
            self._measured = FORGET * self._measured + group.steps
            self._last_s = done_s


class _Group:
    """Steps before a fence; ``finished`` gives the time when it came back."""

    def __init__(self, device: Device, steps: int) -> None:
        self.steps = steps
        self.start_s = time.perf_counter()
        self.finished = asyncio.ensure_future(self._finish(device))

    async def _finish(self, device: Device) -> float:
        await device.fence()
        return time.perf_counter()


__all__ = ["InFlight"]
