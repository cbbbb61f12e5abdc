"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.optim.group_parts import Part
from tabgrad.optim.optimizer import Counter, Optimizer, are_numbers
from tabgrad.runtime.dependencies import used_item
from tabgrad.tensor import Tensor


class SGD(Optimizer):
    """``v = momentum v + (1 - dampening) g``; ``p = p - lr v``, with PyTorch's conventions.

    At the first step ``v = g``. With ``nesterov``, ``p = p - lr (g + momentum v)``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate.
        momentum, dampening, nesterov, maximize: as PyTorch's.
        weight_decay: ``weight_decay * p`` is added to the gradient.

    Source: Sutskever et al. 2013, http://proceedings.mlr.press/v28/sutskever13.html
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        self.state_names = ("momentum_buffer",) if are_numbers(momentum) and momentum else ()
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)
        if any(group["momentum"] for group in self.param_groups):
            self.state_names = ("momentum_buffer",)

    def _step_part(self, group: dict[str, Any], part: Part, found_inf: Tensor | None) -> None:
        if "momentum_buffer" not in part.state:
            used_item(group, "momentum")
            if group["momentum"]:
                raise TabgradError(
                    f"SGD: expected momentum 0 in the groups of an optimizer made without momentum, got "
                    f"{group['momentum']}; make a new one with momentum={group['momentum']}"
                )
        super()._step_part(group, part, found_inf)

    def _check(self, group: dict[str, Any]) -> None:
        lr, momentum, dampening, decay = (group[name] for name in ("lr", "momentum", "dampening", "weight_decay"))
        if not are_numbers(lr, momentum, decay):
            raise TabgradError(
                f"SGD: expected lr, momentum, weight_decay >= 0, got {lr}, {momentum}, {decay}; all must be finite"
            )
        if not are_numbers(dampening, minimum=-math.inf):
            raise TabgradError(f"SGD: expected dampening as a finite number, got {dampening}")
        if group["nesterov"] and (momentum <= 0 or dampening != 0):
            raise TabgradError("SGD: expected momentum > 0 and dampening 0 with nesterov=True")
        group.update(momentum=float(momentum), dampening=float(dampening), weight_decay=float(decay))

    def _update(
        self,
        param: Tensor,
        grad: Tensor,
        state: dict[str, Tensor],
        hyper: dict[str, Any],
        counter: Counter,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        if hyper["maximize"]:
            grad = -grad
        grad = grad + param * hyper["weight_decay"]
        if "momentum_buffer" not in state:
            return param - grad * hyper["lr"], {}
        share = counter(lambda step, group: 1.0 if step == 1 else 1.0 - group["dampening"])
        velocity = state["momentum_buffer"] * hyper["momentum"] + grad * share
        direction = grad + velocity * hyper["momentum"] if hyper["nesterov"] else velocity
        return param - direction * hyper["lr"], {"momentum_buffer": velocity}
