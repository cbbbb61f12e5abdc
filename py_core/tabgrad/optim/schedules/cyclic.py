"""The learning rate in cycles."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any

from tabgrad.errors import ArgumentError
from tabgrad.optim.lr_scheduler import LRScheduler, checked_optimizer, per_group, set_value
from tabgrad.optim.optimizer import Optimizer
from tabgrad.optim.schedules.momentum import begin, set_momentum, uses_beta

_MODES = {"triangular": "cycle", "triangular2": "cycle", "exp_range": "iterations"}


class CyclicLR(LRScheduler):
    """Straight lines between ``base_lr`` and ``max_lr``, and back; call ``step()`` after each batch.

    Args:
        base_lr, max_lr: limits; one, or one per group.
        step_size_up, step_size_down: batches of the way up, and down (as many, if not given).
        mode: ``triangular``; ``triangular2``, half as high in each cycle; or ``exp_range``, times ``gamma`` per batch.
        scale_fn: in place of ``mode``, the height as a function of the cycle's number, or of the batch's.
        scale_mode: ``cycle`` or ``iterations``: of what ``scale_fn`` is a function.
        cycle_momentum: take the momentum from ``max_momentum`` to ``base_momentum``, the other way around.

    Source: Smith 2017, https://arxiv.org/abs/1506.01186
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = checked_optimizer("CyclicLR", optimizer)
        if mode not in _MODES and scale_fn is None:
            raise ArgumentError(f"CyclicLR: expected mode as one of {', '.join(_MODES)}, or a scale_fn, got {mode!r}")
        bases = per_group("CyclicLR", optimizer, "base_lr", base_lr)
        self.max_lrs = per_group("CyclicLR", optimizer, "max_lr", max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size, self.step_ratio = up + down, up / (up + down)
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else _MODES[mode]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = uses_beta("CyclicLR", optimizer)
            self.base_momentums, self.max_momentums = begin(
                "CyclicLR", optimizer, base_momentum, max_momentum, beta=self.use_beta1, fresh=last_epoch == -1
            )
        if last_epoch == -1:
            for lr, group in zip(bases, optimizer.param_groups, strict=True):
                set_value(group, "lr", lr)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = bases

    def scale_fn(self, x: float) -> float:
        """The height of a cycle, as a factor: of the cycle's number, or of the batch's."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return float(self.gamma**x)
        return 1.0 if self.mode == "triangular" else 0.5 ** (x - 1)

    def get_lr(self) -> list[Any]:
        """A point of the way up, or down; sets the momentum, too."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        at = 1 + self.last_epoch / self.total_size - cycle
        height = at / self.step_ratio if at <= self.step_ratio else (at - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            limits = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in limits:
                set_momentum(group, high - (high - low) * height * scale, beta=self.use_beta1)
        # while it is made, the limits that it begins with are not base_lrs yet
        bases = self.base_lrs
        return [low + (high - low) * height * scale for low, high in zip(bases, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """All but a plain function; of an object that is called its attributes."""
        state = super().state_dict()
        given = state["_scale_fn_custom"]
        is_plain = given is None or isinstance(given, types.FunctionType)
        return {**state, "_scale_fn_custom": None if is_plain else dict(given.__dict__)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "_scale_fn_custom"})
        attributes = state_dict["_scale_fn_custom"]
        if attributes is not None and self._scale_fn_custom is not None:
            self._scale_fn_custom.__dict__.update(attributes)


__all__ = ["CyclicLR"]
