"""Schedules that take some epochs from one factor of the learning rate to another."""

from __future__ import annotations

from typing import Any

from tabgrad.checks import real_number, whole_number
from tabgrad.errors import ArgumentError
from tabgrad.optim.lr_scheduler import LRScheduler, values_of
from tabgrad.optim.optimizer import Optimizer


class ConstantLR(LRScheduler):
    """``factor`` times the learning rate for ``total_iters`` epochs, and then all of it."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        self.factor = real_number(factor, "ConstantLR", "factor", 0, 1)
        self.total_iters = whole_number(total_iters, "ConstantLR", "total_iters")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """``lr * factor`` at first, and ``lr / factor`` at the end."""
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        if self.last_epoch != self.total_iters:
            return values_of(self.optimizer, "lr")
        return self._scaled(1 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        factor = 1.0 if self.last_epoch >= self.total_iters else self.factor
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """From ``start_factor`` to ``end_factor`` times the learning rate in ``total_iters`` equal steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.start_factor = real_number(start_factor, "LinearLR", "start_factor", 0, 1)
        if self.start_factor == 0:
            raise ArgumentError("LinearLR: expected start_factor above 0, got 0; steps are factors of the one before")
        self.end_factor = real_number(end_factor, "LinearLR", "end_factor", 0, 1)
        self.total_iters = whole_number(total_iters, "LinearLR", "total_iters", 0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The ratio of two points of the line, times ``lr``."""
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return values_of(self.optimizer, "lr")
        rise = self.end_factor - self.start_factor
        return self._scaled(1 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self) -> list[Any]:
        rise = (self.end_factor - self.start_factor) * min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * (self.start_factor + rise) for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """``(1 - epoch / total_iters) ** power`` times the learning rate: to 0 in ``total_iters`` epochs."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = whole_number(total_iters, "PolynomialLR", "total_iters", 1)
        self.power = real_number(power, "PolynomialLR", "power")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The ratio of two points of the polynomial, times ``lr``."""
        self._warn_outside_step()
        epoch, total = self.last_epoch, self.total_iters
        if self._is_initial or epoch > total:
            return values_of(self.optimizer, "lr")
        return self._scaled(((1 - epoch / total) / (1 - (epoch - 1) / total)) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


__all__ = ["ConstantLR", "LinearLR", "PolynomialLR"]
