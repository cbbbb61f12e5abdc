"""Numbers that are proposed and accepted or refused, one element after the other, as PyTorch draws them on a CPU."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tabgrad.compat.twister import Twister

# PyTorch writes them in single precision.
_THIRD = float(np.float32(1) / np.float32(3))
_SQUEEZE = float(np.float32(0.0331))


def gamma(source: Twister, concentrations: Iterable[float]) -> np.ndarray:
    """float64 of rate 1. Source: Marsaglia & Tsang 2000, "A simple method for generating gamma variables"."""
    return np.array([_gamma(source, float(a)) for a in concentrations], np.float64)


def _gamma(source: Twister, a: float) -> float:
    if a == 0:
        return 0.0
    scale = 1.0
    if a < 1:
        scale = (1 - _unit(source)) ** (1 / a)
        a += 1
    d = a - _THIRD
    c = 1 / math.sqrt(9 * d)
    while True:
        x = float(source.pairs(1)[0])
        if 1 + c * x <= 0:
            continue
        v = (1 + c * x) ** 3
        u = 1 - _unit(source)
        if u < 1 - _SQUEEZE * x**4 or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
            return scale * d * v


def poisson(source: Twister, means: Iterable[float]) -> np.ndarray:
    """float64. Source: Hörmann 1993, "The transformed rejection method for generating Poisson random variables"."""
    return np.array([_large(source, m) if m >= 10 else _small(source, m) for m in map(float, means)], np.float64)


def _small(source: Twister, mean: float) -> float:
    """How many uniform numbers can be multiplied before the product is below ``exp(-mean)``."""
    if mean == 0:
        return 0.0
    least, product, count = math.exp(-mean), 1.0, 0
    while True:
        product *= _unit(source)
        if product <= least:
            return float(count)
        count += 1


def _large(source: Twister, mean: float) -> float:
    root, log_mean = math.sqrt(mean), math.log(mean)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    limit = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = _unit(source) - 0.5, _unit(source)
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + mean + 0.43)
        if us >= 0.07 and v <= limit:
            return float(k)
        if k < 0 or (us < 0.013 and v > us):
            continue
        if math.log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= (
            -mean + k * log_mean - math.lgamma(k + 1)
        ):
            return float(k)


def _unit(source: Twister) -> float:
    return float(source.units(1)[0])


__all__ = ["gamma", "poisson"]
