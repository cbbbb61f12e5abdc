"""Cosine annealing with warm restarts."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.checks import real_number, whole_number
from tabgrad.errors import ArgumentError
from tabgrad.optim.lr_scheduler import LRScheduler
from tabgrad.optim.optimizer import Optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the learning rate to ``eta_min`` in ``T_0`` epochs, then from the start in ``T_0 T_mult``, ...

    ``step(epoch)`` takes fractions of epochs, such as ``epoch + batch / batches``.

    Source: Loshchilov & Hutter 2017, https://arxiv.org/abs/1608.03983
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_0 = whole_number(T_0, "CosineAnnealingWarmRestarts", "T_0", 1)
        self.T_i = self.T_0
        self.T_mult = whole_number(T_mult, "CosineAnnealingWarmRestarts", "T_mult", 1)
        self.eta_min = real_number(eta_min, "CosineAnnealingWarmRestarts", "eta_min")
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """A point of the cosine."""
        self._warn_outside_step()
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Advance by one epoch, or to a certain one."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ArgumentError(f"CosineAnnealingWarmRestarts: expected an epoch >= 0, got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            cycle = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**cycle - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**cycle
        self.last_epoch = math.floor(epoch)
        self._apply(self._asked(self.get_lr))


__all__ = ["CosineAnnealingWarmRestarts"]
