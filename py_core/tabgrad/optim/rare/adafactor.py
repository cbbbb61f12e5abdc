"""Adafactor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tabgrad.errors import ArgumentError
from tabgrad.ops.arithmetic import maximum
from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.counter import Counter
from tabgrad.optim.ranges import are_numbers, check_numbers
from tabgrad.optim.tensorwise import ShapeOf, TensorwiseOptimizer
from tabgrad.tensor import Tensor


class Adafactor(TensorwiseOptimizer):
    """Adam without a mean gradient, whose mean square of a matrix is kept as one row and one column.

    ``R`` and ``C`` are means of ``g²`` over columns and rows, whose decay rate rises with the steps, and
    ``v = R C / mean(R)``; of vectors ``v`` itself is kept. ``u = g / sqrt(v)``, over its root mean square over ``d``
    where that is above 1; ``p = p - max(eps2, rms(p)) min(lr, 1 / sqrt(t)) u``.

    Args:
        params: parameters, or groups of them.
        lr: the largest relative step; a number, or a tensor of one element.
        beta2_decay: ``R`` and ``C`` take ``t ** beta2_decay`` of each step's mean.
        eps: least ``sqrt(v)`` (float32's precision, if None), and least root mean square of ``p``.
        d: the root mean square of ``u`` above which it is clipped.
        weight_decay: decoupled, as AdamW's.
        maximize: step along the gradient, not against it.
        foreach: accepted, without effect.

    Source: Shazeer & Stern 2018, https://arxiv.org/abs/1804.04235
    """

    shaping = ("eps",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers("Adafactor", group, "lr", "d", "weight_decay")
        eps, decay = group["eps"], group["beta2_decay"]
        if (
            not isinstance(eps, tuple | list)
            or len(eps) != 2
            or not are_numbers(0 if eps[0] is None else eps[0], eps[1])
        ):
            raise ArgumentError(
                f"Adafactor: expected eps as two finite numbers >= 0, of which the first may be None, got {eps}"
            )
        if not are_numbers(decay, minimum=-1e30) or decay > 0:
            raise ArgumentError(f"Adafactor: expected beta2_decay as a number <= 0, got {decay}")
        if group["d"] < 1:
            raise ArgumentError(f"Adafactor: expected d >= 1, got {group['d']}")
        group["eps"] = tuple(eps)

    def _starts(self, group: Mapping[str, Any]) -> dict[str, ShapeOf]:
        return {"row_var": _rows, "col_var": _columns, "variance": lambda p: p.shape if p.ndim < 2 else None}

    def _update_each(
        self,
        param: Tensor,
        grad: Tensor,
        state: dict[str, Tensor],
        hyper: dict[str, Any],
        counter: Counter,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        grad = -grad if hyper["maximize"] else grad
        least, smallest = hyper["eps"]
        least = float(np.finfo(np.float32).eps) if least is None else least
        relative = counter(lambda step, group: min(group["lr"], 1 / step**0.5))
        rate = maximum(_rms(param), smallest) * relative
        share = counter(lambda step, group: step ** group["beta2_decay"])
        param = param * (1.0 - hyper["lr"] * hyper["weight_decay"])
        square = grad * grad
        if "variance" in state:
            mean = state["variance"] + (square - state["variance"]) * share
            new = {"variance": mean}
        else:
            rows = state["row_var"] + (square.mean(-1, keepdim=True) - state["row_var"]) * share
            columns = state["col_var"] + (square.mean(-2, keepdim=True) - state["col_var"]) * share
            new = {"row_var": rows, "col_var": columns}
            mean = rows * columns / maximum(rows.mean(-2, keepdim=True), least)
        update = grad / sqrt(maximum(mean, least * least))
        return param - update * (rate / maximum(_rms(update) / hyper["d"], 1.0)), new


def _rms(x: Tensor) -> Tensor:
    return sqrt((x * x).mean())


def _rows(p: Tensor) -> tuple[int, ...] | None:
    return (*p.shape[:-1], 1) if p.ndim > 1 else None


def _columns(p: Tensor) -> tuple[int, ...] | None:
    return (*p.shape[:-2], 1, p.shape[-1]) if p.ndim > 1 else None


__all__ = ["Adafactor"]
