"""Schedules of the learning rate; call ``step()`` once per epoch (or per iteration)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tabgrad.checks import real_number, whole_number
from tabgrad.errors import TabgradError
from tabgrad.optim.optimizer import Optimizer, are_numbers


class LRScheduler:
    """Sets each group's ``lr`` to a factor times its initial value."""

    def __init__(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(self).__name__}: expected an optimizer, got {type(optimizer).__name__}")
        self.optimizer = optimizer
        self.base_lrs = [g["lr"] for g in optimizer.param_groups]
        self.last_epoch = 0
        self._apply()

    def factor(self, epoch: int) -> float:
        """The factor of the initial learning rate."""
        raise NotImplementedError(f"{type(self).__name__} does not define its factor")

    def step(self) -> None:
        """Advance by one epoch."""
        self.last_epoch += 1
        self._apply()

    def get_last_lr(self) -> list[float]:
        """The current learning rates, one per group."""
        return [g["lr"] for g in self.optimizer.param_groups]

    def _numbers_in_python(self) -> tuple[Any, ...]:
        return (self.last_epoch,)  # as an optimizer's: a compiled step may not change it

    def _apply(self) -> None:
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = base * self._checked(self.factor(self.last_epoch))

    def _checked(self, factor: Any) -> float:
        if not are_numbers(factor):
            raise TabgradError(
                f"{type(self).__name__}: expected a finite factor >= 0 for epoch {self.last_epoch}, got {factor!r}"
            )
        return float(factor)


class LambdaLR(LRScheduler):
    """Factor: a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        if not callable(lr_lambda):
            raise TypeError(f"LambdaLR: expected a function from epochs to factors, got {type(lr_lambda).__name__}")
        self._lambda = lr_lambda
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """``lr_lambda(epoch)``."""
        return self._lambda(epoch)


class StepLR(LRScheduler):
    """Factor: multiplied by ``gamma`` every ``step_size`` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size = whole_number(step_size, "StepLR", "step_size", 1)
        self.gamma = real_number(gamma, "StepLR", "gamma", 0)
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """``gamma ** (epoch // step_size)``."""
        return self.gamma ** (epoch // self.step_size)


class CosineAnnealingLR(LRScheduler):
    """Factor: half a cosine from 1 to ``eta_min / lr`` in ``T_max`` epochs. Source: https://arxiv.org/abs/1608.03983"""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.period = whole_number(T_max, "CosineAnnealingLR", "T_max", 1)
        self.eta_min = real_number(eta_min, "CosineAnnealingLR", "eta_min", 0)
        super().__init__(optimizer)

    def factor(self, epoch: int) -> float:
        """``(1 + cos(pi epoch / T_max)) / 2``; the floor is added by the caller."""
        return (1 + math.cos(math.pi * epoch / self.period)) / 2

    def _apply(self) -> None:
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = self.eta_min + (base - self.eta_min) * self.factor(self.last_epoch)
