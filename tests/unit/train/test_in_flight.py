"""Work in flight is bounded by the time that it takes, as the fences that come back tell."""

from __future__ import annotations

import asyncio

import pytest

from tabgrad.devices.reference import ReferenceDevice
from tabgrad.train import in_flight
from tabgrad.train.in_flight import FEWEST, MOST, QUEUE_MS, InFlight


class Clock:
    """A device that takes a set time for a step, and the clock by which it does."""

    def __init__(self, step_ms: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s, self.step_s = 100.0, step_ms / 1000
        self.submitted = self.finished = 0
        self.ends_s = 0.0  # of what is queued
        self.device = ReferenceDevice()
        monkeypatch.setattr(self.device, "fence", self.fence)
        monkeypatch.setattr(in_flight.time, "perf_counter", lambda: self.now_s)

    async def fence(self) -> None:
        mine = self.submitted
        while self.finished < mine:
            await asyncio.sleep(0)

    def submit(self, host_s: float) -> None:
        self.submitted += 1
        self.ends_s = max(self.ends_s, self.now_s) + self.step_s
        self.pass_time(host_s)

    def pass_time(self, seconds: float) -> None:
        self.now_s += seconds
        left = max(0.0, self.ends_s - self.now_s)
        self.finished = self.submitted - -int(-left // self.step_s) if left > 1e-9 else self.submitted


@pytest.mark.parametrize(("step_ms", "least", "most"), [(200.0, 2, 2), (5.0, 4, 7), (1.0, 20, 34), (0.02, 100, MOST)])
def test_steps_in_flight_are_those_of_two_frames(
    step_ms: float, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(step_ms, monkeypatch)
    flights: list[int] = []

    async def main() -> None:
        flight = InFlight(clock.device)
        for n in range(1500):
            clock.submit(1e-6)
            flights.append(clock.submitted - clock.finished)
            if n < 3:
                assert flights[-1] <= FEWEST  # nothing is known yet
            if flight.add():
                continue
            flight.fence()
            room = asyncio.ensure_future(flight.room())
            while not room.done():
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                clock.pass_time(clock.step_s / 4)
            await room
        await asyncio.wait_for(_drained(flight, clock), 10)

    asyncio.run(main())
    assert least <= max(flights[300:]) <= most
    assert max(flights) * step_ms <= max(QUEUE_MS + step_ms, 2 * step_ms) + 1e-6


async def _drained(flight: InFlight, clock: Clock) -> None:
    task = asyncio.ensure_future(flight.drain())
    while not task.done():
        clock.pass_time(clock.step_s)
        await asyncio.sleep(0)
    assert clock.finished == clock.submitted


def test_an_error_of_the_device_reaches_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    device = ReferenceDevice()

    async def lost() -> None:
        raise RuntimeError("lost")

    monkeypatch.setattr(device, "fence", lost)

    async def main() -> None:
        flight = InFlight(device)
        flight.add()
        with pytest.raises(RuntimeError, match="lost"):
            await flight.drain()

    asyncio.run(main())
