"""Checks of users' arguments: each returns the value, or raises with the expected and the actual value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.errors import ArgumentError

MOST = 2**31 - 1  # limit of any count


def whole_number(value: Any, caller: str, name: str, minimum: int | None = None) -> int:
    """An integer (not a bool) of at least ``minimum``."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ArgumentError(f"{caller}: expected {name} as a whole number, got {_shown(value)}")
    if minimum is not None and value < minimum:
        raise ArgumentError(f"{caller}: expected {name} of at least {minimum}, got {value}")
    if minimum is not None and value > MOST:
        raise ArgumentError(f"{caller}: expected {name} of at most {MOST}, got {_shown(value)}")
    return int(value)


def real_number(
    value: Any,
    caller: str,
    name: str,
    minimum: float = -math.inf,
    maximum: float = math.inf,
    *,
    below: bool = False,
    finite: bool = True,
) -> float:
    """A number within limits, not NaN; ``below``: the upper limit is exclusive."""
    limits = _limits(minimum, maximum, below)
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise ArgumentError(f"{caller}: expected {name} as a number{limits}, got {_shown(value)}")
    try:
        number = float(value)
    except OverflowError:  # an integer beyond all floats
        number = math.inf if value > 0 else -math.inf
    inside = minimum <= number < maximum if below else minimum <= number <= maximum
    if not inside or (finite and math.isinf(number)):
        raise ArgumentError(f"{caller}: expected {name} as a {'finite ' * finite}number{limits}, got {_shown(value)}")
    return number


def _limits(minimum: float, maximum: float, below: bool) -> str:
    if math.isinf(maximum):
        return "" if math.isinf(minimum) else f" >= {minimum:g}"
    return f" in [{minimum:g}, {maximum:g}{')' if below else ']'}"


def _shown(value: Any) -> str:
    """A short description of a value."""
    text = repr(value) if isinstance(value, int | float | str | None | np.generic) else f"a {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:37]}..."


__all__ = ["real_number", "whole_number"]
