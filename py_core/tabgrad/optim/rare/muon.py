"""Muon."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from tabgrad.errors import ArgumentError
from tabgrad.ops.arithmetic import maximum
from tabgrad.ops.elementwise import sqrt
from tabgrad.optim.counter import Counter
from tabgrad.optim.ranges import are_numbers, check_numbers
from tabgrad.optim.tensorwise import TensorwiseOptimizer
from tabgrad.tensor import Tensor


class Muon(TensorwiseOptimizer):
    """Steps along the nearest orthogonal matrix to the momentum, for the matrices of hidden layers.

    ``b = momentum b + (1 - momentum) g``; ``u = NS(b)``, or of ``g + momentum (b - g)`` with ``nesterov``;
    ``p = (1 - lr weight_decay) p - lr ratio u``. ``NS`` is ``ns_steps`` iterations ``X = a X + (b A + c A²) X`` with
    ``A = X Xᵀ``, computed in float32 (by PyTorch in bfloat16).

    Args:
        params: matrices, or groups of them. Biases and embeddings need another optimizer.
        lr: learning rate; a number, or a tensor of one element.
        weight_decay: decoupled, as AdamW's.
        momentum: decay rate of ``b``.
        ns_coefficients: ``a``, ``b``, ``c``.
        eps: least norm that the momentum is divided by.
        adjust_lr_fn: ``original`` (or None): ``ratio = sqrt(max(1, rows / columns))``; ``match_rms_adamw``:
            ``0.2 sqrt(max(rows, columns))``.

    Source: Jordan 2024, https://kellerjordan.github.io/posts/muon; Liu et al. 2025, https://arxiv.org/abs/2502.16982
    """

    state_names = ("momentum_buffer",)
    counts_steps = False
    shaping = ("ns_steps",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of matrices."""
        super().add_param_group(param_group)
        wrong = [p for p in self.param_groups[-1]["params"] if p.ndim != 2]
        if wrong:
            self.param_groups.pop()
            self._flat.pop()
            raise ArgumentError(
                f"Muon: expected parameters of two dimensions, got one of shape {list(wrong[0].shape)}; give others to "
                f"another optimizer, such as AdamW"
            )

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers("Muon", group, "lr", "weight_decay", "momentum", "eps")
        factors, steps = group["ns_coefficients"], group["ns_steps"]
        if not isinstance(factors, tuple | list) or len(factors) != 3 or not are_numbers(*factors, minimum=-math.inf):
            raise ArgumentError(f"Muon: expected ns_coefficients as three numbers, got {factors}")
        if not isinstance(steps, int) or not 0 <= steps < 100:
            raise ArgumentError(f"Muon: expected ns_steps as a whole number below 100, got {steps}")
        if group["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
            raise ArgumentError(
                f"Muon: expected adjust_lr_fn as 'original' or 'match_rms_adamw', got {group['adjust_lr_fn']!r}"
            )
        group["ns_coefficients"] = tuple(factors)

    def _update_each(
        self,
        param: Tensor,
        grad: Tensor,
        state: dict[str, Tensor],
        hyper: dict[str, Any],
        counter: Counter,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        share = counter(lambda step, group: 1 - group["momentum"])
        mean = state["momentum_buffer"] + (grad - state["momentum_buffer"]) * share
        along = grad + (mean - grad) * hyper["momentum"] if hyper["nesterov"] else mean
        rows, columns = param.shape
        ratio = math.sqrt(max(1, rows / columns))
        if hyper["adjust_lr_fn"] == "match_rms_adamw":
            ratio = 0.2 * math.sqrt(max(rows, columns))
        param = param * (1.0 - hyper["lr"] * hyper["weight_decay"])
        return param - _orthogonal(along, hyper) * (hyper["lr"] * ratio), {"momentum_buffer": mean}


def _orthogonal(x: Tensor, hyper: dict[str, Any]) -> Tensor:
    """The Newton-Schulz iteration; on the transposed matrix if that has fewer rows."""
    is_tall = x.shape[0] > x.shape[1]
    x = x.T if is_tall else x
    a, b, c = hyper["ns_coefficients"]
    x = x / maximum(sqrt((x * x).sum()), hyper["eps"])
    for _ in range(hyper["ns_steps"]):
        gram = x @ x.T
        x = x * a + (gram * b + (gram @ gram) * c) @ x
    return x.T if is_tall else x


__all__ = ["Muon"]
