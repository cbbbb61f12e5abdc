"""Schedules of the learning rate, against PyTorch's."""

from __future__ import annotations

import copy
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import tabgrad as tg
from steps import step_of
from tabgrad import TabgradError, optim
from tabgrad.optim import lr_scheduler

STEPS = 60
Make = Callable[[Any, Any], Any]

SCHEDULES: dict[str, Make] = {
    "StepLR": lambda S, o: S.StepLR(o, step_size=3),
    "StepLR gamma": lambda S, o: S.StepLR(o, 2, gamma=0.5),
    "LambdaLR": lambda S, o: S.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
    "LambdaLR per group": lambda S, o: S.LambdaLR(o, [lambda e: 0.9**e, lambda e: 1 / (1 + e)]),
    "CosineAnnealingLR": lambda S, o: S.CosineAnnealingLR(o, T_max=8),
    "CosineAnnealingLR eta_min": lambda S, o: S.CosineAnnealingLR(o, T_max=8, eta_min=0.01),
    "CosineAnnealingLR long": lambda S, o: S.CosineAnnealingLR(o, 100, 1e-3),
    "CosineAnnealingLR fraction": lambda S, o: S.CosineAnnealingLR(o, 12.5),
    "MultiplicativeLR": lambda S, o: S.MultiplicativeLR(o, lambda epoch: 0.95),
    "MultiplicativeLR per group": lambda S, o: S.MultiplicativeLR(o, [lambda e: 0.9, lambda e: 1 + 1 / (1 + e)]),
    "MultiStepLR": lambda S, o: S.MultiStepLR(o, [5, 12, 12, 40], gamma=0.3),
    "ConstantLR": lambda S, o: S.ConstantLR(o, factor=0.4, total_iters=7),
    "LinearLR": lambda S, o: S.LinearLR(o),
    "LinearLR down": lambda S, o: S.LinearLR(o, 1.0, 0.1, total_iters=50),
    "ExponentialLR": lambda S, o: S.ExponentialLR(o, gamma=0.9),
    "PolynomialLR": lambda S, o: S.PolynomialLR(o, total_iters=30, power=0.9),
    "CosineAnnealingWarmRestarts": lambda S, o: S.CosineAnnealingWarmRestarts(o, 7),
    "CosineAnnealingWarmRestarts longer": lambda S, o: S.CosineAnnealingWarmRestarts(o, 4, T_mult=2, eta_min=1e-3),
    "CyclicLR": lambda S, o: S.CyclicLR(o, 0.01, 0.1, step_size_up=6),
    "CyclicLR triangular2": lambda S, o: S.CyclicLR(o, [0.01, 0.02], [0.1, 0.3], 5, 9, mode="triangular2"),
    "CyclicLR exp_range": lambda S, o: S.CyclicLR(o, 0.01, 0.1, 5, mode="exp_range", gamma=0.97, cycle_momentum=False),
    "CyclicLR scale_fn": lambda S, o: S.CyclicLR(o, 0.01, 0.1, 5, scale_fn=lambda x: 1 / (1 + x), max_momentum=0.99),
    "OneCycleLR": lambda S, o: S.OneCycleLR(o, max_lr=0.3, total_steps=STEPS),
    "OneCycleLR three": lambda S, o: S.OneCycleLR(o, [0.3, 0.5], epochs=4, steps_per_epoch=20, three_phase=True),
    "OneCycleLR linear": lambda S, o: S.OneCycleLR(o, 1.0, 80, anneal_strategy="linear", div_factor=10, pct_start=0.4),
    "SequentialLR": lambda S, o: S.SequentialLR(
        o, [S.LinearLR(o, 0.1, total_iters=5), S.CosineAnnealingLR(o, 20), S.ExponentialLR(o, 0.9)], [5, 30]
    ),
    "SequentialLR of chains": lambda S, o: S.SequentialLR(
        o, [S.ChainedScheduler([S.ConstantLR(o, 0.1), S.ExponentialLR(o, 0.95)]), S.StepLR(o, 4)], [10]
    ),
    "ChainedScheduler": lambda S, o: S.ChainedScheduler(
        [S.LinearLR(o, 0.1, total_iters=9), S.ExponentialLR(o, 0.97), S.MultiStepLR(o, [20, 40])], optimizer=o
    ),
}


def optimizers(kind: str = "SGD", **options: Any) -> tuple[Any, Any]:
    """Ours and PyTorch's over the same groups."""
    made = []
    for T in (tg, torch):
        params = [T.tensor([1.0], requires_grad=True) for _ in range(2)]
        groups = [{"params": params[:1]}, {"params": params[1:], "lr": 0.5}]
        made.append(getattr(T.optim, kind)(groups, lr=0.1, **options))
    return made[0], made[1]


