"""RMSprop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_numbers
from tabgrad.runtime.dependencies import used_item
from tabgrad.tensor import Tensor


class RMSprop(Optimizer):
    """RMSprop: steps divided by the root of the mean of recent squared gradients.

    ``v = alpha v + (1 - alpha) g²``; ``d = sqrt(v) + eps``, or ``sqrt(v - m²) + eps`` if ``centered``, with the mean
    ``m`` of recent gradients; ``b = momentum b + g / d``; ``p = p - lr b``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        alpha: decay rate of ``v`` and ``m``.
        eps: added to the root.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        momentum: decay rate of ``b``; without it ``p = p - lr g / d``.
        centered: divide by the deviation of the gradients.
        maximize: step along the gradient, not against it.
        foreach, capturable: accepted, without effect.

    Source: Hinton 2012, https://www.cs.toronto.edu/~tijmen/csc321/slides/lecture_slides_lec6.pdf; Graves 2013,
    https://arxiv.org/abs/1308.0850
    """

    state_names = ("square_avg",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers("RMSprop", group, "lr", "eps", "momentum", "weight_decay", "alpha")

    def _starts(self, group: Mapping[str, Any]) -> dict[str, Any]:
        momentum = ("momentum_buffer",) if group["momentum"] > 0 else ()
        return dict.fromkeys((*self.state_names, *momentum, *(("grad_avg",) if group["centered"] else ())), 0.0)

    def _step_part(self, group: dict[str, Any], part: Any, found_inf: Tensor | None) -> None:
        if "momentum_buffer" not in part.state:
            used_item(group, "momentum")  # a compiled step that has no buffer is recorded again for momentum
        super()._step_part(group, part, found_inf)

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
        share = counter(lambda step, group: 1 - group["alpha"])
        square = state["square_avg"] * hyper["alpha"] + grad * grad * share
        new, spread = {"square_avg": square}, square
        if hyper["centered"]:
            mean = new["grad_avg"] = state["grad_avg"] + (grad - state["grad_avg"]) * share
            spread = square - mean * mean
        step = grad / (sqrt(spread) + hyper["eps"])
        if "momentum_buffer" in state:
            step = new["momentum_buffer"] = state["momentum_buffer"] * hyper["momentum"] + step
        return param - step * hyper["lr"], new


__all__ = ["RMSprop"]
