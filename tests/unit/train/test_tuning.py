"""Tuning during a trainer's run: after its first report, between its steps, and until the run ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest

import tabgrad as tg
from sessions import session_on
from tabgrad.session import current
from tabgrad.tuner import current_tuner
from unit.compiler.scripted_device import ScriptedDevice
from unit.train.harness import Log, loader, logged, send, trainer, until

MANY = 100_000


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedDevice]:
    monkeypatch.setattr("tabgrad.tuner.turns.SHARE", 1.0)
    with session_on(ScriptedDevice({1: 0.02, 64: 0.02, 128: 0.01, 256: 0.005}), tuning="background") as session:
        yield session.device


def noted(device: ScriptedDevice, log: Log) -> None:
    """Add the run's reports to the device's log."""
    log.on("metrics", lambda _: device.log.append("report"))
    log.on("state", lambda e: device.log.append(e["state"]))


def tuner_work(device: ScriptedDevice) -> list[str]:
    return [s for s in device.log if s.startswith(("compile", "launch", "swap"))]


def test_kernels_are_tuned_after_the_first_report_and_swapped_in(device: ScriptedDevice) -> None:
    async def main(log: Log) -> None:
        noted(device, log)
        task = asyncio.ensure_future(trainer(lr=1e-3).fit(loader(), epochs=MANY))
        await until(lambda: any(e["phase"] == "done" for e in log.of("tuning")))
        send("stop")
        await task

    with logged() as log:
        asyncio.run(main(log))
    first = device.log.index(tuner_work(device)[0])
    assert "report" in device.log[:first]
    assert "step" in device.log[: device.log.index("report")]
    assert "swap 256" in device.log
    texts = [e["text"] for e in log.of("tuning")]
    assert texts[0].startswith("tuning 1 of ")
    assert any("elementwise/map workgroup=256" in t for t in texts)


def test_tuning_ends_with_the_run(device: ScriptedDevice) -> None:
    async def main(log: Log) -> None:
        noted(device, log)
        task = asyncio.ensure_future(trainer(lr=1e-3).fit(loader(), epochs=MANY))
        await until(lambda: device.open_benches)
        send("stop")
        await task
        assert device.open_benches == 0
        before = len(device.log)
        for _ in range(50):
            await asyncio.sleep(0)
        assert device.log[before:] == []
        assert not current_tuner().turns.driven

    with logged() as log:
        asyncio.run(main(log))
    assert log.states()[-1] == "stopped"


def test_tuning_goes_on_while_the_run_rests(device: ScriptedDevice) -> None:
    async def main(log: Log) -> None:
        task = asyncio.ensure_future(trainer(lr=1e-3).fit(loader(), epochs=MANY))
        await until(lambda: tuner_work(device))
        send("pause")
        await until(lambda: "paused" in log.states())
        steps = device.log.count("step")
        await until(lambda: any(e["phase"] == "done" for e in log.of("tuning")))
        assert device.log.count("step") - steps <= 1
        send("stop")
        await task

    with logged() as log:
        asyncio.run(main(log))


def test_before_measures_before_the_first_step(device: ScriptedDevice) -> None:
    tg.tuning("before")

    async def main(log: Log) -> None:
        noted(device, log)
        await trainer(lr=1e-3).fit(loader(8), epochs=3)

    with logged() as log:
        asyncio.run(main(log))
    running = device.log.index("running")
    assert "swap 256" in device.log[:running]
    assert "report" not in device.log[:running]
    kinds = [e["type"] for e in log.events]
    assert kinds.index("tuning") < kinds.index("state")


def test_before_can_be_stopped(device: ScriptedDevice) -> None:
    tg.tuning("before")

    async def main(log: Log) -> None:
        task = asyncio.ensure_future(trainer(lr=1e-3).fit(loader(8), epochs=3))
        await until(lambda: device.open_benches)
        send("stop")
        await task
        assert device.open_benches == 0

    with logged() as log:
        asyncio.run(main(log))
    assert log.states() == ["stopped"]
    assert log.points() == []


def test_losses_are_those_of_a_run_without_tuning(device: ScriptedDevice) -> None:
    def losses(least_steps: int, *, until_tuned: bool) -> list[float]:
        async def main(log: Log) -> None:
            task = asyncio.ensure_future(trainer(lr=1e-2).fit(loader(), epochs=MANY))
            await until(lambda: not until_tuned or any(e["phase"] == "done" for e in log.of("tuning")))
            await until(lambda: len(log.points()) >= least_steps)
            send("stop")
            await task

        with logged() as log:
            asyncio.run(main(log))
        return [p["loss"] for p in log.points()]

    tuned = losses(10, until_tuned=True)
    assert "swap 256" in device.log
    tg.tuning("off")
    current().select(ScriptedDevice())
    plain = losses(len(tuned), until_tuned=False)
    assert tuned == plain[: len(tuned)]  # the same arithmetic here: no step is lost or repeated
    assert np.isfinite(tuned).all()


def test_a_failing_tuner_ends_no_run(device: ScriptedDevice) -> None:
    def fail() -> None:
        raise MemoryError("no room")

    device.on_launch = fail

    async def main(log: Log) -> None:
        task = asyncio.ensure_future(trainer(lr=1e-2).fit(loader(), epochs=MANY))
        await until(lambda: any("no room" in e["text"] for e in log.of("tuning") if e["phase"] == "skipped"))
        at = device.log.count("step")
        await until(lambda: device.log.count("step") > at + 10)
        send("stop")
        await task

    with logged() as log:
        asyncio.run(main(log))
    assert log.states()[-1] == "stopped"
