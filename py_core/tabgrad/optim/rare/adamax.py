"""Adamax."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tabgrad.ops.arithmetic import maximum
from tabgrad.ops.elementwise import abs as size
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_betas
from tabgrad.tensor import Tensor


class Adamax(Optimizer):
    """Adam with the largest of recent gradients in place of the root of their mean square.

    ``m = b1 m + (1 - b1) g``; ``u = max(b2 u, |g| + eps)``; ``p = p - lr / (1 - b1ᵗ) m / u``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        betas: decay rates of ``m`` and ``u``.
        eps: added to the gradient's size.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        maximize: step along the gradient, not against it.
        foreach, capturable: accepted, without effect.

    Source: Kingma & Ba 2015, https://arxiv.org/abs/1412.6980
    """

    state_names = ("exp_avg", "exp_inf")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_betas("Adamax", group)

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
        mean = state["exp_avg"] + (grad - state["exp_avg"]) * counter(lambda step, group: 1 - group["betas"][0])
        largest = maximum(state["exp_inf"] * hyper["betas"][1], size(grad) + hyper["eps"])
        rate = counter(lambda step, group: group["lr"] / (1 - group["betas"][0] ** step))
        return param - mean / largest * rate, {"exp_avg": mean, "exp_inf": largest}


__all__ = ["Adamax"]
