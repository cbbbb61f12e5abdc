"""What schedules that cycle the momentum, too, share."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import ArgumentError
from tabgrad.optim.lr_scheduler import per_group
from tabgrad.optim.optimizer import Optimizer


def uses_beta(caller: str, optimizer: Optimizer) -> bool:
    """Whether an optimizer's momentum is the first of its ``betas``.

    Raises:
        ArgumentError: it has neither these nor ``momentum``.
    """
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ArgumentError(
            f"{caller}: expected an optimizer with momentum or betas for cycle_momentum=True, got "
            f"{type(optimizer).__name__}; pass cycle_momentum=False"
        )
    return "betas" in optimizer.defaults


def set_momentum(group: dict[str, Any], momentum: float, *, beta: bool) -> None:
    """Set a group's momentum."""
    if beta:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def begin(caller: str, optimizer: Optimizer, base: Any, largest: Any, *, beta: bool, fresh: bool) -> Any:
    """The limits between which the momentum cycles, per group; a ``fresh`` schedule starts with the larger one."""
    bases = per_group(caller, optimizer, "base_momentum", base)
    tops = per_group(caller, optimizer, "max_momentum", largest)
    if fresh:
        for group, low, high in zip(optimizer.param_groups, bases, tops, strict=True):
            set_momentum(group, high, beta=beta)
            group["max_momentum"], group["base_momentum"] = high, low
    return bases, tops


__all__ = ["begin", "set_momentum", "uses_beta"]
