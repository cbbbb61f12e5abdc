"""A collector is a user's code: its errors affect neither this run nor a later one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tabgrad import optim
from tabgrad.metrics import Collector, RunInfo
from tabgrad.train import Trainer, control
from unit.train.harness import loader, logged, trainer


class Broken(Collector):
    name = "broken"

    def __init__(self, where: str) -> None:
        self.where = where
        self.calls: list[str] = []

    def _at(self, where: str) -> None:
        self.calls.append(where)
        if where == self.where:
            raise RuntimeError(f"no {where}")

    def start(self, run: RunInfo) -> None:
        self._at("start")

    def on_measure(self, kind: str, start_ms: float, end_ms: float) -> None:
        self._at("on_measure")

    def values(self) -> dict[str, float]:
        self._at("values")
        return {"one": 1.0}

    def stop(self) -> None:
        self._at("stop")


class Whole(Collector):
    name = "whole"
    stopped = 0

    def values(self) -> dict[str, float]:
        return {"two": 2.0}

    def stop(self) -> None:
        self.stopped += 1


@pytest.mark.parametrize("where", ["start", "on_measure", "values", "stop"])
def test_a_collector_that_raises_is_left_out_and_named(where: str, caplog: pytest.LogCaptureFixture) -> None:
    broken, whole = Broken(where), Whole()
    of = trainer()
    of.collectors = [broken, whole]
    with logged() as log:
        asyncio.run(of.fit(loader(), epochs=2))
        asyncio.run(of.fit(loader(), epochs=1))  # in a later run it has another chance
    assert log.states() == ["running", "finished"] * 2
    assert len(log.points()) == 9
    assert not control.listening()
    assert [r.getMessage() for r in caplog.records] == [
        f"the collector 'broken' is left out of the rest of this run: its {where} raised RuntimeError: no {where}"
    ] * 2
    assert broken.calls.count(where) == 2
    assert {e["name"] for e in log.of("collector")} == ({"whole", "broken"} if where == "stop" else {"whole"})
    assert whole.stopped == 2


def test_a_run_that_is_interrupted_as_it_starts_leaves_nothing_behind() -> None:
    class Interrupting(Collector):
        def start(self, run: RunInfo) -> None:
            raise KeyboardInterrupt

    of = trainer()
    of.collectors = [Interrupting()]
    with logged() as log:
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(of.fit(loader()))
        of.collectors = []
        asyncio.run(of.fit(loader()))
    assert log.states() == ["stopped", "running", "finished"]


def test_a_learning_rate_beyond_float32_ends_a_run_in_a_sentence() -> None:
    def fit(lr: float) -> Any:
        of = trainer()
        adam = optim.Adam(of.model.parameters(), lr=lr)
        return asyncio.run(Trainer(of.model, of.steps.loss_fn, adam, collectors=[]).fit(loader(), epochs=3))

    with logged() as log:
        with pytest.raises(ValueError, match=r"expected numbers of at most 3\.4028235e\+38 that float32 holds, got 1"):
            fit(1e38)  # divided by 1 - 0.9 in Adam's first step
        assert log.states() == ["running", "failed"]
        assert len(fit(1e-3)["train"]) == 9
