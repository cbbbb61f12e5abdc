"""Steps that were submitted and may not have finished: how many there are, and how long they take the device."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from tabgrad.train.fence_mark import set_mark

if TYPE_CHECKING:
    from tabgrad.devices.base import Device
    from tabgrad.devices.mark import Mark

QUEUE_MS = 33.0  # of work on the device: two frames of a display, which may show something else meanwhile
GROUP_MS = QUEUE_MS / 4  # of work between two marks
FEWEST, MOST = 2, 512  # steps in flight, whatever they take
FORGET = 0.7  # weight of earlier measurements at each new one


class InFlight:
    """Groups of steps, each followed by a mark. When the marks are reached tells how long a step takes.

    Args:
        device: runs the steps.
        most_groups: a fixed bound in place of one by time.
    """

    def __init__(self, device: Device, most_groups: int | None = None) -> None:
        self._device, self._most_groups = device, most_groups
        self._groups: deque[_Group] = deque()
        self._open = 0  # steps without a mark yet
        self._may_open = 0  # how many of them there may be
        self._closed = 0  # steps in groups
        self._busy_ms = self._measured = 0.0  # of finished steps, and their number, the newest ones weighted most
        self._last_s = 0.0  # when the newest group finished

    @property
    def step_ms(self) -> float | None:
        """The device's time for a step, at most; None before the first one has finished."""
        return self._busy_ms / self._measured if self._measured else None

    def add(self) -> bool:
        """A step was submitted; returns whether another one may follow before the next mark."""
        self._open += 1
        return self._open < self._may_open

    def fence(self) -> None:
        """The steps since the last mark are a group."""
        if self._open:
            self._groups.append(_Group(self._open, time.perf_counter(), set_mark(self._device)))
            self._closed += self._open
            self._open = self._may_open = 0

    async def room(self) -> bool:
        """Wait until another step may be submitted; returns whether that took a turn of the event loop."""
        waited = False
        self._clear()
        while self._groups and self._is_full():
            await self._groups[0].mark.wait()
            waited = True
            self._clear()
        self._may_open = self._most_open()
        return waited

    async def drain(self) -> None:
        """Wait for all steps."""
        self.fence()
        while self._groups:
            await self._groups[0].mark.wait()
            self._clear()

    async def cancel(self) -> None:
        """Wait for nothing any more."""
        groups, self._open, self._closed = list(self._groups), 0, 0
        self._groups.clear()
        for group in groups:
            await group.mark.drop()

    def _most_open(self) -> int:
        """How many steps the next group may have; it has one in any case."""
        step_ms = self.step_ms
        if step_ms is None:
            return 1
        most = min(MOST, int(GROUP_MS / max(step_ms, 1e-6)))
        return max(1, most if self._most_groups is not None else min(most, self._most() - self._closed))

    def _is_full(self) -> bool:
        """Whether one more step is too many."""
        if self._most_groups is not None:
            return len(self._groups) >= self._most_groups
        return self._closed + 1 > self._most()

    def _most(self) -> int:
        """How many steps there may be, in groups and without a mark yet."""
        step_ms = self.step_ms
        return FEWEST if step_ms is None else max(FEWEST, min(MOST, int(QUEUE_MS / max(step_ms, 1e-6))))

    def _clear(self) -> None:
        """Take note of the groups that have finished; raises what the device met."""
        while self._groups and (done_s := self._groups[0].mark.reached_s()) is not None:
            group = self._groups.popleft()
            self._closed -= group.steps
            self._busy_ms = FORGET * self._busy_ms + 1000 * (done_s - max(group.start_s, self._last_s))
            self._measured = FORGET * self._measured + group.steps
            self._last_s = done_s


class _Group(NamedTuple):
    """Steps before a mark."""

    steps: int
    start_s: float
    mark: Mark


__all__ = ["InFlight"]
