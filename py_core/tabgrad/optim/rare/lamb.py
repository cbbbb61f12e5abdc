"""LAMB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tabgrad.ops.comparison import where
from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.counter import Counter
from tabgrad.optim.ranges import check_betas
from tabgrad.optim.tensorwise import TensorwiseOptimizer
from tabgrad.tensor import Tensor


class LAMB(TensorwiseOptimizer):
    """Adam for large batches: each parameter's step is as long as the parameter is, times ``lr``. PyTorch has none.

    ``r = m / (1 - b1ᵗ) / (sqrt(v / (1 - b2ᵗ)) + eps) + weight_decay p``; ``p = p - lr |p| / |r| r``, without the ratio
    where one of both is 0.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        betas: decay rates of ``m`` and ``v``.
        eps: added to the root.
        maximize: step along the gradient, not against it.

    Source: You et al. 2020, https://arxiv.org/abs/1904.00962
    """

    state_names = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        )

    def _check(self, group: dict[str, Any]) -> None:
        check_betas("LAMB", group)

    def _update_each(
        self,
        param: Tensor,
        grad: Tensor,
        state: dict[str, Tensor],
        hyper: dict[str, Any],
        counter: Counter,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        grad = -grad if hyper["maximize"] else grad
        mean = state["exp_avg"] + (grad - state["exp_avg"]) * counter(lambda step, group: 1 - group["betas"][0])
        square_share = counter(lambda step, group: 1 - group["betas"][1])
        square = state["exp_avg_sq"] * hyper["betas"][1] + grad * grad * square_share
        first = counter(lambda step, group: 1 / (1 - group["betas"][0] ** step))
        second = counter(lambda step, group: 1 / (1 - group["betas"][1] ** step))
        along = mean * first / (sqrt(square * second) + hyper["eps"]) + param * hyper["weight_decay"]
        size, length = sqrt((param * param).sum()), sqrt((along * along).sum())
        both = (size > 0) & (length > 0)
        ratio = where(both, size / where(both, length, 1.0), 1.0)
        return param - along * (hyper["lr"] * ratio), {"exp_avg": mean, "exp_avg_sq": square}


__all__ = ["LAMB"]
