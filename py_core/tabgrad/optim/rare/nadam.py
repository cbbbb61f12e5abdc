"""NAdam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_betas, check_numbers
from tabgrad.tensor import Tensor


class NAdam(Optimizer):
    """Adam with Nesterov's momentum, whose rate ``mu`` rises with the steps.

    ``mu_t = b1 (1 - 0.96 ** (t momentum_decay) / 2)``; ``m`` and ``v`` as Adam's; ``d = sqrt(v / (1 - b2ᵗ)) + eps``;
    ``p = p - lr (1 - mu_t) / (1 - prod(mu_1..mu_t)) g / d - lr mu_{t+1} / (1 - prod(mu_1..mu_{t+1})) m / d``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        betas: decay rates of ``m`` and ``v``.
        eps: added to the root.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        momentum_decay: how fast ``mu`` rises.
        decoupled_weight_decay: ``p = p - lr weight_decay p`` instead.
        maximize: step along the gradient, not against it.
        foreach, capturable: accepted, without effect.

    Source: Dozat 2016, https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ
    """

    state_names = ("exp_avg", "exp_avg_sq")
    number_names = ("mu_product",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_betas("NAdam", group)
        check_numbers("NAdam", group, "momentum_decay")

    @staticmethod
    def _advance(step: int, group: dict[str, Any], numbers: dict[str, float]) -> None:
        numbers["mu_product"] = numbers.get("mu_product", 1.0) * _mu(step, group)

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
        if hyper["decoupled_weight_decay"]:
            param = param * (1.0 - hyper["lr"] * hyper["weight_decay"])
        else:
            grad = grad + param * hyper["weight_decay"]
        mean = state["exp_avg"] + (grad - state["exp_avg"]) * counter(lambda step, group: 1 - group["betas"][0])
        square_share = counter(lambda step, group: 1 - group["betas"][1])
        square = state["exp_avg_sq"] * hyper["betas"][1] + grad * grad * square_share
        root = sqrt(square * counter(lambda step, group: 1 / (1 - group["betas"][1] ** step))) + hyper["eps"]

        def of_grad(step: int, group: dict[str, Any]) -> float:
            return float(group["lr"] * (1 - _mu(step, group)) / (1 - counter.numbers["mu_product"]))

        def of_mean(step: int, group: dict[str, Any]) -> float:
            following = _mu(step + 1, group)
            return float(group["lr"] * following / (1 - counter.numbers["mu_product"] * following))

        param = param - grad / root * counter(of_grad) - mean / root * counter(of_mean)
        return param, {"exp_avg": mean, "exp_avg_sq": square}


def _mu(step: int, group: dict[str, Any]) -> float:
    return float(group["betas"][0] * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"])))


__all__ = ["NAdam"]
