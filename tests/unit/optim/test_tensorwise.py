"""Optimizers that look at each parameter's shape or norm, and those that PyTorch has not; L-BFGS."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import GradError, TabgradError, optim

STEPS = 10
Rule = Callable[[dict[str, Any], np.ndarray, np.ndarray, int], np.ndarray]


def muon(state: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    """Muon's defaults, in float64."""
    b = state["b"] = state.get("b", 0) * 0.95 + 0.05 * g
    u = 0.05 * g + 0.95 * b
    x = u.T if u.shape[0] > u.shape[1] else u
    x = x / np.sqrt((x * x).sum())
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
    x = x.T if u.shape[0] > u.shape[1] else x
    return p * (1 - 0.02 * 0.1) - 0.02 * math.sqrt(max(1, p.shape[0] / p.shape[1])) * x


def lamb(state: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    """LAMB with weight decay, in float64."""
    m = state["m"] = state.get("m", 0) * 0.9 + 0.1 * g
    v = state["v"] = state.get("v", 0) * 0.999 + 0.001 * g * g
    r = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-6) + 0.1 * p
    sizes = np.linalg.norm(p), np.linalg.norm(r)
    return p - 0.02 * (sizes[0] / sizes[1] if min(sizes) > 0 else 1.0) * r


def lion(state: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    """Lion with weight decay, in float64."""
    m = state.get("m", 0 * g)
    state["m"] = 0.99 * m + 0.01 * g
    return p * (1 - 0.02 * 0.1) - 0.02 * np.sign(0.9 * m + 0.1 * g)


RULES: dict[str, tuple[Rule, dict[str, Any]]] = {
    "Muon": (muon, {"lr": 0.02}),
    "LAMB": (lamb, {"lr": 0.02, "weight_decay": 0.1}),
    "Lion": (lion, {"lr": 0.02, "weight_decay": 0.1}),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("name", RULES)
def test_steps_follow_the_formulas(name: str, compiled: bool) -> None:
    rule, options = RULES[name]
    rng = np.random.default_rng(1)
    starts = [rng.standard_normal(shape).astype(np.float32) for shape in ((3, 5), (6, 2), (4, 4))]
    goals = [rng.standard_normal(s.shape).astype(np.float32) for s in starts]
    if name == "LAMB":
        starts[2] *= 0  # a parameter without a length
    params = [tg.tensor(s, requires_grad=True) for s in starts]
    optimizer = getattr(optim, name)(params, **options)

    def step(*given: tg.Tensor) -> None:
        optimizer.zero_grad()
        sum(((p - g) ** 2).sum() for p, g in zip(params, given, strict=True)).backward()
        optimizer.step()

    call = tg.compile(step) if compiled else step
    expected: list[np.ndarray] = [s.astype(np.float64) for s in starts]
    states: list[dict[str, Any]] = [{} for _ in starts]
    for t in range(1, STEPS + 1):
        call(*[tg.tensor(g) for g in goals])
        expected = [rule(s, p, 2 * (p - g), t) for s, p, g in zip(states, expected, goals, strict=True)]
    for p, e in zip(params, expected, strict=True):
        np.testing.assert_allclose(p.detach().numpy(), e, rtol=2e-4, atol=2e-5)


def test_muon_is_pytorchs() -> None:
    found = []
    for T in (tg, torch):
        params = [T.tensor(np.linspace(-1, 2, 15, dtype=np.float32).reshape(3, 5), requires_grad=True)]
        optimizer = T.optim.Muon(params, lr=0.02, adjust_lr_fn="match_rms_adamw", nesterov=False)
        for n in range(STEPS):
            optimizer.zero_grad()
            ((params[0] - n * 0.1) ** 2).sum().backward()
            optimizer.step()
        assert optimizer.state_dict()["state"][0].keys() == {"momentum_buffer"}
        found.append(params[0].detach().numpy())
    np.testing.assert_allclose(*found, atol=5e-3)  # PyTorch rounds the iteration to bfloat16


def test_what_muon_and_sparse_adam_do_not_take() -> None:
    with pytest.raises(TabgradError, match=r"Muon: expected parameters of two dimensions, got one of shape \[3\]"):
        optim.Muon([tg.ones(3, requires_grad=True)])
    with pytest.raises(NotImplementedError, match="SparseAdam is not supported: gradients are dense"):
        optim.SparseAdam([tg.ones(3, requires_grad=True)])


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("name", ["Adafactor", "NAdam", "RAdam"])
def test_parameters_that_are_frozen_for_some_steps(name: str, compiled: bool) -> None:
    found = []
    for T in (tg, torch):
        a, b = (T.tensor(np.full((2, 3), v, np.float32), requires_grad=True) for v in (1.0, -2.0))
        optimizer = getattr(T.optim, name)([a, b], lr=0.1)

        def step(x: Any, a: Any = a, b: Any = b, optimizer: Any = optimizer) -> None:
            optimizer.zero_grad()
            (((a - x) ** 2).sum() + ((b * x) ** 2).sum()).backward()
            optimizer.step()

        call = tg.compile(step) if compiled and T is tg else step
        for n in range(9):
            b.requires_grad_(n % 3 != 1)
            call(T.tensor(0.5 + n))
        state = optimizer.state_dict()["state"]
        assert [float(state[n]["step"]) for n in (0, 1)] == [9, 6]
        found.append([p.detach().numpy() for p in (a, b)])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=3e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["Adafactor", "LAMB", "NAdam", "ASGD", "Rprop"])
def test_a_saved_state_continues_the_run(name: str) -> None:
    def run(params: list[tg.Tensor], optimizer: optim.Optimizer, first: int, last: int) -> None:
        for n in range(first, last):
            optimizer.zero_grad()
            sum(((p - n * 0.3) ** 2).sum() for p in params).backward()
            optimizer.step()

    params = [tg.tensor(np.ones(shape, np.float32), requires_grad=True) for shape in ((2, 3), (4,))]
    optimizer = getattr(optim, name)(params, lr=0.1)
    run(params, optimizer, 0, 4)
    again = [tg.tensor(p.detach().numpy(), requires_grad=True) for p in params]
    other = getattr(optim, name)(again, lr=0.3)
    other.load_state_dict(optimizer.state_dict())
    run(params, optimizer, 4, 8)
    run(again, other, 4, 8)
    for p, q in zip(params, again, strict=True):
        np.testing.assert_array_equal(p.detach().numpy(), q.detach().numpy())


LBFGS: dict[str, dict[str, Any]] = {
    "fixed steps": {"lr": 0.05},
    "few iterations": {"lr": 0.02, "max_iter": 4, "history_size": 2},
    "line search": {"line_search_fn": "strong_wolfe", "max_iter": 4},
    "line search, short history": {"line_search_fn": "strong_wolfe", "max_iter": 3, "history_size": 2, "lr": 0.5},
}


def valley(T: Any, options: dict[str, Any], turns: int) -> tuple[list[float], Any, Any]:
    """Rosenbrock's function: the losses of some turns, the optimizer and its step."""
    x = T.tensor([-1.2, 1.0], requires_grad=True)
    y = T.tensor([[0.3]], requires_grad=True)
    optimizer = T.optim.LBFGS([x, y, T.tensor([1.0], requires_grad=True)], **options)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2 + (y * y).sum()
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(turns)], optimizer, closure


