"""The cooperative scheduler: a bounded queue, a turn of the event loop after each step, and jobs one at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tabgrad.devices.reference import ReferenceDevice
from tabgrad.train.scheduler import Scheduler


class SlowDevice(ReferenceDevice):
    """Finishes the work of a step only when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[asyncio.Event] = []
        self.breaths = 0

    async def fence(self) -> None:
        done = asyncio.Event()
        self.waiting.append(done)
        await done.wait()

    async def breathe(self) -> None:
        self.breaths += 1
        await asyncio.sleep(0)

    def finish(self, count: int = 1) -> None:
        for _ in range(count):
            self.waiting.pop(0).set()


async def _settle_down() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_steps_in_flight_are_bounded(most: int) -> None:
    async def main() -> None:
        device = SlowDevice()
        scheduler = Scheduler(device, max_in_flight=most)
        submitted = 0

        async def train() -> None:
            nonlocal submitted
            for _ in range(10):
                submitted += 1
                await scheduler.after_step()

        task = asyncio.ensure_future(train())
        for finished in range(6):
            await _settle_down()
            assert submitted - finished == most
            device.finish()
        task.cancel()
        await scheduler.cancel()

    asyncio.run(main())


def test_other_tasks_get_a_turn_after_every_step() -> None:
    async def main() -> None:
        scheduler = Scheduler(ReferenceDevice())
        order: list[str] = []

        async def train() -> None:
            for _ in range(5):
                order.append("step")
                await scheduler.after_step()

        async def other() -> None:
            for _ in range(5):
                order.append("other")
                await asyncio.sleep(0)

        await asyncio.gather(train(), other())
        assert "step step" not in " ".join(order)

    asyncio.run(main())


def test_settle_waits_for_everything_in_flight() -> None:
    async def main() -> None:
        device = SlowDevice()
        scheduler = Scheduler(device, max_in_flight=3)
        await scheduler.after_step()
        await scheduler.after_step()
        task = asyncio.ensure_future(scheduler.settle())
        await _settle_down()
        assert not task.done()
        device.finish(2)
        await asyncio.wait_for(task, 5)

    asyncio.run(main())


def test_a_job_runs_at_most_once_per_interval_and_never_twice_at_a_time() -> None:
    async def main() -> None:
        scheduler = Scheduler(ReferenceDevice())
        running, runs = 0, 0
        release = asyncio.Event()

        async def job() -> None:
            nonlocal running, runs
            running, runs = running + 1, runs + 1
            assert running == 1
            await release.wait()
            running -= 1

        scheduler.every(0, job)
        for _ in range(5):
            await scheduler.after_step()
        assert runs == 1
        release.set()
        for _ in range(5):
            await scheduler.after_step()
        assert runs > 1
        await scheduler.settle()

    asyncio.run(main())


def test_a_job_waits_for_its_interval() -> None:
    async def main() -> None:
        scheduler = Scheduler(ReferenceDevice())
        runs: list[Any] = []

        async def job() -> None:
            runs.append(None)

        scheduler.every(60_000, job)
        for _ in range(20):
            await scheduler.after_step()
        await scheduler.settle()
        assert runs == [None]  # the first one is due at once

    asyncio.run(main())


@pytest.mark.parametrize("where", ["the next step", "settle"])
def test_what_a_job_raises_reaches_the_run(where: str) -> None:
    async def main() -> None:
        scheduler = Scheduler(ReferenceDevice())

        async def job() -> None:
            raise KeyError("from the job")

        scheduler.every(0, job)

        async def go_on() -> None:
            for _ in range(3):
                await scheduler.after_step()

        await scheduler.after_step()
        with pytest.raises(KeyError, match="from the job"):
            await (scheduler.settle() if where == "settle" else go_on())
        await scheduler.cancel()

    asyncio.run(main())


def test_cancel_leaves_no_task_behind() -> None:
    async def main() -> None:
        device = SlowDevice()
        scheduler = Scheduler(device, max_in_flight=4)

        async def forever() -> None:
            await asyncio.Event().wait()

        scheduler.every(0, forever)
        await scheduler.after_step()
        await scheduler.after_step()
        await scheduler.cancel()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_background_work_is_offered_a_turn_behind_the_jobs_that_are_due() -> None:
    order: list[str] = []

    class Background:
        async def offer(self) -> None:
            asyncio.get_running_loop().call_soon(order.append, "slice")  # as a task that waits for an offer

    async def job() -> None:
        order.append("job")

    async def main() -> None:
        scheduler = Scheduler(ReferenceDevice(), background=Background())
        scheduler.every(1e6, job)
        await scheduler.after_step()
        await _settle_down()
        await scheduler.after_step()
        await scheduler.settle()
        await _settle_down()

    asyncio.run(main())
    assert order == ["job", "slice", "slice"]
