"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tabgrad.errors import ArgumentError
from tabgrad.ops.arithmetic import maximum
from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_betas
from tabgrad.tensor import Tensor


class Adam(Optimizer):
    """Adam: steps along the mean of recent gradients, divided by the root of the mean of their squares.

    ``m = b1 m + (1 - b1) g``; ``v = b2 v + (1 - b2) g²``;
    ``p = p - lr / (1 - b1ᵗ) m / (sqrt(v) / sqrt(1 - b2ᵗ) + eps)``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        betas: decay rates of ``m`` and ``v``.
        eps: added to the root.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        amsgrad: divide by the largest ``v`` so far.
        maximize: step along the gradient, not against it.
        decoupled_weight_decay: first ``p = p - lr weight_decay p``, as :class:`AdamW` does.
        foreach, capturable, fused: accepted, without effect.

    Source: Kingma & Ba 2015, https://arxiv.org/abs/1412.6980; Reddi et al. 2018, https://arxiv.org/abs/1904.09237
    """

    state_names = ("exp_avg", "exp_avg_sq")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if foreach and not capturable and isinstance(lr, Tensor):
            raise ArgumentError(f"{type(self).__name__}: expected lr as a number with foreach=True, got a tensor")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_betas(type(self).__name__, group)

    def _starts(self, group: Mapping[str, Any]) -> dict[str, Any]:
        names = ("max_exp_avg_sq",) if group["amsgrad"] else ()
        return dict.fromkeys((*self.state_names, *names), 0.0)

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
        # on the host: 1 - 0.999 in float32 is off by 1e-5
        share = counter(lambda step, group: 1 - group["betas"][0])
        square_share = counter(lambda step, group: 1 - group["betas"][1])
        mean = state["exp_avg"] + (grad - state["exp_avg"]) * share
        square = state["exp_avg_sq"] * hyper["betas"][1] + grad * grad * square_share
        rate = counter(lambda step, group: group["lr"] / (1 - group["betas"][0] ** step))
        root = counter(lambda step, group: 1 / (1 - group["betas"][1] ** step) ** 0.5)
        new = {"exp_avg": mean, "exp_avg_sq": square}
        if hyper["amsgrad"]:
            square = new["max_exp_avg_sq"] = maximum(state["max_exp_avg_sq"], square)
        param = param - mean * rate / (sqrt(square) * root + hyper["eps"])
        return param, new


class AdamW(Adam):
    """Adam with decoupled weight decay: first ``p = p - lr weight_decay p``.

    Source: Loshchilov & Hutter 2019, https://arxiv.org/abs/1711.05101
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip
