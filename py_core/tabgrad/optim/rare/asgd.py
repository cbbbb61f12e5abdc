"""Averaged stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tabgrad.ops.comparison import where
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_numbers
from tabgrad.tensor import Tensor


class ASGD(Optimizer):
    """Averaged stochastic gradient descent: ``state[p]["ax"]`` is the mean of a parameter's values from step ``t0`` on.

    ``p = (1 - lambd eta) p - eta g``; ``ax = ax + mu (p - ax)``; then ``eta = lr / (1 + lambd lr t) ** alpha`` and
    ``mu = 1 / max(1, t - t0)``, both for the next step.

    Args:
        params: parameters, or groups of them.
        lr: learning rate; a number, or a tensor of one element.
        lambd, alpha: how fast the learning rate falls.
        t0: the step from which on the mean is taken.
        weight_decay: ``weight_decay * p`` is added to the gradient.
        maximize: step along the gradient, not against it.
        foreach, capturable: accepted, without effect.

    Source: Polyak & Juditsky 1992, https://doi.org/10.1137/0330046
    """

    state_names = ("ax",)
    number_names = ("eta", "mu")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers("ASGD", group, "lr", "lambd", "alpha", "t0", "weight_decay")

    @staticmethod
    def _advance(step: int, group: dict[str, Any], numbers: dict[str, float]) -> None:
        lr = group["lr"]
        numbers["eta now"], numbers["mu now"] = numbers.get("eta", lr), numbers.get("mu", 1.0)
        numbers["eta"] = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        numbers["mu"] = 1 / max(1, step - group["t0"])

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
        eta, mu = counter(lambda step, group: counter.numbers["eta now"]), counter(lambda *_: counter.numbers["mu now"])
        param = param * counter(lambda step, group: 1 - group["lambd"] * counter.numbers["eta now"]) - grad * eta
        return param, {"ax": where((mu == 1).expand(param.shape), param, state["ax"] + (param - state["ax"]) * mu)}


__all__ = ["ASGD"]
