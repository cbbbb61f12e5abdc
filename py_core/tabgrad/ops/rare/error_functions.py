"""The complementary error function, the inverse of the error function, and the normal distribution's functions.

Sources: Numerical Recipes' Chebyshev fit of erfc (relative error 1.2e-7); Giles 2010, "Approximating the erfinv
function", with a step of Newton's; Abramowitz & Stegun 26.2.
"""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor
from tabgrad.ops.arithmetic import clamp, float_dtype
from tabgrad.ops.comparison import eq, gt, le, lt, where
from tabgrad.ops.elementwise import abs, erf, exp, isnan, log, log1p, sqrt
from tabgrad.tensor import Tensor

_ERFC = (
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
)  # fmt: skip
_CENTRAL = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
    0.246640727, 1.50140941,
)  # fmt: skip
_TAIL = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
    1.00167406, 2.83297682,
)  # fmt: skip
_ROOT_PI = math.sqrt(math.pi)


def polynomial(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    """Horner's scheme; the coefficient of the highest power comes first."""
    total: Any = coefficients[0]
    for coefficient in coefficients[1:]:
        total = total * x + coefficient
    return total


def as_float(x: Any) -> Tensor:
    """A tensor or number as floats."""
    return as_tensor(x, float_dtype(x))


def _scaled_erfc(a: Tensor) -> Tensor:
    """``exp(a ** 2) * erfc(a)`` for a >= 0."""
    t = 1.0 / (1.0 + 0.5 * a)
    return t * exp(polynomial(_ERFC[::-1], t))


@public(method=True, inplace=True, out=True)
def erfc(input: Tensor) -> Tensor:
    """``1 - erf(x)``, exact where that is small, too."""
    x = as_float(input)
    with no_grad():
        v = x.to(dtypes.float32)
        a = clamp(v, 0.5, 12.0)
        out = where(lt(v, 0.5), 1.0 - erf(v), exp(-a * a) * _scaled_erfc(a)).to(x.dtype)
    record(out, "erfc", lambda g, out, x: (g * (-2 / _ROOT_PI) * exp(-x * x),), (x,), {})
    return out


@public(method=True, inplace=True, out=True)
def erfinv(input: Tensor) -> Tensor:
    """The inverse of :func:`erf`; infinite at -1 and 1, NaN beyond."""
    x = as_float(input)
    with no_grad():
        v = x.to(dtypes.float32)
        inside = lt(abs(v), 1.0)
        y = where(inside, v, 0.0)
        w = -log1p(-y * y)
        central = lt(w, 5.0)
        near = polynomial(_CENTRAL, where(central, w, 0.0) - 2.5)
        far = polynomial(_TAIL, sqrt(where(central, 9.0, w)) - 3.0)
        out = where(central, near, far) * y
        edge = where(eq(v, 1), math.inf, where(eq(v, -1), -math.inf, math.nan))
        out = where(inside, out, edge).to(x.dtype)
    record(out, "erfinv", lambda g, out, x: (g * (_ROOT_PI / 2) * exp(erfinv(x) * erfinv(x)),), (x,), {})
    return out


@public(namespace="special", out=True)
def erfcx(input: Tensor) -> Tensor:
    """``exp(x ** 2) * erfc(x)``, without overflow of the one and underflow of the other."""
    x = as_float(input)
    with no_grad():
        v = x.to(dtypes.float32)
        a = abs(v)
        small = clamp(a, max=10.0)
        square = 1.0 / clamp(a * a, min=1.0)
        large = (1.0 - square * (0.5 - square * 0.75)) / (clamp(a, min=1.0) * _ROOT_PI)
        size = where(lt(a, 10.0), _scaled_erfc(small), large)
        out = where(lt(v, 0), 2.0 * exp(v * v) - size, size).to(x.dtype)
    record(out, "erfcx", lambda g, out, x: (g * (2.0 * x * erfcx(x) - 2 / _ROOT_PI),), (x,), {})
    return out


@public(namespace="special", out=True)
def ndtr(input: Tensor) -> Tensor:
    """The normal distribution's cumulative distribution function."""
    return 0.5 * erfc(as_float(input) * -math.sqrt(0.5))


@public(namespace="special", out=True)
def ndtri(input: Tensor) -> Tensor:
    """The inverse of :func:`ndtr`; NaN outside of [0, 1]."""
    x = as_float(input)
    with no_grad():
        v = x.to(dtypes.float32)
        tail = lt(v, 0.02)  # 2 p - 1 cancels: Abramowitz & Stegun 26.2.23, and two steps of Newton's on log_ndtr
        small = where(le(v, 0), 1e-30, where(tail, v, 0.01))
        t = sqrt(-2.0 * log(small))
        guess = -(
            t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
        )
        for _ in range(2):
            logarithm = log_ndtr(guess)
            slope = exp(-0.5 * guess * guess - logarithm) / math.sqrt(2 * math.pi)
            guess = guess - (logarithm - log(small)) / slope
        central = math.sqrt(2) * erfinv(2.0 * v - 1.0)
        out = where(tail, where(eq(v, 0), -math.inf, guess), central)
        out = where(lt(v, 0), math.nan, out).to(x.dtype)

    def grad(g: Tensor, out: Tensor, x: Tensor) -> tuple[Any, ...]:
        value = ndtri(x)
        return (g * math.sqrt(2 * math.pi) * exp(0.5 * value * value),)

    record(out, "ndtri", grad, (x,), {})
    return out


@public(namespace="special", out=True)
def log_ndtr(input: Tensor) -> Tensor:
    """``log(ndtr(x))`` without underflow."""
    x = as_float(input)
    with no_grad():
        v = x.to(dtypes.float32)
        low = clamp(v, max=-1.0)
        below = log(0.5 * erfcx(low * -math.sqrt(0.5))) - 0.5 * low * low
        above = log1p(-0.5 * erfc(clamp(v, min=-1.0) * math.sqrt(0.5)))
        out = where(isnan(v), v, where(gt(v, -1.0), above, below)).to(x.dtype)

    def grad(g: Tensor, out: Tensor, x: Tensor) -> tuple[Any, ...]:
        return (g * math.sqrt(2 / math.pi) / erfcx(x * -math.sqrt(0.5)),)

    record(out, "log_ndtr", grad, (x,), {})
    return out
