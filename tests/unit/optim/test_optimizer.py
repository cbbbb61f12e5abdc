"""State of optimizers, its round trip, and errors."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from steps import step_of
from tabgrad import GradError, ShapeError, TabgradError, optim

MAKERS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "plain SGD": lambda p: optim.SGD(p, lr=0.1),
    "Adam": lambda p: optim.Adam(p, lr=0.1),
    "AdamW": lambda p: optim.AdamW(p, lr=0.1),
}


def _parameters() -> list[tg.Tensor]:
    return [tg.tensor(np.linspace(-1, 1, n, dtype=np.float32), requires_grad=True) for n in (3, 70)]


def _step(optimizer: optim.Optimizer, parameters: list[tg.Tensor], turn: int) -> None:
    optimizer.zero_grad()
    sum(((p - turn) ** 2).sum() for p in parameters).backward()
    optimizer.step()


# State


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_state_dict_round_trip_continues_the_run(name: str, asynchronous: bool) -> None:
    ours = _parameters()
    optimizer = MAKERS[name](ours)
    for turn in range(3):
        _step(optimizer, ours, turn)
    saved = asyncio.run(optimizer.state_dict_async()) if asynchronous else optimizer.state_dict()
    values = [p.detach().numpy() for p in ours]

    resumed = [tg.tensor(v, requires_grad=True) for v in values]
    again = MAKERS[name](resumed)
    again.load_state_dict(copy.deepcopy(saved))
    for turn in range(3, 6):
        _step(optimizer, ours, turn)
        _step(again, resumed, turn)
    for p, q in zip(ours, resumed, strict=True):
        np.testing.assert_array_equal(p.detach().numpy(), q.detach().numpy())


def test_state_dict_has_pytorchs_layout() -> None:
    parameters = _parameters()
    optimizer = optim.Adam([{"params": parameters[:1]}, {"params": parameters[1:], "lr": 0.5}], lr=0.1)
    assert optimizer.state_dict()["state"] == {}
    _step(optimizer, parameters, 0)
    saved = optimizer.state_dict()
    assert [g["params"] for g in saved["param_groups"]] == [[0], [1]]
    assert [g["lr"] for g in saved["param_groups"]] == [0.1, 0.5]
    assert set(saved["state"][1]) == {"step", "exp_avg", "exp_avg_sq"}
    assert saved["state"][1]["exp_avg"].shape == (70,)
    assert saved["state"][0]["step"] == 1


def test_loaded_hyperparameters_replace_those_of_the_optimizer() -> None:
    parameters = _parameters()
    optimizer = optim.Adam(parameters, lr=0.1)
    _step(optimizer, parameters, 0)
    saved = optimizer.state_dict()
    saved["param_groups"][0]["lr"] = 0.25
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["lr"] == 0.25
    assert optimizer.param_groups[0]["params"] == parameters


def test_state_loaded_into_a_compiled_step_is_used() -> None:
    w = tg.tensor([1.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0, momentum=0.5)
    step = tg.compile(step_of(optimizer, lambda x: (w * x).sum()))
    x = tg.tensor([1.0])
    step(x)
    saved, value = optimizer.state_dict(), w.tolist()
    step(x)
    after = w.tolist()
    optimizer.load_state_dict(saved)
    with tg.no_grad():
        w.copy_(np.array(value, np.float32))
    step(x)
    assert w.tolist() == after


@pytest.mark.parametrize("change", ["shape", "groups"])
def test_a_state_that_does_not_fit_changes_nothing(change: str) -> None:
    parameters = _parameters()
    optimizer = optim.Adam(parameters, lr=0.1)
    _step(optimizer, parameters, 0)
    before = optimizer.state_dict()
    saved = copy.deepcopy(before)
    saved["param_groups"][0]["lr"] = 7.0
    saved["state"][0]["exp_avg"] = np.zeros_like(saved["state"][0]["exp_avg"])
    if change == "shape":
        saved["state"][1]["exp_avg"] = np.zeros(69, np.float32)
        kind, message = ShapeError, r"load_state_dict: expected exp_avg \[70\], got \[69\]"
    else:
        saved["param_groups"][0]["params"] = [0]
        kind, message = TabgradError, r"load_state_dict: expected groups of \[2\] parameters, got \[1\]"
    with pytest.raises(kind, match=message):
        optimizer.load_state_dict(saved)
    after = optimizer.state_dict()
    assert after["param_groups"] == before["param_groups"]
    np.testing.assert_array_equal(after["state"][0]["exp_avg"], before["state"][0]["exp_avg"])


# Parameters are unchanged for other code


def test_parameters_keep_their_shape_and_their_aliases() -> None:
    w = tg.tensor(np.ones((2, 3), np.float32), requires_grad=True)
    alias = w.detach()
    optimizer = optim.SGD([w], lr=1.0)
    for _ in range(2):
        optimizer.zero_grad()
        w.sum().backward()
        optimizer.step()
    assert w.shape == (2, 3)
    assert w.is_leaf
    assert w.requires_grad
    np.testing.assert_array_equal(w.detach().numpy(), -1)
    np.testing.assert_array_equal(alias.numpy(), -1)  # as PyTorch's: the memory is shared


def test_parameters_may_be_written_between_steps() -> None:
    parameters = _parameters()
    optimizer = optim.SGD(parameters, lr=1.0)
    _step(optimizer, parameters, 0)
    with tg.no_grad():
        parameters[0].fill_(5)
    assert parameters[0].tolist() == [5, 5, 5]
    _step(optimizer, parameters, 0)
    assert parameters[0].tolist() == [-5, -5, -5]  # 5 - 2 * 5


def test_zero_grad_forgets_or_zeroes() -> None:
    w = tg.tensor([2.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=0.1)
    (w * w).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert w.grad.tolist() == [0]
    optimizer.zero_grad()
    assert w.grad is None
    optimizer.step()
    assert w.tolist() == [2]


# Errors


def test_wrong_parameters_are_refused() -> None:
    w = tg.tensor([1.0], requires_grad=True)
    with pytest.raises(TabgradError, match="optimizer: expected parameters, got an empty list"):
        optim.SGD([])
    with pytest.raises(TabgradError, match="optimizer: expected leaf tensors"):
        optim.SGD([w * 2])
    with pytest.raises(TabgradError, match=r"optimizer: expected each parameter once, got one of shape \[1\] twice"):
        optim.SGD([w, w])
    with pytest.raises(TabgradError, match="twice"):
        optim.SGD([{"params": [w]}, {"params": [w]}])
    with pytest.raises(TabgradError, match=r"optimizer: expected lr, .* in a group, got learning_rate"):
        optim.SGD([{"params": [w], "learning_rate": 1}])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: optim.SGD(p, lr=-1), r"SGD: expected lr, momentum, weight_decay >= 0, got -1, 0, 0"),
        (lambda p: optim.SGD(p, nesterov=True), "SGD: expected momentum > 0 and dampening 0 with nesterov=True"),
        (lambda p: optim.Adam(p, betas=(0.9, 1.0)), r"Adam: expected .* betas in \[0, 1\), got"),
        (lambda p: optim.AdamW(p, eps=-1), "AdamW: expected lr, eps, weight_decay >= 0"),
    ],
)
def test_wrong_hyperparameters_are_refused(make: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(TabgradError, match=message):
        make([tg.tensor([1.0], requires_grad=True)])


def test_differentiable_steps_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="Adam with differentiable=True is not supported"):
        optim.Adam([tg.tensor([1.0], requires_grad=True)], differentiable=True)


def test_gradient_of_another_shape_is_refused() -> None:
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ShapeError, match=r"grad: expected a gradient \[2\], as its tensor, got \[3\]"):
        w.grad = tg.ones(3)


def test_a_parameter_of_two_optimizers_is_refused() -> None:
    w = tg.tensor([1.0], requires_grad=True)
    first, second = optim.Adam([w]), optim.Adam([w])
    w.sum().backward()
    first.step()
    second.step()
    with pytest.raises(GradError, match="got some that another optimizer has taken over"):
        first.step()


def test_an_optimizer_without_an_update_is_refused() -> None:
    w = tg.tensor([1.0], requires_grad=True)
    w.sum().backward()
    with pytest.raises(NotImplementedError, match="Optimizer does not define its update"):
        optim.Optimizer([w], {"lr": 1.0}).step()
