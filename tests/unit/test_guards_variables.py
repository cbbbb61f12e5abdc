"""A compiled step sees each change of the variables and objects that its code reads, as PyTorch's loop does."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from unit.changing_steps import assert_as_torch, batch, compiled, losses, net, training
from unit.compiled_steps import f

FACTOR: Any = 1.0  # the global variables of the stories
TERMS: Any = []


def squares(x: Any, y: Any) -> Any:
    return ((x - y) ** 2).mean()


def absolutes(x: Any, y: Any) -> Any:
    return (x - y).abs().mean() * FACTOR


def fitted(T: Any, loss_of: Callable[[Any, Any, Any], Any], changes: list[Callable[[], Any]]) -> Iterator[Any]:
    """Two steps before each change and after the last, and the parameters."""
    model = net(T)
    step = training(T, T.optim.SGD(model.parameters(), lr=0.1), lambda x, y: loss_of(model, x, y))
    yield from losses(T, step)
    for change in changes:
        change()
        yield from losses(T, step)
    yield from model.parameters()


# Closures and globals

VALUES: dict[str, tuple[Any, Any, Callable[[Any, Any], Any]]] = {
    "number": (1.0, 0.25, lambda loss, v: loss * v),
    "integer, float": (2, 0.5, lambda loss, v: loss * v),
    "sign of zero": (0.0, -0.0, lambda loss, v: loss * (2 if np.copysign(1, v) > 0 else 1)),
    "True, 1": (True, 1, lambda loss, v: loss * 2 if v is True else loss),
    "string": ("sum", "mean", lambda loss, v: loss * 3 if v == "sum" else loss),
    "tuple": ((1.0, 2.0), (0.5, (0.25,)), lambda loss, v: loss * v[0]),
    "None": (None, 0.5, lambda loss, v: loss if v is None else loss * v),
    "list": ([1.0, 2.0], [0.25], lambda loss, v: loss * v[-1]),
    "dict": ({"a": 1.0}, {"a": 0.5, "b": 2.0}, lambda loss, v: loss * sum(v.values())),
    "set": ({1}, {1, 2}, lambda loss, v: loss * len(v)),
    "array": (np.array([1.0, 2.0]), np.array([0.5, 3.0]), lambda loss, v: loss * float(v[1])),
    "NumPy number": (np.float32(1), np.float32(0.5), lambda loss, v: loss * float(v)),
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_closures_variable(kind: str) -> None:
    before, after, use = VALUES[kind]

    def story(T: Any) -> Iterator[Any]:
        value = before

        def change(new: Any) -> None:
            nonlocal value
            value = new

        yield from fitted(
            T,
            lambda model, x, y: use(squares(model(x), y), value),
            [lambda: change(after), lambda: change(before)],
        )

    assert_as_torch(story)


@pytest.mark.parametrize("kind", VALUES)
def test_a_global_variable_of_a_function_that_the_step_calls(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after, use = VALUES[kind]

    def story(T: Any) -> Iterator[Any]:
        monkeypatch.setattr(sys.modules[__name__], "FACTOR", before)
        change = functools.partial(monkeypatch.setattr, sys.modules[__name__], "FACTOR")
        yield from fitted(
            T,
            lambda model, x, y: weighted(model(x), y, use),
            [lambda: change(after), lambda: change(before)],
        )

    assert_as_torch(story)


def weighted(x: Any, y: Any, use: Callable[[Any, Any], Any]) -> Any:
    def inner() -> Any:
        return use(squares(x, y), FACTOR)

    return inner()


@pytest.mark.parametrize("kind", ["list", "dict", "set", "array"])
def test_what_a_container_holds(kind: str) -> None:
    changes: dict[str, Any] = {
        "list": lambda v: v.append(0.5),
        "dict": lambda v: v.update(a=0.5),
        "set": lambda v: v.add(2),
        "array": lambda v: v.__setitem__(1, 0.5),
    }

    def story(T: Any) -> Iterator[Any]:
        value, _, use = VALUES[kind]
        value = value.copy()
        yield from fitted(T, lambda model, x, y: use(squares(model(x), y), value), [lambda: changes[kind](value)])

    assert_as_torch(story)


def test_functions_and_layers_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def story(T: Any) -> Iterator[Any]:
        here = sys.modules[__name__]
        monkeypatch.setattr(here, "FACTOR", 0.5)
        criterion: Any = T.nn.MSELoss()

        def change(new: Any) -> None:
            nonlocal criterion
            criterion = new

        yield from fitted(
            T,
            lambda model, x, y: criterion(model(x), y),
            [
                lambda: change(T.nn.L1Loss()),
                lambda: change(absolutes),
                lambda: monkeypatch.setattr(here, "FACTOR", 2.0),
                lambda: change(functools.partial(scaled_loss, by=0.5)),
            ],
        )

    assert_as_torch(story)


def scaled_loss(x: Any, y: Any, by: float) -> Any:
    return squares(x, y) * by


def test_a_tensor_by_name() -> None:
    def story(T: Any) -> Iterator[Any]:
        mask = T.tensor([1.0, 0.0])

        def change(new: Any) -> None:
            nonlocal mask
            mask = new

        yield from fitted(
            T,
            lambda model, x, y: squares(model(x) * mask, y),
            [lambda: change(T.tensor([0.0, 1.0])), lambda: mask.copy_(T.tensor([2.0, 2.0]))],
        )

    assert_as_torch(story)


# Objects


@dataclass
class Config:
    scale: float = 1.0
    inner: Any = None


class Slotted:
    __slots__ = ("scale",)

    def __init__(self) -> None:
        self.scale = 1.0


def configs() -> dict[str, Any]:
    module = types.ModuleType("settings_of_a_script")
    module.scale = 1.0  # type: ignore[attr-defined]
    return {"dataclass": Config(), "namespace": types.SimpleNamespace(scale=1.0), "slots": Slotted(), "module": module}


@pytest.mark.parametrize("kind", ["dataclass", "namespace", "slots", "module"])
@pytest.mark.parametrize("held", [False, True])
def test_settings(kind: str, held: bool) -> None:
    def story(T: Any) -> Iterator[Any]:
        settings = configs()[kind]
        holder = Config(inner={"all": [settings]})
        by_name = lambda: settings.scale  # noqa: E731
        by_path = lambda: holder.inner["all"][0].scale  # noqa: E731
        read = by_path if held and kind != "module" else by_name
        yield from fitted(
            T,
            lambda model, x, y: squares(model(x), y) * read(),
            [lambda: setattr(settings, "scale", 0.5), lambda: setattr(settings, "scale", 1.0)],
        )

    assert_as_torch(story)


class Fitting:
    """A trainer as users write it: the step is a method."""

    kind = "squares"

    def __init__(self, T: Any) -> None:
        self.T, self.model, self.epoch, self.beta = T, net(T), 0, 1.0
        self.optimizer = T.optim.SGD(self.model.parameters(), lr=0.1)
        self.history: list[float] = []
        self.step = compiled(T, self.train_step)

    @property
    def weight(self) -> float:
        return self.beta * 2

    def loss_of(self, x: Any, y: Any) -> Any:
        return (squares if self.kind == "squares" else absolutes)(self.model(x), y) * self.weight

    def train_step(self, x: Any, y: Any) -> Any:
        self.optimizer.zero_grad()
        loss = self.loss_of(x, y)
        loss.backward()
        self.optimizer.step()
        return loss.detach()


def test_a_method_as_a_step() -> None:
    def story(T: Any) -> Iterator[Any]:
        fitting = Fitting(T)

        def train() -> Iterator[Any]:
            for value in losses(T, fitting.step):
                fitting.epoch += 1
                fitting.history.append(fitting.epoch)
                yield value

        yield from train()
        fitting.beta = 0.25
        yield from train()
        fitting.kind = "absolutes"
        yield from train()
        fitting.model = net(T)
        fitting.optimizer = T.optim.SGD(fitting.model.parameters(), lr=0.05)
        yield from train()
        fitting.optimizer = T.optim.Adam(fitting.model.parameters(), lr=0.05)
        yield from train()
        fitting.loss_of = lambda x, y: squares(fitting.model(x), y) * 3  # type: ignore[method-assign]
        yield from train()
        yield from fitting.model.parameters()
        # none for what is not read; one was dropped, as another optimizer has moved its parameters
        assert T is not tg or len(fitting.step.recordings) == 5

    assert_as_torch(story)


class Base:
    def scale(self) -> float:
        return float(FACTOR)


class Derived(Base):
    def scale(self) -> float:
        return super().scale() * 2


def test_what_a_method_of_a_base_class_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    def story(T: Any) -> Iterator[Any]:
        derived = Derived()
        monkeypatch.setitem(globals(), "FACTOR", 1.0)
        yield from fitted(
            T,
            lambda model, x, y: squares(model(x), y) * derived.scale(),
            [
                lambda: monkeypatch.setitem(globals(), "FACTOR", 0.25),
                lambda: monkeypatch.setattr(Base, "scale", lambda self: 0.5),
            ],
        )
        monkeypatch.undo()

    assert_as_torch(story)


def test_an_argument_that_holds_numbers() -> None:
    def story(T: Any) -> Iterator[Any]:
        model, settings = net(T), Slotted()
        step = compiled(T, lambda x, y, settings: (squares(model(x), y) * settings.scale).detach())
        for scale in (1.0, 0.5, 1.0):
            settings.scale = scale
            for n in range(2):
                yield step(*batch(T, n), settings)

    assert_as_torch(story)


def test_default_values_of_a_function() -> None:
    def story(T: Any) -> Iterator[Any]:
        weights = {"a": 1.0}

        def loss_of(model: Any, x: Any, y: Any, w: dict[str, float] = weights) -> Any:
            return squares(model(x), y) * w["a"]

        yield from fitted(T, loss_of, [lambda: weights.update(a=0.5)])

    assert_as_torch(story)


def test_whether_gradients_are_recorded() -> None:
    def story(T: Any) -> Iterator[Any]:
        model = net(T)

        def look(x: Any, y: Any) -> Any:
            return model(x) * (2.0 if T.is_grad_enabled() else 1.0)

        step = compiled(T, look)
        for _ in range(2):
            yield from losses(T, step)
            with T.no_grad():
                yield from losses(T, step)

    assert_as_torch(story)


def test_changes_after_many_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """When comparisons have been written out: each kind of change, to another value and back."""
    here = globals()
    monkeypatch.setitem(here, "FACTOR", 1.0)
    w, settings, table, row = tg.tensor([1.0], requires_grad=True), Config(), {"a": 1.0}, [1.0]

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        gain = 2.0 if w.requires_grad else 1.0
        return w.detach() * x * FACTOR * settings.scale * table["a"] * row[0] * gain

    changes: list[tuple[Callable[[], Any], Callable[[], Any], float]] = [
        (lambda: here.update(FACTOR=0.5), lambda: here.update(FACTOR=1.0), 1.0),
        (lambda: setattr(settings, "scale", 3.0), lambda: setattr(settings, "scale", 1.0), 6.0),
        (lambda: table.update(a=4.0), lambda: table.update(a=1.0), 8.0),
        (lambda: row.__setitem__(0, 5.0), lambda: row.__setitem__(0, 1.0), 10.0),
        (lambda: row.append(2.0), row.pop, 2.0),
        (lambda: table.update(b=2.0), lambda: table.pop("b"), 2.0),
        (lambda: w.requires_grad_(False), lambda: w.requires_grad_(True), 1.0),
    ]
    for change, back, changed in changes:
        for _ in range(6):
            assert step(f(1)).item() == 2
        change()
        for _ in range(6):
            assert step(f(1)).item() == changed
        back()
    assert step(f(1)).item() == 2
    assert len(step.recordings) == 1 + len(changes)
    for n in range(40):  # equal values that are other objects
        here["FACTOR"] = (1.0 + n) / (1.0 + n)
        assert step(f(1)).item() == 2
    assert len(step.recordings) == 1 + len(changes)


def test_a_variable_that_gets_its_value_later() -> None:
    def make() -> tuple[Any, Callable[[float], None]]:
        def step(x: tg.Tensor) -> tg.Tensor:
            try:
                return x * late
            except NameError:
                return x * 0

        def give(value: float) -> None:
            nonlocal late
            late = value

        if not step:
            late = 0.0
        return tg.compile(step), give

    step, give = make()
    for _ in range(8):
        assert step(f(1)).item() == 0
    give(3.0)
    for _ in range(8):
        assert step(f(1)).item() == 3


def test_a_number_that_is_asked_at_each_run_does_not_record_anew() -> None:
    rate = 1.0
    step = tg.compile(lambda x: x * tg.step_scalar(lambda: rate))
    results = []
    for n in range(3):
        rate = float(n)
        results.append(step(tg.ones(1)).item())
    assert results == [0, 1, 2]
    assert len(step.recordings) == 1


def test_equal_values_do_not_record_anew() -> None:
    value: Any = 0.5
    step = tg.compile(lambda x: x * value)
    for n in range(3):
        value = (1.0 + n) / (2.0 + 2 * n)
        assert step(tg.ones(1)).item() == 0.5
    assert len(step.recordings) == 1


def test_a_variable_of_many_values_is_named_in_a_warning() -> None:
    beta: Any = 0.0
    step = tg.compile(lambda x: x * beta)
    for n in range(15):
        beta = n / 16
        assert step(tg.ones(1)).item() == beta
    beta = 2.0
    with pytest.warns(UserWarning, match="recorded for 16 values of the variable 'beta'.*pass it as a tensor"):
        step(tg.ones(1))
