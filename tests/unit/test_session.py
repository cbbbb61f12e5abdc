"""Sessions: each owns all that lasts, so that several work side by side on devices of their own."""

from __future__ import annotations

import ast
import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tabgrad as tg
from sessions import opened, session_on
from steps import step_of
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.devices import Device
from tabgrad.devices.reference import ReferenceDevice
from tabgrad.errors import DeviceError
from tabgrad.runtime import ProgramCache, read_now
from tabgrad.session import DEFAULT, current
from tabgrad.train import Trainer, control, events
from tabgrad.tuner import TunerRegistry


@pytest.fixture(params=["reference", pytest.param("native", marks=pytest.mark.native)])
def other(request: pytest.FixtureRequest) -> Device:
    """A device beside the reference device of all unit tests."""
    try:
        return opened(request.param)
    except DeviceError as error:
        pytest.skip(str(error))


def _losses(steps: int) -> Iterator[float]:
    """Losses of a small training, one at a time, so that others may train meanwhile."""
    tg.manual_seed(3)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 1))
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    step = tg.compile(step_of(optimizer, lambda x: (model(x) ** 2).mean()))
    x = tg.randn(16, 4).realize()
    for _ in range(steps):
        yield step(x).item()


def test_two_sessions_train_in_turns_as_each_does_alone(other: Device) -> None:
    alone = list(_losses(6))
    with session_on(ReferenceDevice()) as first:
        here = _losses(6)
        mine = [next(here)]
    with session_on(other) as second:
        there = _losses(6)
        theirs = [next(there)]
    for _ in range(5):
        theirs.append(next(there))
        mine.append(next(here))
    assert mine == alone
    np.testing.assert_allclose(theirs, alone, rtol=2e-4)
    assert first.device is not second.device
    assert len(first.own(ProgramCache)) == len(second.own(ProgramCache)) > 0


def test_tensors_compute_in_their_session_wherever_they_are_used(other: Device) -> None:
    with session_on(other) as session:
        x = tg.tensor([1.0, 2.0, 3.0], requires_grad=True)
        step = tg.compile(lambda t: t * 2 + 1)
    before = session.device.counters.submits
    loss = (2 - x).square().sum() + tg.ones(3).sum() + tg.arange(3).float().mean()
    loss.backward()
    assert loss.item() == pytest.approx(6.0)
    assert x.grad is not None
    assert x.grad.tolist() == [-2, 0, 2]
    assert step(x.detach()).tolist() == [3, 5, 7]
    with tg.no_grad():
        x.mul_(2.0)
    assert x.detach().numpy().tolist() == [2, 4, 6]
    assert session.device.counters.submits > before
    assert current() is DEFAULT


def test_an_optimizer_steps_in_the_session_of_its_parameters(other: Device) -> None:
    with session_on(other):
        model = nn.Linear(2, 1)
        x = tg.ones(3, 2).realize()
    optimizer = optim.Adam(model.parameters(), lr=0.1)
    before = model.weight.detach().numpy()
    model(x).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(before - model.weight.detach().numpy(), 0.1, rtol=1e-4)
    assert set(optimizer.state_dict()["state"]) == {0, 1}


def test_tensors_of_two_sessions_do_not_meet() -> None:
    with session_on(ReferenceDevice()):
        x = tg.tensor([1.0])
    y = tg.tensor([2.0])
    with pytest.raises(DeviceError, match=r"expected tensors of one session, .* move it: tabgrad.tensor\(other.numpy"):
        x + y
    with pytest.raises(DeviceError, match="expected tensors of one session"):
        read_now(x, y)
    with pytest.raises(DeviceError, match="expected tensors of one session"):
        x.copy_(y)
    assert (x + tg.tensor(y.numpy().item()).item()).tolist() == [3]


def test_numbers_join_the_session_that_computes_them() -> None:
    ones = tg.ones(2)
    assert ones.tolist() == [1, 1]  # tolist() has computed a copy: they still lie nowhere
    with session_on(ReferenceDevice()):
        x = tg.tensor([1.0, 2.0])
        assert (x + tg.ones(2)).tolist() == [2, 3]
    ones.realize()
    with pytest.raises(DeviceError, match="expected tensors of one session"):
        x + ones


