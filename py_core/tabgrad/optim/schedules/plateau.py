"""Reduce the learning rate when a metric no longer improves."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.checks import real_number
from tabgrad.errors import ArgumentError
from tabgrad.optim.lr_scheduler import LRScheduler, checked_optimizer, per_group, set_value, values_of, warn_of_epoch
from tabgrad.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the learning rate by ``factor`` after ``patience`` epochs without improvement.

    Args:
        mode: ``min`` if lower is better, or ``max``.
        threshold: improvement that counts, as a part of the best value (``threshold_mode`` ``rel``) or a difference
            (``abs``).
        cooldown: epochs after a reduction that are not counted.
        min_lr: the lowest learning rate; one, or one per group.
        eps: the smallest change that is made.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        caller = "ReduceLROnPlateau"
        self.factor = real_number(factor, caller, "factor", 0, 1, below=True)
        self.optimizer = checked_optimizer(caller, optimizer)
        self.default_min_lr = None if isinstance(min_lr, list | tuple) else min_lr
        self.min_lrs = per_group(caller, optimizer, "min_lr", min_lr)
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = values_of(optimizer, "lr")
        if mode not in ("min", "max"):
            raise ArgumentError(f"{caller}: expected mode as 'min' or 'max', got {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise ArgumentError(f"{caller}: expected threshold_mode as 'rel' or 'abs', got {threshold_mode!r}")
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self._reset()

    def _reset(self) -> None:
        """Forget all values so far."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take this epoch's value: a number, or a tensor of one element, which is waited for."""
        value = float(metrics)
        if epoch is not None:
            warn_of_epoch("ReduceLROnPlateau")
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(value, self.best):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = values_of(self.optimizer, "lr")

    def _reduce_lr(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"ReduceLROnPlateau: expected {len(self.min_lrs)} groups, as min_lr has, got {len(groups)}; "
                    f"set min_lrs for the new ones"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            before = float(group["lr"])
            after = max(before * self.factor, lowest)
            if before - after > self.eps:
                set_value(group, "lr", after)

    @property
    def in_cooldown(self) -> bool:
        """Whether epochs are not counted now."""
        return self.cooldown_counter > 0

    def _is_better(self, value: float, best: float) -> bool:
        if self.mode == "min":
            return value < (best * (1 - self.threshold) if self.threshold_mode == "rel" else best - self.threshold)
        return value > (best * (1 + self.threshold) if self.threshold_mode == "rel" else best + self.threshold)


__all__ = ["ReduceLROnPlateau"]
