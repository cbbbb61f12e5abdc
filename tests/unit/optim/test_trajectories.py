"""Ten steps of every optimizer, compared with PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import optim

STEPS = 10
# float32 against float32: rounding differs in the order of operations, and Adam divides by small roots
RTOL, ATOL = 2e-5, 1e-6

SHAPES = ((3, 4), (4,), (), (5, 1, 2))

SGD = [
    {},
    {"lr": 0.1, "momentum": 0.9},
    {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
    {"lr": 0.05, "momentum": 0.8, "nesterov": True},
    {"lr": 0.1, "weight_decay": 0.2},
    {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.1, "maximize": True},
    {"lr": 0.0, "momentum": 0.9},
]
ADAM = [
    {},
    {"lr": 0.1},
    {"lr": 0.05, "betas": (0.5, 0.9), "eps": 1e-3},
    {"lr": 0.05, "weight_decay": 0.3},
    {"lr": 0.05, "weight_decay": 0.1, "maximize": True},
    {"lr": 0.05, "betas": (0.0, 0.999)},
]

CASES = [
    *(("SGD", options) for options in SGD),
    *(("Adam", options) for options in ADAM),
    *(("AdamW", options) for options in ADAM),
]


def _start() -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [np.asarray(rng.uniform(-1, 1, shape), np.float32) for shape in SHAPES]


def _weights(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(100 + n)
    return [np.asarray(rng.uniform(-1, 1, shape), np.float32) for shape in SHAPES]


def _loss(parameters: list[Any], weights: list[Any]) -> Any:
    return sum((p * p * 0.5 + p * w).sum() for p, w in zip(parameters, weights, strict=True))


class Pair:
    """The same parameters here and in PyTorch, trained by equal optimizers."""

    def __init__(self, name: str, groups: list[dict[str, Any]] | None = None, **options: Any) -> None:
        self.ours = [tg.tensor(a, requires_grad=True) for a in _start()]
        self.theirs = [torch.tensor(a, requires_grad=True) for a in _start()]
        torch_options = {"lr": 1e-3, **options} if name == "SGD" else options
        self.optimizer = getattr(optim, name)(self._grouped(self.ours, groups), **options)
        self.reference = getattr(torch.optim, name)(self._grouped(self.theirs, groups), **torch_options)
        self.done = 0

    @staticmethod
    def _grouped(parameters: list[Any], groups: list[dict[str, Any]] | None) -> list[Any]:
        if groups is None:
            return parameters
        return [{**g, "params": [parameters[n] for n in g["params"]]} for g in groups]

    def step(self) -> None:
        weights = _weights(self.done)
        self.done += 1
        for optimizer, parameters, T in ((self.optimizer, self.ours, tg), (self.reference, self.theirs, torch)):
            optimizer.zero_grad()
            _loss(parameters, [T.tensor(w) for w in weights]).backward()
            optimizer.step()

    def check(self) -> None:
        for ours, theirs in zip(tg.runtime.read_now(*self.ours), self.theirs, strict=True):
            np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=RTOL, atol=ATOL)


@pytest.mark.parametrize(("name", "options"), CASES, ids=[f"{n} {o}" for n, o in CASES])
def test_trajectory_is_pytorchs(name: str, options: dict[str, Any]) -> None:
    pair = Pair(name, **options)
    for _ in range(STEPS):
        pair.step()
        pair.check()


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_parameter_groups_have_their_own_hyperparameters(name: str) -> None:
    groups = [
        {"params": [0, 2]},
        {"params": [1], "lr": 0.5, "weight_decay": 0.1},
        {"params": [3], "lr": 0.0},
    ]
    pair = Pair(name, groups, lr=0.05)
    for _ in range(STEPS):
        pair.step()
        pair.check()
    np.testing.assert_array_equal(pair.ours[3].detach().numpy(), _start()[3])


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_hyperparameters_may_change_between_steps(name: str) -> None:
    pair = Pair(name, lr=0.1, weight_decay=0.1)
    for n in range(STEPS):
        for optimizer in (pair.optimizer, pair.reference):
            optimizer.param_groups[0].update(lr=0.1 / (n + 1), weight_decay=0.02 * n)
        pair.step()
        pair.check()


def test_a_group_added_later_starts_its_own_count() -> None:
    pair = Pair("Adam", [{"params": [0]}], lr=0.1)
    weights = _weights(0)
    for n in range(6):
        if n == 3:
            pair.optimizer.add_param_group({"params": [pair.ours[1]], "lr": 0.01})
            pair.reference.add_param_group({"params": [pair.theirs[1]], "lr": 0.01})
        for optimizer, parameters, T in ((pair.optimizer, pair.ours, tg), (pair.reference, pair.theirs, torch)):
            optimizer.zero_grad()
            count = 1 if n < 3 else 2
            _loss(parameters[:count], [T.tensor(w) for w in weights[:count]]).backward()
            optimizer.step()
        pair.check()


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_frozen_parameters_stay(name: str) -> None:
    pair = Pair(name, lr=0.1)
    for parameters in (pair.ours, pair.theirs):
        parameters[1].requires_grad_(False)
    for _ in range(3):
        pair.step()
    pair.check()
    np.testing.assert_array_equal(pair.ours[1].detach().numpy(), _start()[1])
    assert pair.ours[1].grad is None


def test_gradients_accumulate_over_micro_batches() -> None:
    pair = Pair("SGD", lr=0.1, momentum=0.9)
    for _ in range(3):
        for optimizer, parameters, T in ((pair.optimizer, pair.ours, tg), (pair.reference, pair.theirs, torch)):
            optimizer.zero_grad()
            for n in range(4):
                _loss(parameters, [T.tensor(w) for w in _weights(n)]).backward()
            optimizer.step()
    pair.check()


def test_closure_computes_the_loss() -> None:
    w = tg.tensor([3.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=0.5)

    def closure() -> tg.Tensor:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 9
    assert w.item() == 0


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_found_inf_skips_the_update_and_its_state(name: str) -> None:
    options = {"momentum": 0.9} if name == "SGD" else {}
    w = tg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = getattr(optim, name)([w], lr=0.1, **options)
    for bad in (0.0, 1.0, 1.0):
        optimizer.zero_grad()
        (w * (float("nan") if bad else 1.0)).sum().backward()
        optimizer.step(found_inf=tg.tensor(bad))
    value, state = w.tolist(), optimizer.state_dict()["state"][0]
    other = tg.tensor([1.0, 2.0], requires_grad=True)
    reference = getattr(optim, name)([other], lr=0.1, **options)
    other.sum().backward()
    reference.step()
    assert value == other.tolist()
    for key, expected in reference.state_dict()["state"][0].items():
        if key != "step":
            np.testing.assert_array_equal(state[key], expected)
