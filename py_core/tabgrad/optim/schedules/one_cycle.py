"""One cycle of the learning rate over all steps."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.checks import real_number, whole_number
from tabgrad.errors import ArgumentError
from tabgrad.optim.lr_scheduler import LRScheduler, checked_optimizer, per_group
from tabgrad.optim.optimizer import Optimizer
from tabgrad.optim.schedules.momentum import begin, set_momentum, uses_beta


class OneCycleLR(LRScheduler):
    """From ``max_lr / div_factor`` up to ``max_lr``, and down far below; call ``step()`` after each batch.

    Args:
        max_lr: the peak; one, or one per group.
        total_steps: batches of all epochs; or ``epochs`` and ``steps_per_epoch``.
        pct_start: which part of the steps goes up.
        anneal_strategy: ``cos`` or ``linear``.
        cycle_momentum: take the momentum from ``max_momentum`` to ``base_momentum``, and back.
        div_factor: peak divided by the first learning rate.
        final_div_factor: first learning rate divided by the last one.
        three_phase: go down as fast as up, and then lower.

    Source: Smith & Topin 2019, https://arxiv.org/abs/1708.07120
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = checked_optimizer("OneCycleLR", optimizer)
        if total_steps is not None:
            self.total_steps = whole_number(total_steps, "OneCycleLR", "total_steps", 1)
        elif epochs is not None and steps_per_epoch is not None:
            epochs = whole_number(epochs, "OneCycleLR", "epochs", 1)
            self.total_steps = epochs * whole_number(steps_per_epoch, "OneCycleLR", "steps_per_epoch", 1)
        else:
            raise ArgumentError("OneCycleLR: expected total_steps, or epochs and steps_per_epoch, got neither")
        share = real_number(pct_start, "OneCycleLR", "pct_start", 0, 1)
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"OneCycleLR: expected anneal_strategy as 'cos' or 'linear', got {anneal_strategy!r}")
        self._anneal_func_type = anneal_strategy
        self._schedule_phases = _phases(share * self.total_steps, self.total_steps, three_phase)
        peaks = per_group("OneCycleLR", optimizer, "max_lr", max_lr)
        if last_epoch == -1:
            for group, peak in zip(optimizer.param_groups, peaks, strict=True):
                first = peak / div_factor
                group.update(initial_lr=first, max_lr=peak, min_lr=first / final_div_factor)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = uses_beta("OneCycleLR", optimizer)
            begin("OneCycleLR", optimizer, base_momentum, max_momentum, beta=self.use_beta1, fresh=last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: Any, end: Any, share: float) -> Any:
        if self._anneal_func_type == "linear":
            return start + (end - start) * share
        return end + (start - end) / 2 * (1 + math.cos(math.pi * share))

    def get_lr(self) -> list[Any]:
        """A point of a phase; sets the momentum, too.

        Raises:
            ArgumentError: there are no more steps.
        """
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ArgumentError(f"OneCycleLR: expected at most {self.total_steps} steps, got step {step}")
        start = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            start = phase["end_step"]
        share = (step - start) / (phase["end_step"] - start)
        if self.cycle_momentum:
            for group in self.optimizer.param_groups:
                limits = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self._between(*limits, share), beta=self.use_beta1)
        groups = self.optimizer.param_groups
        return [self._between(group[phase["start_lr"]], group[phase["end_lr"]], share) for group in groups]


def _phases(up: float, total: int, three: bool) -> list[dict[str, Any]]:
    first = _phase(up - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [first, _phase(total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    return [
        first,
        _phase(2 * up - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
        _phase(total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
    ]


def _phase(end: float, start_lr: str, end_lr: str, start_momentum: str, end_momentum: str) -> dict[str, Any]:
    return {
        "end_step": end, "start_lr": start_lr, "end_lr": end_lr, "start_momentum": start_momentum,
        "end_momentum": end_momentum,
    }  # fmt: skip


__all__ = ["OneCycleLR"]
