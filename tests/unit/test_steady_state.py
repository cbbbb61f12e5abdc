"""Steady state: after its first run a compiled step makes nothing, and memory stays as it is."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import tabgrad as tg
from sessions import opened, session_on
from steps import step_of
from tabgrad import nn, optim
from tabgrad.devices import Device
from tabgrad.errors import DeviceError
from tabgrad.nn import functional as F

STEPS = 500
MADE = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created", "bytes_allocated")


@pytest.fixture(params=["reference", pytest.param("native", marks=pytest.mark.native)])
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    try:
        device = opened(request.param)
    except DeviceError as error:
        pytest.skip(str(error))
    gc.collect()  # what earlier tests left would go back to the device's pool while steps run
    with session_on(device):
        yield device


def _step() -> Callable[[tg.Tensor, tg.Tensor], tg.Tensor]:
    """A small model with all that keeps state: batch norm, dropout, Adam."""
    tg.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 2, 3),
        nn.BatchNorm2d(2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(2, 3),
    )
    optimizer = optim.Adam(model.parameters(), lr=1e-2)
    return step_of(optimizer, lambda x, y: F.cross_entropy(model(x), y))


def _batch() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((4, 1, 5, 5)).astype(np.float32), rng.integers(0, 3, 4)


def _difference(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after if after[name] != before[name]}


def test_a_compiled_step_submits_once_and_makes_nothing(device: Device) -> None:
    step = tg.compile(_step())
    x, y = _batch()
    loss = step(tg.tensor(x), tg.tensor(y))
    first = loss.item()
    before = device.counters.snapshot()
    for _ in range(STEPS):
        loss = step(tg.tensor(x), tg.tensor(y))  # the last result lives while the next one is made
    change = _difference(before, device.counters.snapshot())
    program = step.record(tg.tensor(x), tg.tensor(y)).compiled.program
    uploaded = change.pop("bytes_uploaded")
    assert change == {"submits": STEPS, "dispatches": STEPS * len(program.dispatches)}
    data = x.nbytes + 4 * y.size
    assert STEPS * data <= uploaded <= STEPS * (data + 4 * program.num_scalars + 16)
    assert loss.item() < first


def test_reading_the_loss_each_step_makes_nothing_either(device: Device) -> None:
    step = tg.compile(_step())
    x, y = _batch()
    for _ in range(3):
        step(tg.tensor(x), tg.tensor(y)).item()
    before = device.counters.snapshot()
    for _ in range(20):
        step(tg.tensor(x), tg.tensor(y)).item()
    change = _difference(before, device.counters.snapshot())
    assert not [name for name in MADE if name in change]
    assert change["submits"] >= 20
    assert change["bytes_read"] == 20 * 4


def test_results_as_the_next_inputs_make_nothing(device: Device) -> None:
    step = tg.compile(lambda h, x: (h * 0.5 + x).tanh())
    h = tg.zeros(8)
    for _ in range(4):
        h = step(h, tg.ones(8))
    before = device.counters.snapshot()
    for _ in range(40):
        h = step(h, tg.ones(8))
    change = _difference(before, device.counters.snapshot())
    assert not [name for name in MADE if name in change]
    value = 0.0
    for _ in range(44):
        value = np.tanh(value * 0.5 + 1)
    np.testing.assert_allclose(h.numpy(), value, rtol=1e-5)


def test_an_ordinary_loop_reaches_a_steady_state_too(device: Device) -> None:
    """Without ``tabgrad.compile``: identical graphs hit the cache, and buffers come from the pool."""
    step = _step()
    x, y = _batch()
    for _ in range(6):
        step(tg.tensor(x), tg.tensor(y)).item()
    before = device.counters.snapshot()
    for _ in range(10):
        step(tg.tensor(x), tg.tensor(y)).item()
    change = _difference(before, device.counters.snapshot())
    assert not [name for name in ("buffers_created", "pipelines_created", "bytes_allocated") if name in change]


def test_two_live_results_need_a_third_set_of_buffers_once(device: Device) -> None:
    step = tg.compile(lambda x: x * 2)
    kept = [step(tg.tensor([float(n)])) for n in range(2)]
    for n in range(30):
        kept = [*kept[1:], step(tg.tensor([float(n)]))]  # both earlier results live during the call
        if n == 3:
            before = device.counters.snapshot()
    change = _difference(before, device.counters.snapshot())
    assert not [name for name in MADE if name in change]
    assert [t.item() for t in kept] == [56, 58]


def test_a_model_that_is_gone_gives_its_memory_back(device: Device) -> None:
    def use() -> None:
        step = tg.compile(_step())
        x, y = _batch()
        step(tg.tensor(x), tg.tensor(y)).item()

    use()
    gc.collect()
    before = device.counters.bytes_allocated
    for _ in range(5):
        use()
        gc.collect()
    # programs stay cached with their scratch memory; states and results come from the pool again
    assert device.counters.bytes_allocated - before <= 4096


def test_parameters_that_were_computed_are_no_longer_looked_at(device: Device) -> None:
    step = tg.compile(_step())
    x, y = (tg.tensor(a) for a in _batch())
    for _ in range(3):
        step(x, y)
    assert not tg.session.current().lazy  # which each replay goes through