@pytest.mark.parametrize("name", LBFGS)
def test_lbfgs_is_pytorchs(name: str) -> None:
    (ours, optimizer, _), (theirs, reference, _) = (valley(T, LBFGS[name], 4) for T in (tg, torch))
    np.testing.assert_allclose(ours, theirs, rtol=0.02)  # each iteration enlarges what was rounded
    mine, expected = (o.state_dict()["state"][0] for o in (optimizer, reference))
    assert mine.keys() | {"al"} == expected.keys() | {"al"}
    assert (mine["func_evals"], mine["n_iter"]) == (expected["func_evals"], expected["n_iter"])
    if "line search" in name:
        assert valley(tg, LBFGS[name], 20)[0][-1] < 1e-8


def test_lbfgs_continues_from_its_state() -> None:
    _, optimizer, closure = valley(tg, LBFGS["line search"], 2)
    _, other, _ = valley(tg, LBFGS["line search"], 0)
    other.load_state_dict(optimizer.state_dict())
    assert len(other.state_dict()["state"][0]["old_dirs"]) == len(optimizer.state_dict()["state"][0]["old_dirs"])
    with pytest.raises(TypeError, match="LBFGS: expected a closure that computes the loss again, got NoneType"):
        optimizer.step(None)
    with pytest.raises(TabgradError, match="LBFGS: expected one group of parameters"):
        optimizer.add_param_group({"params": tg.ones(1, requires_grad=True)})
    with pytest.raises((RuntimeError, GradError), match="compile: expected"):
        tg.compile(lambda: optimizer.step(closure))()
