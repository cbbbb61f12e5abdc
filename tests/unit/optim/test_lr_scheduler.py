"""Schedules of the learning rate, against PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import tabgrad as tg
from steps import step_of
from tabgrad import optim
from tabgrad.optim import lr_scheduler

SCHEDULES: dict[str, Callable[[Any, Any], Any]] = {
    "StepLR": lambda S, o: S.StepLR(o, step_size=3),
    "StepLR gamma": lambda S, o: S.StepLR(o, 2, gamma=0.5),
    "LambdaLR": lambda S, o: S.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
    "CosineAnnealingLR": lambda S, o: S.CosineAnnealingLR(o, T_max=8),
    "CosineAnnealingLR eta_min": lambda S, o: S.CosineAnnealingLR(o, T_max=8, eta_min=0.01),
}


def _pair(name: str) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    ours = [tg.tensor([1.0], requires_grad=True) for _ in range(2)]
    theirs = [torch.tensor([1.0], requires_grad=True) for _ in range(2)]
    a = optim.SGD([{"params": ours[:1]}, {"params": ours[1:], "lr": 0.5}], lr=0.1)
    b = torch.optim.SGD([{"params": theirs[:1]}, {"params": theirs[1:], "lr": 0.5}], lr=0.1)
    return (a, SCHEDULES[name](lr_scheduler, a)), (b, SCHEDULES[name](torch.optim.lr_scheduler, b))


@pytest.mark.parametrize("name", SCHEDULES)
def test_learning_rates_are_pytorchs(name: str) -> None:
    (a, ours), (b, theirs) = _pair(name)
    for _ in range(8):
        assert [g["lr"] for g in a.param_groups] == pytest.approx([g["lr"] for g in b.param_groups], rel=1e-6, abs=1e-9)
        assert ours.get_last_lr() == pytest.approx(theirs.get_last_lr(), rel=1e-6, abs=1e-9)
        b.step()
        a.step()
        ours.step()
        theirs.step()


def test_a_schedule_reaches_a_compiled_step() -> None:
    w = tg.tensor([0.0], requires_grad=True)
    optimizer = optim.SGD([w], lr=1.0)
    schedule = lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    step = tg.compile(step_of(optimizer, lambda x: (w * x).sum()))
    for _ in range(4):
        step(tg.tensor([1.0]))
        schedule.step()
    assert w.item() == -(1 + 0.5 + 0.25 + 0.125)


def test_a_schedule_without_a_factor_is_refused() -> None:
    optimizer = optim.SGD([tg.tensor([1.0], requires_grad=True)])
    with pytest.raises(NotImplementedError, match="LRScheduler does not define its factor"):
        lr_scheduler.LRScheduler(optimizer)
