"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.optim.group_parts import Part
from tabgrad.optim.optimizer import Counter, Optimizer, are_numbers
from tabgrad.optim.ranges import wrong
from tabgrad.runtime.dependencies import used_item
from tabgrad.tensor import Tensor


class SGD(Optimizer):
    """``v = momentum v + (1 - dampening) g``; ``p = p - lr v``, with PyTorch's conventions.

    At the first step ``v = g``. With ``nesterov``, ``p = p - lr (g + momentum v)``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        momentum, dampening, nesterov, maximize: as PyTorch's.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        foreach, fused: accepted, without effect.

    Source: Sutskever et al. 2013, http://proceedings.mlr.press/v28/sutskever13.html
    """

    counts_steps = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
            "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        lr, momentum, dampening, decay = (group[name] for name in ("lr", "momentum", "dampening", "weight_decay"))
        if not are_numbers(lr, momentum, decay):
            raise wrong(lr, momentum, decay)(
                f"SGD: expected lr, momentum, weight_decay >= 0, got {lr}, {momentum}, {decay}; all must be finite"
            )
        if not are_numbers(dampening, minimum=-math.inf):
            raise TabgradError(f"SGD: expected dampening as a finite number, got {dampening}")
        if group["nesterov"] and (momentum <= 0 or dampening != 0):
            raise TabgradError("SGD: expected momentum > 0 and dampening 0 with nesterov=True")
        if isinstance(decay, Tensor):
            group["weight_decay"] = decay.item()

    def _starts(self, group: Mapping[str, Any]) -> dict[str, Any]:
        return {"momentum_buffer": 0.0} if group["momentum"] else {}

    def _step_part(self, group: dict[str, Any], part: Any, found_inf: Tensor | None) -> None:
        if "momentum_buffer" not in part.state:
            used_item(group, "momentum")  # a compiled step that has no buffer is recorded again for momentum
        super()._step_part(group, part, found_inf)

    @staticmethod
    def _advance(step: int, group: dict[str, Any], numbers: dict[str, float]) -> None:
        if group["momentum"]:
            numbers["velocities"] = numbers.get("velocities", 0) + 1

    def _loaded(self, part: Part) -> None:
        part.numbers["velocities"] = len(part.names)

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

        def grads_share(step: int, group: dict[str, Any]) -> float:
            first = counter.numbers.get("velocities", 0) <= 1 or not group["momentum"]
            return 1.0 if first else 1.0 - group["dampening"]

        velocity = state["momentum_buffer"] * hyper["momentum"] + grad * counter(grads_share)
        direction = grad + velocity * hyper["momentum"] if hyper["nesterov"] else velocity
        return param - direction * hyper["lr"], {"momentum_buffer": velocity}
