"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.optimizer import Counter, Optimizer, are_numbers
from tabgrad.tensor import Tensor


class Adam(Optimizer):
    """Adam: steps along the mean of recent gradients, divided by the root of the mean of their squares.

    ``m = b1 m + (1 - b1) g``; ``v = b2 v + (1 - b2) g²``;
    ``p = p - lr / (1 - b1ᵗ) m / (sqrt(v) / sqrt(1 - b2ᵗ) + eps)``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate.
        betas: decay rates of ``m`` and ``v``.
        eps: added to the root.
        weight_decay: ``weight_decay * p`` is added to the gradient.

    Source: Kingma & Ba 2015, https://arxiv.org/abs/1412.6980
    """

    state_names = ("exp_avg", "exp_avg_sq")
    _decoupled = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        caller = type(self).__name__
        if amsgrad:
            raise NotImplementedError(f"{caller} with amsgrad=True is not supported; amsgrad=False is")
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        lr, betas, eps, weight_decay = (group[name] for name in ("lr", "betas", "eps", "weight_decay"))
        pair = isinstance(betas, tuple | list) and len(betas) == 2
        if not are_numbers(lr, eps, weight_decay) or not pair or not are_numbers(*betas) or max(betas) >= 1:
            raise TabgradError(
                f"{type(self).__name__}: expected lr, eps, weight_decay >= 0 and betas in [0, 1), "
                f"got {lr}, {eps}, {weight_decay}, {betas}; all must be finite"
            )
        group["betas"] = tuple(betas)

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
        if self._decoupled:
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
        param = param - mean * rate / (sqrt(square) * root + hyper["eps"])
        return param, {"exp_avg": mean, "exp_avg_sq": square}


class AdamW(Adam):
    """Adam with decoupled weight decay: first ``p = p - lr weight_decay p``.

    Source: Loshchilov & Hutter 2019, https://arxiv.org/abs/1711.05101
    """

    _decoupled = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