def pairs(make: Make, *, kind: str = "SGD", **options: Any) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Our schedule and PyTorch's with their optimizers, before the first step and after each."""
    ours, theirs = optimizers(kind, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a chain that begins anew makes PyTorch ask for a step of the optimizer
        mine, expected = make(lr_scheduler, ours), make(torch.optim.lr_scheduler, theirs)
    for _ in range(STEPS):
        yield ours, mine, theirs, expected
        theirs.step()
        mine.step()
        expected.step()


def same_rates(ours: Any, mine: Any, theirs: Any, expected: Any, where: Any = "") -> None:
    """Learning rates and momentum of all groups."""
    assert mine.get_last_lr() == pytest.approx(expected.get_last_lr(), rel=1e-9, abs=1e-15), where
    for group, wanted in zip(ours.param_groups, theirs.param_groups, strict=True):
        for name in ("lr", "momentum", "betas"):
            if name in wanted:
                assert group[name] == pytest.approx(wanted[name], rel=1e-9, abs=1e-15), (where, name)


@pytest.mark.parametrize("name", SCHEDULES)
def test_learning_rates_are_pytorchs(name: str) -> None:
    for n, found in enumerate(pairs(SCHEDULES[name], momentum=0.9)):
        same_rates(*found, where=n)


@pytest.mark.parametrize("name", ["CyclicLR", "OneCycleLR"])
def test_betas_are_cycled_where_there_is_no_momentum(name: str) -> None:
    for n, found in enumerate(pairs(SCHEDULES[name], kind="Adam")):
        same_rates(*found, where=n)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_rate_set_by_hand_counts_as_in_pytorch(name: str) -> None:
    for n, found in enumerate(itertools.islice(pairs(SCHEDULES[name], momentum=0.9), 30)):
        same_rates(*found, where=n)
        for optimizer in (found[0], found[2]):
            if n in (2, 13):
                optimizer.param_groups[0]["lr"] = 0.07


@pytest.mark.parametrize("name", SCHEDULES)
def test_state_is_pytorchs_and_continues(name: str) -> None:
    ours, _ = optimizers(momentum=0.9)
    mine = SCHEDULES[name](lr_scheduler, ours)
    for _, _, _, expected in itertools.islice(pairs(SCHEDULES[name], momentum=0.9), 12):
        state = copy.deepcopy(expected.state_dict())
    assert mine.state_dict().keys() - {"_scale_fn_ref"} == state.keys() - {"_scale_fn_ref"}
    mine.load_state_dict(state)
    assert mine.state_dict().get("last_epoch") == state.get("last_epoch")
    assert mine.get_last_lr() == expected.get_last_lr()


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_plateaus_are_pytorchs(mode: str, threshold_mode: str) -> None:
    options = {"mode": mode, "threshold_mode": threshold_mode, "factor": 0.5, "patience": 2, "cooldown": 3,
               "min_lr": [1e-3, 0.1], "threshold": 0.05}  # fmt: skip
    ours, theirs = optimizers()
    mine = lr_scheduler.ReduceLROnPlateau(ours, **options)
    expected = torch.optim.lr_scheduler.ReduceLROnPlateau(theirs, **options)
    for n in range(STEPS):
        value = 1 + math.sin(n * n) / (1 + n / 5)
        mine.step(tg.tensor(value) if n % 2 else value)
        expected.step(torch.tensor(value) if n % 2 else value)
        same_rates(ours, mine, theirs, expected, where=n)
    assert mine.state_dict().keys() == expected.state_dict().keys()
    assert mine.state_dict()["num_bad_epochs"] == expected.state_dict()["num_bad_epochs"]


def test_a_users_schedule() -> None:
    def make(S: Any, optimizer: Any) -> Any:
        class Warm(S.LRScheduler):  # type: ignore[misc]
            def get_lr(self) -> list[float]:
                return [base * min(1.0, (self.last_epoch + 1) / 10) for base in self.base_lrs]

        return Warm(optimizer)

    for n, found in enumerate(pairs(make)):
        same_rates(*found, where=n)


def test_a_rate_that_is_a_tensor_is_changed_in_place() -> None:
    for name in ("StepLR", "CosineAnnealingLR", "LinearLR", "OneCycleLR"):
        rates = []
        for T in (tg, torch):
            lr = T.tensor(0.1)
            optimizer = T.optim.SGD([T.tensor([1.0], requires_grad=True)], lr=lr, momentum=0.9)
            schedule = SCHEDULES[name](T.optim.lr_scheduler, optimizer)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch would have a step of the optimizer before
                for _ in range(5):
                    schedule.step()
            assert optimizer.param_groups[0]["lr"] is lr
            rates.append(lr.item())
        assert rates[0] == pytest.approx(rates[1], rel=1e-5), name


def test_steps_to_an_epoch_are_deprecated_and_use_the_closed_form() -> None:
    for name in ("StepLR", "ExponentialLR", "PolynomialLR", "LinearLR", "MultiStepLR", "CosineAnnealingLR"):
        ours, theirs = optimizers()
        schedules = SCHEDULES[name](lr_scheduler, ours), SCHEDULES[name](torch.optim.lr_scheduler, theirs)
        theirs.step()
        for schedule in schedules:
            with pytest.warns(UserWarning, match="deprecat"):
                schedule.step(7)
        same_rates(ours, schedules[0], theirs, schedules[1], where=name)
    ours, theirs = optimizers()
    restarts = [S.CosineAnnealingWarmRestarts(o, 3, T_mult=2) for S, o in
                ((lr_scheduler, ours), (torch.optim.lr_scheduler, theirs))]  # fmt: skip
    theirs.step()
    for epoch in (0.25, 1.5, 3.2, 11.9):
        for schedule in restarts:
            schedule.step(epoch)
        same_rates(ours, restarts[0], theirs, restarts[1], where=epoch)


def test_a_schedule_reaches_a_compiled_step() -> None:
    w = tg.tensor([0.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0)
    schedule = lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    step = tg.compile(step_of(optimizer, lambda x: (w * x).sum()))
    for _ in range(4):
        step(tg.tensor([1.0]))
        schedule.step()
    assert w.item() == -(1 + 0.5 + 0.25 + 0.125)
    assert len(step.recordings) == 1


@pytest.mark.parametrize("compiled", [False, True])
def test_momentum_that_a_schedule_brings_is_pytorchs(compiled: bool) -> None:
    found = []
    for T in (tg, torch):
        w = T.tensor([1.0, -2.0], requires_grad=True)
        optimizer = T.optim.SGD([w], lr=0.1)
        schedule = T.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, total_steps=12)
        step = step_of(optimizer, lambda x, w=w: (w * w * x).sum())
        call = tg.compile(step) if compiled and T is tg else step
        for n in range(12):
            call(T.tensor([1.0 + n, 2.0]))
            schedule.step()
        found.append(w.detach().tolist())
    assert found[0] == pytest.approx(found[1], rel=1e-4)


def test_a_schedule_without_a_factor_is_refused() -> None:
    optimizer = optim.SGD([tg.tensor([1.0], requires_grad=True)])
    with pytest.raises(NotImplementedError, match="LRScheduler does not define its factor"):
        lr_scheduler.LRScheduler(optimizer)


REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "optimizer": (lambda o: lr_scheduler.LinearLR(3), TypeError, "LinearLR: expected an optimizer, got int"),
    "resumed": (
        lambda o: lr_scheduler.StepLR(o, 2, last_epoch=3),
        KeyError,
        "expected 'initial_lr' in the optimizer's",
    ),
    "lambdas": (lambda o: lr_scheduler.LambdaLR(o, [abs]), TabgradError, "one value or 2, one per group, got 1"),
    "mode": (lambda o: lr_scheduler.CyclicLR(o, 0.1, 0.2, mode="x"), TabgradError, "CyclicLR: expected mode as one of"),
    "steps": (lambda o: lr_scheduler.OneCycleLR(o, 0.1), TabgradError, "expected total_steps, or epochs and steps_per"),
    "plateau": (
        lambda o: lr_scheduler.ChainedScheduler([lr_scheduler.ReduceLROnPlateau(o)]),
        TabgradError,
        "got ReduceLROnPlateau at position 0",
    ),
    "milestones": (
        lambda o: lr_scheduler.SequentialLR(o, [lr_scheduler.StepLR(o, 2)], [3]),
        TabgradError,
        "expected 0 milestones for 1 schedules, got 1",
    ),
    "momentum": (
        lambda o: lr_scheduler.CyclicLR(optim.Adagrad(o.param_groups[0]["params"]), 0.1, 0.2),
        TabgradError,
        "CyclicLR: expected an optimizer with momentum or betas .* pass cycle_momentum=False",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    make, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        make(optimizers()[0])
