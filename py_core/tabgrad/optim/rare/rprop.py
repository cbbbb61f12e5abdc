"""Rprop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.ops.arithmetic import maximum, minimum
from tabgrad.ops.comparison import where
from tabgrad.optim.optimizer import Counter, Optimizer
from tabgrad.optim.ranges import check_numbers, check_pair
from tabgrad.tensor import Tensor


class Rprop(Optimizer):
    """Resilient backpropagation: steps whose size depends on whether a gradient keeps its sign, and not on its size.

    The size ``s`` grows by ``etas[1]`` where the sign is that of the step before, and shrinks by ``etas[0]`` where it
    is not (there the gradient counts as 0); ``p = p - sign(g) s``. It is for full batches.

    Args:
        params: parameters, or groups of them.
        lr: the first ``s``; a number, or a tensor of one element.
        etas: the two factors, below and above 1.
        step_sizes: limits of ``s``.
        maximize: step along the gradient, not against it.
        foreach, capturable: accepted, without effect.

    Source: Riedmiller & Braun 1993, https://doi.org/10.1109/ICNN.1993.298623
    """

    state_names = ("prev", "step_size")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers("Rprop", group, "lr")
        check_pair("Rprop", group, "etas")
        check_pair("Rprop", group, "step_sizes")
        if not 0 < group["etas"][0] < 1 < group["etas"][1]:
            raise TabgradError(f"Rprop: expected etas below and above 1, got {group['etas']}")

    def _starts(self, group: Mapping[str, Any]) -> dict[str, Any]:
        return {"prev": 0.0, "step_size": float(self._lrs.of(dict(group)))}

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
        agree, (shrink, grow) = grad * state["prev"], hyper["etas"]
        factor = where(agree > 0, grow.expand(param.shape), where(agree < 0, shrink.expand(param.shape), 1.0))
        size = minimum(maximum(state["step_size"] * factor, hyper["step_sizes"][0]), hyper["step_sizes"][1])
        grad = where(agree < 0, 0.0, grad)
        sign = where(grad > 0, 1.0, where(grad < 0, -1.0, 0.0))
        return param - sign * size, {"prev": grad, "step_size": size}


__all__ = ["Rprop"]
