"""Checks of an optimizer's hyperparameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.errors import ArgumentError, ArgumentTypeError
from tabgrad.tensor import Tensor


def are_numbers(*values: Any, minimum: float = 0) -> bool:
    """Whether all are finite numbers of at least ``minimum``; a tensor of one element is a number."""
    plain = [v.item() if isinstance(v, Tensor) and v.numel() == 1 else v for v in values]
    return all(isinstance(v, int | float | np.integer | np.floating) and minimum <= v < math.inf for v in plain)


def wrong(*values: Any) -> type[ArgumentError]:
    """The class of the error about hyperparameters: another one where a value is no number."""
    are_real = all(isinstance(v, int | float | np.number | Tensor | tuple | list) for v in values)
    return ArgumentError if are_real else ArgumentTypeError


def check_numbers(caller: str, group: dict[str, Any], *names: str) -> None:
    """Raise unless these hyperparameters are finite numbers of at least 0."""
    values = [group[name] for name in names]
    if not are_numbers(*values):
        got = ", ".join(map(str, values))
        raise wrong(*values)(f"{caller}: expected {', '.join(names)} >= 0, got {got}; all must be finite")


def check_pair(caller: str, group: dict[str, Any], name: str, *, most: float = math.inf) -> None:
    """Raise unless a hyperparameter is two numbers of at least 0 and below ``most``; makes it a tuple of numbers."""
    pair = group[name]
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2
    if not is_pair or not are_numbers(*pair) or max(map(float, pair)) >= most:
        limits = "two finite numbers >= 0" if math.isinf(most) else f"two numbers in [0, {most:g})"
        raise wrong(pair if is_pair else None)(f"{caller}: expected {name} as {limits}, got {pair}")
    group[name] = tuple([value.item() if isinstance(value, Tensor) else value for value in pair])


def check_betas(caller: str, group: dict[str, Any]) -> None:
    """Raise if ``lr``, ``betas``, ``eps`` or ``weight_decay`` is out of range; makes betas numbers."""
    values, betas = [group[name] for name in ("lr", "eps", "weight_decay")], group["betas"]
    is_pair = isinstance(betas, tuple | list) and len(betas) == 2
    if is_pair and isinstance(betas[0], Tensor) is not isinstance(betas[1], Tensor):
        raise ArgumentError(f"{caller}: expected betas as two numbers or as two tensors, got one of each")
    if is_pair and isinstance(betas[0], Tensor) and group.get("foreach") and not group.get("capturable"):
        raise ArgumentError(f"{caller}: expected betas as numbers with foreach=True, got tensors")
    if not are_numbers(*values) or not is_pair or not are_numbers(*betas) or max(map(float, betas)) >= 1:
        raise wrong(*values, betas if isinstance(betas, tuple | list) else None)(
            f"{caller}: expected lr, eps, weight_decay >= 0 and betas in [0, 1), "
            f"got {', '.join(map(str, values))}, {betas}; all must be finite"
        )
    check_pair(caller, group, "betas")


__all__ = ["are_numbers", "check_betas", "check_numbers", "check_pair", "wrong"]
