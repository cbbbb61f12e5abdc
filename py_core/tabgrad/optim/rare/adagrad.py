"""Adagrad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_numbers
from tabgrad.tensor import Tensor


class Adagrad(Optimizer):
    """Adagrad: ``s = s + g²``; ``p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)``.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        lr_decay: how fast the learning rate falls, per step.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        initial_accumulator_value: of ``s``.
        eps: added to the root.
        maximize: step along the gradient, not against it.
        foreach, fused: accepted, without effect.

    Source: Duchi et al. 2011, https://jmlr.org/papers/v12/duchi11a.html
    """

    state_names = ("sum",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers("Adagrad", group, "lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")

    def _starts(self, group: Mapping[str, Any]) -> dict[str, Any]:
        return {"sum": float(group["initial_accumulator_value"])}

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
        total = state["sum"] + grad * grad
        rate = counter(lambda step, group: group["lr"] / (1 + (step - 1) * group["lr_decay"]))
        return param - grad * rate / (sqrt(total) + hyper["eps"]), {"sum": total}


__all__ = ["Adagrad"]
