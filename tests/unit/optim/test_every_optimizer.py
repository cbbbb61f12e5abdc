"""Steps of every optimizer and option against PyTorch's; plain loops and compiled steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

STEPS = 12
RTOL, ATOL = 3e-5, 3e-6  # float32 against float32, divided by small roots
SHAPES = ((3, 4), (4,), (), (5, 1, 2), (2,))
WITHOUT_GRAD = 4

CASES: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.1, "momentum": 0.9, "foreach": True}),
    ("Adam", {"lr": 0.05, "amsgrad": True}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.2, "decoupled_weight_decay": True, "fused": True}),
    ("AdamW", {"lr": 0.05, "amsgrad": True, "maximize": True, "weight_decay": 0.1}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.7, "eps": 1e-3, "weight_decay": 0.1}),
    ("Adadelta", {"maximize": True}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.3, "eps": 1e-4}),
    ("Adagrad", {"lr": 0.1, "maximize": True}),
    ("Adamax", {}),
    ("Adamax", {"lr": 0.1, "betas": (0.5, 0.8), "eps": 1e-2, "weight_decay": 0.1, "maximize": True}),
    ("ASGD", {}),
    ("ASGD", {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 3, "weight_decay": 0.1}),
    ("ASGD", {"lr": 0.1, "t0": 0, "maximize": True}),
    ("NAdam", {}),
    ("NAdam", {"lr": 0.1, "betas": (0.5, 0.9), "momentum_decay": 0.1, "weight_decay": 0.1}),
    ("NAdam", {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("RAdam", {"lr": 0.05}),
    ("RAdam", {"lr": 0.05, "betas": (0.5, 0.7), "eps": 1e-3, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.05, "alpha": 0.8, "eps": 1e-3, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.05, "momentum": 0.7, "maximize": True}),
    ("RMSprop", {"lr": 0.05, "centered": True, "eps": 1e-2}),
    ("RMSprop", {"lr": 0.05, "centered": True, "momentum": 0.5, "eps": 1e-2, "weight_decay": 0.1}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (1e-2, 0.2), "maximize": True}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.2, "beta2_decay": -0.5, "eps": (1e-4, 1e-2), "d": 1.5, "weight_decay": 0.1}),
    ("Adafactor", {"lr": 0.1, "maximize": True}),
]


def start() -> list[np.ndarray]:
    """Values of the parameters."""
    rng = np.random.default_rng(3)
    return [np.asarray(rng.uniform(-1, 1, shape), np.float32) for shape in SHAPES]


def weights(n: int) -> list[np.ndarray]:
    """What makes each step's gradients its own."""
    rng = np.random.default_rng(100 + n)
    return [np.asarray(rng.uniform(-1, 1, shape), np.float32) for shape in SHAPES]


def loss_of(parameters: list[Any], factors: Any) -> Any:
    """A loss that the last parameter has no part in."""
    used = list(zip(parameters, factors, strict=True))[:WITHOUT_GRAD]
    return sum((p * p * 0.5 + p * w).sum() for p, w in used)


def trained(T: Any, name: str, options: dict[str, Any], *, compiled: bool = False) -> tuple[list[Any], Any]:
    """Parameters after all steps, in two groups, with a learning rate that changes; and the optimizer."""
    parameters = [T.tensor(a, requires_grad=True) for a in start()]
    groups = [{"params": parameters[:2]}, {"params": parameters[2:], "lr": options.get("lr", 0.01) * 0.5}]
    optimizer = getattr(T.optim, name)(groups, **options)

    def step(*factors: Any) -> Any:
        optimizer.zero_grad()
        loss = loss_of(parameters, factors)
        loss.backward()
        optimizer.step()
        return loss

    call = tg.compile(step) if compiled else step
    for n in range(STEPS):
        if n == 6:
            for group in optimizer.param_groups:
                group["lr"] *= 0.5
        call(*[T.tensor(w) for w in weights(n)])
    if compiled:
        assert len(call.recordings) == 1  # type: ignore[attr-defined]
    return parameters, optimizer


def arrays(values: list[Any]) -> list[np.ndarray]:
    """Tensors of either library on the host."""
    return [np.asarray(value.detach().numpy()) for value in values]


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize(("name", "options"), CASES, ids=[f"{n} {o}" for n, o in CASES])
def test_steps_are_pytorchs(name: str, options: dict[str, Any], compiled: bool) -> None:
    theirs, reference = trained(torch, name, options)
    ours, optimizer = trained(tg, name, options, compiled=compiled)
    for n, (mine, expected) in enumerate(zip(arrays(ours), arrays(theirs), strict=True)):
        np.testing.assert_allclose(mine, expected, rtol=RTOL, atol=ATOL, err_msg=f"parameter {n}")
    np.testing.assert_array_equal(ours[WITHOUT_GRAD].detach().numpy(), start()[WITHOUT_GRAD])
    if compiled:
        return
    saved, wanted = optimizer.state_dict(), reference.state_dict()
    assert saved["param_groups"] == wanted["param_groups"]
    assert repr(optimizer) == repr(reference)
    for key, entry in saved["state"].items():
        assert entry.keys() == wanted["state"][key].keys()
        for part, value in entry.items():
            np.testing.assert_allclose(
                value.numpy(), wanted["state"][key][part].numpy(), rtol=1e-4, atol=1e-5, err_msg=part
            )
