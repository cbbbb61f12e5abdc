"""Schedules that multiply the learning rate at some epochs, or at all."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tabgrad.checks import real_number, whole_number
from tabgrad.optim.lr_scheduler import (
    LRScheduler,
    checked_factor,
    functions,
    load_functions,
    values_of,
    without_functions,
)
from tabgrad.optim.optimizer import Optimizer


class MultiplicativeLR(LRScheduler):
    """Multiplies the learning rate by a function of the epoch, or by one for each group."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = functions("MultiplicativeLR", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All but plain functions; of an object that is called its attributes."""
        return without_functions(super().state_dict(), self.lr_lambdas)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`."""
        load_functions(self, self.lr_lambdas, state_dict)

    def get_lr(self) -> list[Any]:
        """``lr * lr_lambda(epoch)``."""
        self._warn_outside_step()
        if self._is_initial:
            return values_of(self.optimizer, "lr")
        pairs = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [group["lr"] * checked_factor(self, function(self.last_epoch)) for function, group in pairs]


class MultiStepLR(LRScheduler):
    """Multiplies the learning rate by ``gamma`` at each of some epochs."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter([whole_number(m, "MultiStepLR", "milestones") for m in milestones])
        self.gamma = real_number(gamma, "MultiStepLR", "gamma", 0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """``lr * gamma`` at milestones; ``gamma`` as often as one is named."""
        self._warn_outside_step()
        times = self.milestones.get(self.last_epoch, 0)
        return self._scaled(self.gamma**times) if times else values_of(self.optimizer, "lr")

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplies the learning rate by ``gamma`` at each epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = real_number(gamma, "ExponentialLR", "gamma", 0)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """``lr * gamma``."""
        self._warn_outside_step()
        return values_of(self.optimizer, "lr") if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


__all__ = ["ExponentialLR", "MultiStepLR", "MultiplicativeLR"]
