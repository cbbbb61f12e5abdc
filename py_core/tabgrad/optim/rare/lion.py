"""Lion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tabgrad.ops.comparison import where
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_numbers, check_pair
from tabgrad.tensor import Tensor


class Lion(Optimizer):
    """Lion: steps of one size, along the sign of a mean of recent gradients. PyTorch has none.

    ``p = (1 - lr weight_decay) p - lr sign(b1 m + (1 - b1) g)``; ``m = b2 m + (1 - b2) g``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element. A third to a tenth of AdamW's.
        betas: rates of the mean that is stepped along, and of the one that is kept.
        weight_decay: decoupled, as AdamW's.
        maximize: step along the gradient, not against it.

    Source: Chen et al. 2023, https://arxiv.org/abs/2302.06675
    """

    state_names = ("exp_avg",)
    counts_steps = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers("Lion", group, "lr", "weight_decay")
        check_pair("Lion", group, "betas", most=1)

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
        param = param * (1.0 - hyper["lr"] * hyper["weight_decay"])
        mean = state["exp_avg"]
        along = mean + (grad - mean) * counter(lambda step, group: 1 - group["betas"][0])
        sign = where(along > 0, 1.0, where(along < 0, -1.0, 0.0))
        mean = mean + (grad - mean) * counter(lambda step, group: 1 - group["betas"][1])
        return param - sign * hyper["lr"], {"exp_avg": mean}


__all__ = ["Lion"]
