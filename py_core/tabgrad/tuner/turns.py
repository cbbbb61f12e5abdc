"""The tuner's turns on the device: between steps, one slice at a time, for a bounded share of the time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from tabgrad.tuner.settings import Settings

if TYPE_CHECKING:
    from tabgrad.devices.base import Device

SHARE = 0.2  # of the time during training
OFFER_S = 0.008  # an offer is valid this long, for slices that do not use the device
HOLD_S = 0.5  # no slice this long after a program was compiled, so that its first step is not delayed


class Turn:
    """One slice. ``pace_s`` is the time taken from training, ``spent_s`` from the budget; the default of both is
    the slice's duration.
    """

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.pace_s: float | None = None
        self.spent_s: float | None = None


class Turns:
    """Turns by the clock; or, if driven, by offers of a training loop's scheduler; or, if hurried, without waiting."""

    def __init__(self, device: Device, settings: Settings) -> None:
        self._device, self.settings = device, settings
        self._next = 0.0  # when the share of time allows the next slice
        self._holds = 0
        self._driven = False
        self._offered_until = 0.0
        self._hurried = 0
        self._waiting: asyncio.Future[None] | None = None
        self._wants_quiet = False
        self._under_way: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def turn(self, *, quiet: bool = False) -> AsyncIterator[Turn]:
        """Wait for a turn and hold it inside the block; if ``quiet``, no other work runs in that time."""
        try:
            await self._wait(quiet)
            turn = Turn()
            try:
                yield turn
            finally:
                self._account(turn)
        finally:
            if self._under_way is not None and not self._under_way.done():
                self._under_way.set_result(None)

    def _account(self, turn: Turn) -> None:
        now = time.perf_counter()
        elapsed = now - turn.start
        pace_s = elapsed if turn.pace_s is None else turn.pace_s
        self._next = now + pace_s * (1 / SHARE - 1)
        self.settings.spend(elapsed if self._hurried else pace_s if turn.spent_s is None else turn.spent_s)

    async def _wait(self, quiet: bool) -> None:
        if not self._hurried and self._driven and (quiet or self._due_in() > 0 or self._offer_is_over()):
            self._waiting, self._wants_quiet = asyncio.get_running_loop().create_future(), quiet
            try:
                await self._waiting
            finally:
                self._waiting = None
        elif not self._hurried and self._due_in() > 0:
            while not self._hurried and (left := self._due_in()) > 0:  # it may be postponed while waiting
                self._waiting, self._wants_quiet = asyncio.get_running_loop().create_future(), quiet
                try:
                    await asyncio.wait([self._waiting], timeout=left)  # or until hurried
                finally:
                    self._waiting = None
        else:
            await self._device.breathe()

    def _due_in(self) -> float:
        """Approximate seconds until the next slice may begin."""
        return HOLD_S if self._holds else self._next - time.perf_counter()

    def _offer_is_over(self) -> bool:
        return time.perf_counter() > self._offered_until

    # For the training loop

    async def offer(self) -> None:
        """Called when nothing more urgent is due: a waiting slice begins if its time has come."""
        waiting = self._waiting
        if waiting is None or waiting.done() or self._due_in() > 0:
            return
        waiting.set_result(None)
        self._offered_until = time.perf_counter() + OFFER_S
        if self._wants_quiet:
            self._under_way = asyncio.get_running_loop().create_future()
            await self._under_way

    @contextmanager
    def held(self) -> Iterator[None]:
        """A context for compiling a program that a caller waits for: no slice begins inside or ``HOLD_S`` after."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            self._next = max(self._next, time.perf_counter() + HOLD_S)

    @property
    def driven(self) -> bool:
        """Whether turns come only from a scheduler's offers."""
        return self._driven

    @property
    def hurried(self) -> bool:
        """Whether training waits for the tuner."""
        return self._hurried > 0

    def drive(self, on: bool) -> None:
        """From now on turns come from :meth:`offer` (or no longer do)."""
        self._driven = on
        self._wake()

    def hurry(self, on: bool) -> None:
        """Training is waiting: slices follow each other without pauses (or no longer do). Calls may be nested."""
        self._hurried += 1 if on else -1
        assert self._hurried >= 0
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done() and (self._hurried or not self._driven):
            self._waiting.set_result(None)
