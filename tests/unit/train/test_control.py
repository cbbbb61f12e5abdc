"""Messages to a run: they take effect between two steps, and are answered at once."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

import pytest

from tabgrad import TabgradError, nn
from tabgrad.train import Trainer, control
from tabgrad.train.run_programs import RunPrograms
from unit.train.harness import Log, loader, logged, send, trainer, turns, until

MANY = 100_000  # epochs: a run that ends only when it is stopped


class Run:
    """A run in a task."""

    def __init__(self, log: Log, of: Trainer | None = None, *, validation: bool = False) -> None:
        self.log = log
        self.trainer = of or trainer(lr=1e-3)
        check = loader(7, 3, seed=1) if validation else None
        self.task = asyncio.ensure_future(self.trainer.fit(loader(), check, epochs=MANY))

    @property
    def step(self) -> int:
        return self.trainer.steps.step

    async def start(self, steps: int = 1) -> None:
        await until(lambda: self.step >= steps)

    async def stop(self) -> dict[str, Any]:
        send("stop")
        return await asyncio.wait_for(self.task, 20)


def test_pause_takes_effect_within_one_step() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start(5)
        at = run.step
        send("pause")
        await until(lambda: "paused" in log.states())
        assert run.step <= at + 1
        paused = log.of("state")[-1]
        assert paused["step"] == run.step
        await turns()
        assert run.step == paused["step"]
        # all steps are reported, so that the curve is complete during the pause
        assert log.points()[-1]["step"] == run.step
        send("resume")
        await run.start(paused["step"] + 5)
        assert log.states() == ["running", "paused", "running"]
        await run.stop()

    with logged() as log:
        asyncio.run(main(log))


@pytest.mark.parametrize("validation", [False, True])
def test_single_steps_are_exactly_one_training_step_each(validation: bool) -> None:
    async def main(log: Log) -> None:
        run = Run(log, validation=validation)
        await run.start()
        send("pause")
        await until(lambda: "paused" in log.states())
        before = run.step
        for n in range(1, 9):  # over the ends of two epochs
            send("step")
            await until(lambda n=n: run.step >= before + n)
            await turns()
            assert run.step == before + n
        send("step")
        send("step")
        await turns()
        assert run.step == before + 10
        assert log.states() == ["running", "paused"]
        await run.stop()

    with logged() as log:
        asyncio.run(main(log))


def test_step_pauses_a_running_run() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start(3)
        at = run.step
        send("step")
        await until(lambda: "paused" in log.states())
        await turns()
        assert run.step <= at + 2
        await run.stop()

    with logged() as log:
        asyncio.run(main(log))


def test_stop_ends_the_run_and_keeps_its_history() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start(7)
        at = run.step
        history = await run.stop()
        assert run.step <= at + 1
        assert [p["step"] for p in history["train"]] == list(range(1, run.step + 1))
        assert log.states() == ["running", "stopped"]
        assert log.of("state")[-1]["step"] == run.step

    with logged() as log:
        asyncio.run(main(log))


def test_stop_ends_a_paused_run() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start()
        send("pause")
        await until(lambda: "paused" in log.states())
        await run.stop()
        assert log.states() == ["running", "paused", "stopped"]

    with logged() as log:
        asyncio.run(main(log))


def test_a_stopped_run_can_be_continued() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start(4)
        await run.stop()
        steps = run.step
        await run.trainer.fit(loader(), epochs=2)
        assert run.step == steps + 6

    with logged() as log:
        asyncio.run(main(log))


def test_learning_rate_is_set_while_it_runs() -> None:
    async def main(log: Log) -> None:
        run = Run(log, trainer(lr=0.0))
        await run.start(3)
        before = [p.tolist() for p in run.trainer.model.parameters()]
        send("set_lr", lr=0.05)
        send("ping", id="set")
        await until(lambda: log.of("pong"))
        await run.start(run.step + 20)
        await run.stop()
        assert run.trainer.optimizer.param_groups[0]["lr"] == 0.05
        assert log.of("metrics")[-1]["lr"] == 0.05
        assert [p.tolist() for p in run.trainer.model.parameters()] != before
        assert log.points()[-1]["loss"] < log.points()[0]["loss"]
        recordings = run.trainer.steps.train.recordings
        assert len(recordings) == 2  # for two batch sizes; the rate is no reason for another
        assert len({recorded.linear.key for recorded in recordings}) == 2

    with logged() as log:
        asyncio.run(main(log))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        *(({"type": "set_lr", "lr": lr}, "set_lr: expected a learning rate >= 0 that float32 holds, got ")
          for lr in (-1.0, float("nan"), float("inf"), 1e39, 10**400, "fast", None, True, [0.1])),
        *(({"type": "profile", "steps": steps}, "profile: expected 1 to 1000 steps, got ")
          for steps in (0, 1001, 2.5, "all", True)),
        *((message, "control: expected a message of type pause, resume, step, stop, set_lr, profile, ping, got ")
          for message in (None, 3, "stop", [], {}, {"type": None}, {"type": ["stop"]}, {"type": "Stop"})),
    ],
    ids=str,
)  # fmt: skip
def test_nonsense_is_refused_and_no_run_feels_it(message: Any, said: str) -> None:
    with pytest.raises(TabgradError, match=f"^{re.escape(said)}"):
        control.deliver(message)


def test_training_goes_on_after_nonsense() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start()
        for message in ({"type": "set_lr", "lr": "x"}, {"type": "profile", "steps": 0}, {}, None):
            with pytest.raises(TabgradError):
                control.deliver(message)  # type: ignore[arg-type]
        await run.start(run.step + 3)
        await run.stop()
        assert log.states() == ["running", "stopped"]

    with logged() as log:
        asyncio.run(main(log))


def test_cancelled_fit_is_a_stopped_one() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start()
        run.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run.task
        assert log.states() == ["running", "stopped"]
        assert not control.listening()

    with logged() as log:
        asyncio.run(main(log))


@pytest.mark.parametrize("validation", [False, True])
def test_a_message_is_answered_within_one_step_and_50_ms(validation: bool) -> None:
    """Validation steps count as steps; each ping is sent from its own task, as the page's messages are."""

    async def main(log: Log) -> None:
        run = Run(log, trainer(lr=1e-3, model=nn.Sequential(nn.Linear(3, 200), nn.Tanh(), nn.Linear(200, 1))),
                  validation=validation)  # fmt: skip
        await run.start(2)
        waits: list[float] = []
        start = 0.0
        log.on("pong", lambda event: waits.append(time.perf_counter() - start))
        for n in range(20):
            at, start = run.step, time.perf_counter()
            send("ping", id=n)
            await until(lambda n=n: len(waits) > n)
            assert at <= log.of("pong")[n]["step"] <= at + 1
            await turns(7)
        await run.stop()
        assert [e["id"] for e in log.of("pong")] == list(range(20))
        step_s = max(e["step_ms"] for e in log.of("metrics")) / 1000 if log.of("metrics") else 0
        # the median, as another process may take the processor meanwhile
        assert sorted(waits)[len(waits) // 2] <= step_s + 0.05

    with logged() as log:
        asyncio.run(main(log))


def test_a_paused_run_answers_too() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start()
        send("pause")
        await until(lambda: "paused" in log.states())
        send("ping", id="a")
        await until(lambda: log.of("pong"))
        assert log.of("pong") == [{"type": "pong", "id": "a", "step": run.step}]
        await run.stop()

    with logged() as log:
        asyncio.run(main(log))


def test_messages_without_a_run() -> None:
    with logged() as log:
        send("ping", id=5)
        send("pause")
        send("stop")
        assert log.events == [{"type": "pong", "id": 5, "step": 0}]
        asyncio.run(trainer().fit(loader(), epochs=1))  # earlier messages are dropped
        assert log.states() == ["running", "finished"]


@pytest.mark.parametrize("message", [{}, {"type": "explode"}, {"type": None}])
def test_unknown_messages_are_refused(message: dict[str, Any]) -> None:
    with pytest.raises(
        TabgradError, match=r"control: expected a message of type pause, resume, step, stop, set_lr, profile, ping"
    ):
        control.deliver(message)


def test_time_spent_paused_is_not_step_time() -> None:
    async def main(log: Log) -> None:
        run = Run(log)
        await run.start(3)
        send("pause")
        await until(lambda: "paused" in log.states())
        await asyncio.sleep(0.3)
        send("resume")
        await run.start(run.step + 3)
        await run.stop()
        assert all(e["step_ms"] < 100 for e in log.of("metrics"))

    with logged() as log:
        asyncio.run(main(log))


def test_messages_are_taken_while_the_first_program_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    async def endless(_: RunPrograms, on_progress: Any) -> None:
        on_progress(0, 1)
        await asyncio.Event().wait()

    async def main(log: Log) -> None:
        monkeypatch.setattr(RunPrograms, "first", endless)
        run = Run(log)
        await until(lambda: log.of("status"))
        send("ping", id=7)
        await until(lambda: log.of("pong"))
        assert log.of("pong")[0]["id"] == 7
        await run.stop()
        assert log.states() == ["stopped"]

    with logged() as log:
        asyncio.run(main(log))


def test_a_pause_while_compiling_holds_before_the_first_step(monkeypatch: pytest.MonkeyPatch) -> None:
    compile_first = RunPrograms.first

    async def slowly(self: RunPrograms, on_progress: Any) -> None:
        send("pause")
        await turns()
        await compile_first(self, on_progress)

    async def main(log: Log) -> None:
        monkeypatch.setattr(RunPrograms, "first", slowly)
        run = Run(log)
        await until(lambda: "paused" in log.states())
        await turns()
        assert run.step == 0
        send("resume")
        await run.start(2)
        await run.stop()

    with logged() as log:
        asyncio.run(main(log))


def test_a_single_step_that_ends_an_epoch_shows_its_validation() -> None:
    async def main(log: Log) -> None:
        run = Run(log, validation=True)
        await run.start()
        send("pause")
        await until(lambda: "paused" in log.states())
        before = len(log.of("validation"))
        for _ in range(3):  # an epoch has three steps
            at = run.step
            send("step")
            await run.start(at + 1)
            await turns()
        assert len(log.of("validation")) == before + 1
        await run.stop()

    with logged() as log:
        asyncio.run(main(log))


def test_profile_times_the_next_training_steps():
    with logged() as log:
        log.on("metrics", lambda _: len(log.of("metrics")) == 1 and send("profile", steps=3))
        asyncio.run(trainer().fit(loader(), loader(), epochs=6))
    (event,) = log.of("profile")
    assert event["steps"] == 3
    assert event["table"].startswith("3 × train: ")
    plain = trainer()
    asyncio.run(plain.fit(loader(), loader(), epochs=6))
    assert [p["loss"] for p in log.points()] == [p["loss"] for p in plain.history["train"]]


def test_profile_that_the_end_cuts_short_is_reported():
    with logged() as log:
        log.on("state", lambda e: e["state"] == "running" and send("profile", steps=500))
        asyncio.run(trainer().fit(loader(), epochs=3))
    (event,) = log.of("profile")
    assert 0 < event["steps"] < 500
    assert log.states() == ["running", "finished"]


def test_profile_of_no_steps_is_refused():
    with logged() as log:
        log.on("state", lambda e: e["state"] == "running" and send("profile", steps=0))
        with pytest.raises(TabgradError, match="expected 1 to 1000 steps, got 0"):
            asyncio.run(trainer().fit(loader(), epochs=3))
