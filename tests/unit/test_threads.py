"""Threads and tasks: values are never mixed, and a recording that another task would mix with is refused."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from sessions import session_on
from steps import step_of
from tabgrad import nn, optim
from tabgrad.tracing.tracer import Tracer


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """What functions return that run in threads side by side; raises what one raises."""
    found: list[Any] = [None] * len(works)
    failed: list[BaseException] = []
    gate = threading.Barrier(len(works))

    def run(n: int) -> None:
        gate.wait()
        try:
            found[n] = works[n]()
        except BaseException as error:  # noqa: BLE001 - raised below, in the thread of the test
            failed.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(works))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failed:
        raise failed[0]
    return found


@pytest.fixture(autouse=True)
def _switch_often() -> Any:
    import sys

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_one_compiled_step_called_by_two_threads_gives_each_its_own_values() -> None:
    weight = tg.tensor(np.arange(1, 5, dtype=np.float32))
    step = tg.compile(lambda x: (x * weight + 1, x.sum()))

    def work(n: int) -> Callable[[], None]:
        def calls() -> None:
            for i in range(60):
                value = float(n * 1000 + i)
                y, total = step(tg.tensor(np.full(4, value, np.float32)))
                assert y.tolist() == [value * k + 1 for k in (1, 2, 3, 4)]
                assert total.item() == 4 * value

        return calls

    at_once(work(1), work(2), work(3))


def test_training_in_two_threads_equals_training_in_one() -> None:
    def train(seed: int, compiled: bool) -> list[float]:
        model = models[seed]
        optimizer = optim.Adam(model.parameters(), lr=0.05)
        x = tg.tensor(np.random.default_rng(seed).standard_normal((4, 3)).astype(np.float32))
        step = step_of(optimizer, lambda x: (model(x) ** 2).mean())
        run = tg.compile(step) if compiled else step
        return [run(x).item() for _ in range(12)]

    def fresh() -> dict[int, nn.Module]:
        tg.manual_seed(0)
        return {seed: nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)) for seed in (1, 2)}

    models = fresh()
    alone = [train(1, True), train(2, False)]
    models = fresh()
    together = at_once(lambda: train(1, True), lambda: train(2, False))
    np.testing.assert_allclose(together, alone, rtol=1e-5)


def test_changes_of_one_tensor_in_two_threads_are_all_made() -> None:
    count = tg.zeros(3).realize()

    def work() -> None:
        for _ in range(40):
            count.add_(1)
            count.tolist()

    at_once(work, work)
    total = count.tolist()
    assert total[0] == total[1] == total[2]  # never half of a change; += of two threads may lose one, as in PyTorch


def test_an_operation_of_another_task_during_a_recording_is_refused() -> None:
    """As when a browser suspends a step (JSPI) and lets another task run."""
    weight = tg.tensor([1.0])

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def in_another_task(fn: Callable[[], Any]) -> None:
            mine = asyncio.current_task()
            assert mine is not None
            asyncio.tasks._leave_task(loop, mine)  # what a suspension does
            try:
                other = asyncio.Task(asyncio.sleep(0), loop=loop)
                asyncio.tasks._enter_task(loop, other)
                try:
                    fn()
                finally:
                    asyncio.tasks._leave_task(loop, other)
            finally:
                asyncio.tasks._enter_task(loop, mine)

        for fn in (
            lambda: weight.add_(1).tolist(),
            lambda: (weight * 2).tolist(),
            lambda: tg.rand(2),
            lambda: tg.compile(lambda x: x * 2)(tg.ones(1)),
        ):
            step = tg.compile(lambda x, fn=fn: in_another_task(fn) or x * weight)
            with pytest.raises(
                RuntimeError, match=r"got an operation of another task while '<lambda>' was being record"
            ):
                step(tg.ones(1))
        assert tg.compile(lambda x: x * weight)(tg.ones(1)).item() == 1

    asyncio.run(main())


def test_a_thread_waits_while_another_one_records() -> None:
    weight = tg.tensor([1.0])
    inside, order = threading.Event(), []

    def slow(x: tg.Tensor) -> tg.Tensor:
        inside.set()
        other.join(0.1)  # does not end meanwhile
        order.append("recorded")
        return x * weight

    def work() -> None:
        inside.wait()
        weight.add_(1)
        order.append("changed")

    other = threading.Thread(target=work)
    other.start()
    assert tg.compile(slow)(tg.ones(1)).item() == 1
    other.join()
    assert order == ["recorded", "changed"]
    assert weight.item() == 2


def test_a_call_waits_while_another_thread_executes_deferred_ones() -> None:
    """Also the call of a thread that called last, which is not part of what is executed."""
    with session_on() as session:
        tracer = session.own(Tracer)
        called, go, done = threading.Event(), threading.Event(), threading.Event()

        def work() -> None:
            with session:
                x = tg.ones(2) + 1
                called.set()
                go.wait()
                x + 1
                done.set()

        thread = threading.Thread(target=work)
        thread.start()
        called.wait()
        with session.lock, tracer._working():
            go.set()
            assert not done.wait(0.2)
        thread.join()
        assert done.is_set()
