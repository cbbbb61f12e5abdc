"""The history of a run, and all else that a run keeps, is bounded."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sessions import session_on
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.devices.reference import ReferenceDevice
from tabgrad.train import Trainer, events, history
from tabgrad.train.history import MOST_EARLIER, NEWEST, History
from unit.train.harness import loader, trainer


@pytest.mark.parametrize("count", [0, 1, NEWEST, NEWEST + MOST_EARLIER, NEWEST + MOST_EARLIER + 1, 300_000])
def test_a_history_is_thinned_evenly_and_its_newest_points_are_all_there(count: int) -> None:
    kept = History()
    most = 0
    for step in range(1, count + 1):
        kept.add({"step": step})
        if step % 5000 == 0:
            most = max(most, len(kept.points()))
    steps = [p["step"] for p in kept.points()]
    assert max(most, len(steps)) <= NEWEST + MOST_EARLIER <= 4000
    if count <= NEWEST + MOST_EARLIER:
        assert steps == list(range(1, count + 1))
        return
    assert steps[0] == 1
    assert steps[-NEWEST:] == list(range(count - NEWEST + 1, count + 1))
    earlier = steps[:-NEWEST]
    assert len(earlier) > MOST_EARLIER / 2 - 1
    assert len({b - a for a, b in pairwise(earlier)}) == 1


def test_fits_share_one_bound_and_a_list_that_the_script_changed_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "NEWEST", 4)
    monkeypatch.setattr(history, "MOST_EARLIER", 4)
    run = trainer()
    for _ in range(10):
        found = asyncio.run(run.fit(loader(), loader(), epochs=1))
    assert found is run.history
    assert {name: len(points) for name, points in found.items()} == {"train": 8, "validation": 7}
    found["train"].clear()
    asyncio.run(run.fit(loader(), epochs=1))
    assert [p["step"] for p in found["train"]] == [1, 2, 3]


class Idle(ReferenceDevice):
    """Computes nothing."""

    def run(self, bound: Any, scalars: Any, writes: Any = ()) -> None:
        for buffer, data in writes:
            self.write(buffer, data)
        self.counters.submits += 1


def test_a_long_run_keeps_no_more_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory after 5,000 steps against 1,250, when as many points of the history are kept."""
    monkeypatch.setattr(history, "NEWEST", 8)
    monkeypatch.setattr(history, "MOST_EARLIER", 8)
    monkeypatch.setattr(Idle, "read_now", lambda self, ranges: [np.ones(n, np.uint8) for _, _, n in ranges])
    kept: dict[int, int] = {}

    def look(event: dict[str, Any]) -> None:
        if event["type"] == "validation" and event["step"] in (1_250, 5_000):
            gc.collect()
            kept[event["step"]] = tracemalloc.get_traced_memory()[0]

    x = np.zeros((200, 3), np.float32)
    with session_on(Idle()):
        model = nn.Linear(3, 1)
        run = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=1e-3), metrics=["mae"])
        data = TensorDataset(x, x[:, :1])
        events.set_sink(look)
        tracemalloc.start()
        try:
            check = DataLoader(TensorDataset(x[:4], x[:4, :1]), batch_size=4)
            asyncio.run(run.fit(DataLoader(data, batch_size=4, shuffle=True), check, epochs=100))
        finally:
            tracemalloc.stop()
            events.set_sink(None)
    assert kept[5_000] - kept[1_250] < 8 * 1024
