"""Adadelta."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_numbers
from tabgrad.tensor import Tensor


class Adadelta(Optimizer):
    """Adadelta: steps as large as recent steps were, beside recent gradients.

    ``v = rho v + (1 - rho) g²``; ``d = sqrt(u + eps) / sqrt(v + eps) g``; ``u = rho u + (1 - rho) d²``;
    ``p = p - lr d``.

    Args:
        params: parameters, or groups of them.
        lr: factor of the step; a number, or a tensor of one element.
        rho: decay rate of both means, in [0, 1].
        eps: added under the roots.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        maximize: step along the gradient, not against it.
        foreach, capturable: accepted, without effect.

    Source: Zeiler 2012, https://arxiv.org/abs/1212.5701
    """

    state_names = ("square_avg", "acc_delta")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers("Adadelta", group, "lr", "rho", "eps", "weight_decay")
        if group["rho"] > 1:
            raise TabgradError(f"Adadelta: expected rho in [0, 1], got {group['rho']}")

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
        share = counter(lambda step, group: 1 - group["rho"])
        square = state["square_avg"] * hyper["rho"] + grad * grad * share
        delta = sqrt(state["acc_delta"] + hyper["eps"]) / sqrt(square + hyper["eps"]) * grad
        steps = state["acc_delta"] * hyper["rho"] + delta * delta * share
        return param - delta * hyper["lr"], {"square_avg": square, "acc_delta": steps}


__all__ = ["Adadelta"]
