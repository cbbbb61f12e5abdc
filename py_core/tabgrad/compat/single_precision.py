"""Logarithm, sine and cosine of float32, rounded as the vector code rounds that PyTorch draws normal numbers with.

Source: Moshier, "Cephes mathematical library", ``logf`` and ``sinf``; here with fused multiplications and additions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LOG = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LN2 = 0.693359375, -2.12194440e-4  # a short number and the rest
_QUARTER_PI = 0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8  # two short numbers and the rest
_SINE = -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1
_COSINE = 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2


def _fused(a: Any, b: Any, c: Any) -> np.ndarray:
    """``a * b + c``, rounded once; numbers are float32's."""
    wide = [np.asarray(np.asarray(v, np.float32), np.float64) for v in (a, b, c)]
    return np.asarray(wide[0] * wide[1] + wide[2], np.float32)


def _polynomial(coefficients: tuple[float, ...], x: np.ndarray) -> np.ndarray:
    found = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        found = _fused(found, x, c)
    return found


def log(x: np.ndarray) -> np.ndarray:
    """The natural logarithm of positive numbers."""
    m, exponent = np.frexp(x)
    low = m < np.float32(0.5**0.5)
    e = (exponent - low).astype(np.float32)
    m = np.where(low, m + (m - np.float32(1)), m - np.float32(1))  # 2 m - 1 or m - 1: exact
    square = m * m
    found = _fused(_polynomial(_LOG, m) * m, square, e * np.float32(_LN2[1]))
    return _fused(e, _LN2[0], m + _fused(square, -0.5, found))


def sine_and_cosine(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of angles from 0 on."""
    octant = ((x * np.float32(4 / np.pi)).astype(np.int32) + 1) & ~1
    for part in _QUARTER_PI:
        x = _fused(octant, -part, x)
    square = x * x
    cosine = _fused(_polynomial(_COSINE, square) * square, square, square * np.float32(-0.5)) + np.float32(1)
    sine = _fused(_polynomial(_SINE, square) * square, x, x)
    swapped = (octant & 2) != 0
    s, c = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    return np.where(octant & 4, -s, s), np.where((octant - 2) & 4, c, -c)


__all__ = ["log", "sine_and_cosine"]