def test_sessions_are_entered_one_in_another_by_each_task_for_itself() -> None:
    outer, inner = tg.Session("reference"), tg.Session("reference")
    seen = []

    async def task(session: tg.Session) -> None:
        with session:
            await asyncio.sleep(0)
            seen.append(current() is session)
            with inner:
                await asyncio.sleep(0)
                seen.append(current() is inner)
            seen.append(current() is session)
        seen.append(current() is outer)

    async def main() -> None:
        await asyncio.gather(task(tg.Session("reference")), task(outer))

    with outer:
        asyncio.run(main())
        thread = threading.Thread(target=lambda: seen.append(current() is DEFAULT))
        thread.start()
        thread.join()
    assert seen == [True] * 9
    assert current() is DEFAULT


def test_a_session_has_a_seed_of_its_own() -> None:
    tg.manual_seed(5)
    expected = tg.rand(4).tolist()
    tg.manual_seed(5)
    with session_on("reference"):
        tg.manual_seed(9)
        tg.rand(4).tolist()
        assert tg.initial_seed() == 9
    assert tg.initial_seed() == tg.default_generator.initial_seed() == 5
    assert tg.rand(4).tolist() == expected


def test_a_step_is_recorded_once_for_each_session() -> None:
    calls = []

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        calls.append(current())
        return x * 2

    sessions = []
    for _ in range(2):
        with session_on(ReferenceDevice()) as session:
            sessions.append(session)
            x = tg.tensor([1.0])
        assert step(x).tolist() == step(x).tolist() == [2]
    assert calls == sessions


def test_one_session_records_while_another_computes() -> None:
    aside = tg.Session("reference")

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        with aside:
            assert (tg.tensor([1.0]) + 1).tolist() == [2]
        return x + 1

    assert step(tg.ones(1).realize()).tolist() == [2]


def test_two_trainers_of_two_sessions_hear_their_own_messages() -> None:
    told: dict[str, list[str]] = {"one": [], "two": []}

    async def fit(name: str) -> None:
        with session_on(ReferenceDevice()):
            events.set_sink(lambda e: told[name].append(e["type"]))
            rows = np.zeros((8, 2), np.float32)
            model = nn.Linear(2, 1)
            trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1), collectors=[])
            running = asyncio.ensure_future(trainer.fit(DataLoader(TensorDataset(rows, rows[:, :1])), epochs=100_000))
            while "metrics" not in told[name]:
                await asyncio.sleep(0.001)
            assert control.listening()
            control.deliver({"type": "stop"})
            await running
            assert not control.listening()

    async def main() -> None:
        await asyncio.gather(fit("one"), fit("two"))
        assert not control.listening()

    asyncio.run(main())
    assert all(kinds.count("fit_start") == 1 for kinds in told.values())


def test_a_session_tunes_as_it_was_told() -> None:
    with session_on("reference", tuning="before"):
        assert tg.tuning().mode == "before"
        assert current().own(TunerRegistry) is current().own(TunerRegistry)
    assert tg.tuning().mode == "off"


# State has an owner

PACKAGE = Path(tg.__file__).parent
CONTAINERS = {"dict", "list", "set", "deque", "defaultdict", "count", "local", "Lock", "RLock"}

# Filled while modules are loaded, by declarations, and never afterwards; or of no meaning but to be unique.
CONSTANT = {
    ("graph/op.py", "OPS"),
    ("names.py", "PUBLIC"),
    ("metrics/functions.py", "FUNCTIONS"),
    ("devices/base.py", "_ids"),
}


def _state(path: Path) -> Iterator[str]:
    """What a file changes outside of functions' own variables and objects' attributes."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield f"global {', '.join(node.names)}"
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    for statement in (statement for body in bodies for statement in body):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _is_container(statement.value):
            yield ast.unparse(statement.targets[0] if isinstance(statement, ast.Assign) else statement.target)


def _is_container(value: ast.expr | None) -> bool:
    """Whether it is empty and can be filled, or makes something that counts or locks."""
    if isinstance(value, ast.Dict | ast.List):
        return not (value.keys if isinstance(value, ast.Dict) else value.elts)
    if not isinstance(value, ast.Call):
        return False
    name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return (name in CONTAINERS and not (name in ("dict", "list", "set") and value.args)) or name.startswith("Weak")


def test_no_module_holds_state() -> None:
    found = {(str(path.relative_to(PACKAGE)), what) for path in PACKAGE.rglob("*.py") for what in _state(path)}
    assert found == CONSTANT
