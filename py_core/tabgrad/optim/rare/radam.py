"""RAdam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tabgrad.ops.comparison import where
from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_betas
from tabgrad.tensor import Tensor


class RAdam(Optimizer):
    """Adam whose first steps, where the mean square is uncertain, are along the mean gradient alone.

    ``m`` and ``v`` as Adam's; ``r_inf = 2 / (1 - b2) - 1``; ``r = r_inf - 2 t b2ᵗ / (1 - b2ᵗ)``; where ``r > 5`` the
    step is multiplied by ``sqrt((r - 4)(r - 2) r_inf / ((r_inf - 4)(r_inf - 2) r)) sqrt(1 - b2ᵗ) / (sqrt(v) + eps)``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        betas: decay rates of ``m`` and ``v``.
        eps: added to the root.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        decoupled_weight_decay: ``p = p - lr weight_decay p`` instead.
        maximize: step along the gradient, not against it.
        foreach, capturable: accepted, without effect.

    Source: Liu et al. 2020, https://arxiv.org/abs/1908.03265
    """

    state_names = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_betas("RAdam", group)

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
        rate = counter(lambda step, group: group["lr"] / (1 - group["betas"][0] ** step))
        factor = counter(lambda step, group: _factor(step, group["betas"][1]))
        adaptive = factor / (sqrt(square) + hyper["eps"])
        param = param - mean * rate * where((factor > 0).expand(param.shape), adaptive, 1.0)
        return param, {"exp_avg": mean, "exp_avg_sq": square}


def _factor(step: int, beta: float) -> float:
    """Of the adaptive step; 0 where the mean square is not used yet."""
    correction = 1 - beta**step
    longest = 2 / (1 - beta) - 1
    length = longest - 2 * step * beta**step / correction
    if length <= 5:
        return 0.0
    rectified = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    return float((rectified * correction) ** 0.5)


__all__ = ["RAdam"]
