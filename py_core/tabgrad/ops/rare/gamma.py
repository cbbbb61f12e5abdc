"""The gamma function's logarithm, its derivatives and its incomplete forms.

Sources: Stirling's series with upward recurrence and reflection (DLMF 5.5, 5.11); Hurwitz's zeta by Euler and Maclaurin
(DLMF 25.11); incomplete gamma functions by series and continued fraction (DLMF 8.7, 8.9). Good to float32.
"""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.errors import ArgumentError, DTypeError
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, operands
from tabgrad.ops.arithmetic import clamp, float_dtype
from tabgrad.ops.comparison import eq, gt, le, logical_and, logical_or, lt, ne, where
from tabgrad.ops.creation import full_like
from tabgrad.ops.elementwise import abs, exp, floor, isnan, log, log1p, pow
from tabgrad.tensor import Tensor

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66)  # B2, B4, ...
_SHIFT = 7  # recurrence up to arguments of at least this


def _float(x: Any) -> Tensor:
    return as_tensor(x, float_dtype(x))


def _turns(x: Tensor) -> tuple[Tensor, Tensor]:
    """Sine and cosine of ``pi x``, up to the sign of both. WGSL's own may be wrong by 2^-11, also near zeros."""
    near = x - floor(x + 0.5)
    square = near * near
    sine, cosine = full_like(x, 0.0), full_like(x, 0.0)
    for k in range(6, -1, -1):
        sine = sine * square + (-1) ** k * math.pi ** (2 * k + 1) / math.factorial(2 * k + 1)
        cosine = cosine * square + (-1) ** k * math.pi ** (2 * k) / math.factorial(2 * k)
    return sine * near, cosine


def _lgamma_positive(x: Tensor) -> Tensor:
    """Of x > 0: near 1 and 2 by the series of zeta values, where the logarithms of Stirling's formula cancel."""
    large = clamp(x, min=3.0)
    inverse = 1.0 / large
    square = inverse * inverse
    tail: Any = 0.0
    for k in range(len(_BERNOULLI), 0, -1):
        tail = square * tail + _BERNOULLI[k - 1] / (2 * k * (2 * k - 1))
    stirling = (large - 0.5) * log(large) - large + 0.5 * math.log(2 * math.pi) + inverse * tail
    # moved to [1.5, 2.5] by lgamma(x + 1) = lgamma(x) + log(x)
    below_half, below, above = lt(x, 0.5), lt(x, 1.5), gt(x, 2.5)
    z = where(below_half, x + 2.0, where(below, x + 1.0, where(above, x - 1.0, x))) - 2.0
    z = clamp(z, -0.5, 0.5)
    series = full_like(z, 0.0)
    for coefficient in reversed(_ZETA):
        series = z * (coefficient + series)
    small = clamp(x, max=4.0)
    step = where(
        below_half, -log(small) - log1p(small), where(below, -log(small), where(above, log(abs(small - 1.0)), 0.0))
    )
    return where(gt(x, 3.0), stirling, series + step)


def _zeta_value(n: int) -> float:
    return sum(k**-n for k in range(1, 30)) + 30.0 ** (1 - n) / (n - 1) + 0.5 * 30.0**-n + n / 12 * 30.0 ** (-n - 1)


# of lgamma(2 + z): (1 - Euler's constant) z + sum of (-1)^n (zeta(n) - 1) z^n / n
_ZETA = (1 - 0.5772156649015329, *((-1) ** n * (_zeta_value(n) - 1) / n for n in range(2, 18)))


@public(method=True, inplace=True, out=True)
def lgamma(input: Tensor) -> Tensor:
    """The logarithm of the size of the gamma function."""
    x = _float(input)
    with no_grad():
        v = x.to(dtypes.float32)
        negative = le(v, 0)
        positive = where(negative, 1.0 - v, v)
        found = _lgamma_positive(positive)
        rest = v - floor(v)
        pole = logical_and(negative, eq(rest, 0))
        turned = math.log(math.pi) - log(abs(_turns(where(pole, 0.5, rest))[0])) - found
        out = where(pole, math.inf, where(negative, turned, found))
        out = where(eq(abs(v), math.inf), math.inf, where(isnan(v), v, out)).to(x.dtype)
    record(out, "lgamma", lambda g, out, x: (g * digamma(x),), (x,), {})
    return out


@public(method=True, inplace=True, out=True)
def digamma(input: Tensor) -> Tensor:
    """The derivative of :func:`lgamma`; NaN at negative integers, and an infinity at 0."""
    x = _float(input)
    with no_grad():
        v = x.to(dtypes.float32)
        negative = lt(v, 0)
        y = where(negative, 1.0 - v, v)
        near, sum_ = y, full_like(y, 0.0)
        for _ in range(_SHIFT):
            small = lt(near, _SHIFT)
            sum_ = sum_ - where(small, 1.0 / where(small, near, 1.0), 0.0)
            near = where(small, near + 1.0, near)
        square = 1.0 / (near * near)
        tail: Any = 0.0
        for k in range(4, 0, -1):
            tail = square * (tail + _BERNOULLI[k - 1] / (2 * k))
        found = sum_ + log(near) - 0.5 / near - tail
        rest = v - floor(v)
        pole = eq(rest, 0)
        sine, cosine = _turns(where(pole, 0.25, rest))
        out = where(negative, where(pole, math.nan, found - math.pi * cosine / sine), found)
        out = where(eq(v, 0), -1.0 / v, out).to(x.dtype)
    record(out, "digamma", lambda g, out, x: (g * polygamma(1, x),), (x,), {})
    return out


def hurwitz_zeta(s: Tensor, q: Tensor) -> Tensor:
    """The sum of ``(q + k) ** -s`` for s > 1 and q > 0, by Euler and Maclaurin after eight terms."""
    total = full_like(q, 0.0)
    for k in range(8):
        total = total + pow(q + float(k), -s)
    a = q + 8.0
    total = total + pow(a, 1.0 - s) / (s - 1.0) + 0.5 * pow(a, -s)
    factor = s * pow(a, -s - 1.0)
    for k, number in enumerate(_BERNOULLI[:4], 1):
        total = total + factor * (number / math.factorial(2 * k))
        factor = factor * (s + (2 * k - 1.0)) * (s + 2.0 * k) / (a * a)
    return total


@public(out=True)
def polygamma(n: int, input: Tensor) -> Tensor:
    """The ``n``-th derivative of :func:`digamma`.

    Raises:
        ArgumentError: ``n`` is negative.
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise ArgumentError(f"polygamma: expected n as a whole number of at least 0, got {n!r}")
    if n == 0:
        return digamma(input)
    x = _float(input)
    with no_grad():
        v = x.to(dtypes.float32)
        turned = logical_and(lt(v, 0.5), n == 1) if n == 1 else lt(v, -math.inf)
        y = where(turned, 1.0 - v, v)
        whole = logical_and(le(y, 0), eq(y, floor(y)))
        shifted, below = y, full_like(y, 0.0)
        for _ in range(0 if n == 1 else 16):  # upwards, of negative arguments
            negative = logical_and(le(shifted, 0), ~whole)
            below = below + where(negative, pow(where(negative, shifted, 1.0), float(-(n + 1))), 0.0)
            shifted = where(negative, shifted + 1.0, shifted)
        sign = -1.0 if n % 2 == 0 else 1.0
        good = gt(shifted, 0)
        found = hurwitz_zeta(full_like(y, float(n + 1)), where(good, shifted, 1.0)) + below
        found = where(whole, math.inf, where(good, found, math.nan)) * (sign * math.factorial(n))
        if n == 1:
            rest = v - floor(v)
            pole = eq(rest, 0)
            size = _turns(where(pole, 0.5, rest))[0]
            reflected = (math.pi * math.pi) / (size * size) - found
            found = where(turned, where(pole, math.inf, reflected), found)
        out = found.to(x.dtype)
    record(out, "polygamma", lambda g, out, x: (g * polygamma(n + 1, x),), (x,), {})
    return out


@public(top=False, also=("polygamma",))
def polygamma_of(input: Tensor, n: int) -> Tensor:
    """The ``n``-th derivative of :func:`digamma`. Errors: :func:`polygamma`."""
    return polygamma(n, input)


@public(method=True, inplace=True, out=True)
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension ``p``.

    Raises:
        ArgumentError: ``p`` is less than 1.
    """
    if not isinstance(p, int) or p < 1:
        raise ArgumentError(f"mvlgamma: expected p of at least 1, got {p!r}")
    x = _float(input)
    total = full_like(x, p * (p - 1) / 4 * math.log(math.pi))
    for k in range(p):
        total = total + lgamma(x - 0.5 * k)
    return total


_TERMS = 60  # of the series below a + 1, and of the continued fraction above


def _incomplete(caller: str, input: Any, other: Any, lower: bool) -> Tensor:
    a, x = operands(caller, input, other, dtype=float_dtype(input, other))
    if a.requires_grad:
        raise NotImplementedError(f"{caller}: expected a first argument that needs no gradient; detach() it")
    if a.dtype is not dtypes.float32:
        raise DTypeError(f"{caller}: expected float32, got {a.dtype.name}; convert it first")
    with no_grad():
        inside = logical_and(gt(a, 0), gt(x, 0))
        p, y = where(inside, a, 1.0), where(inside, x, 1.0)
        factor = exp(p * log(y) - y - lgamma(p))
        by_series = lt(y, p + 1.0)
        s = where(by_series, y, 1.0)
        term = 1.0 / p
        total = term
        for k in range(1, _TERMS):
            term = term * s / (p + float(k))
            total = total + term
        big = where(by_series, p + 2.0, y)
        tail = full_like(y, 0.0)
        for k in range(_TERMS, 0, -1):
            tail = (p - float(k)) * float(k) / (big + (2.0 * k + 1.0) - p + tail)
        upper = factor / (big + 1.0 - p + tail)
        low = where(by_series, factor * total, 1.0 - upper)
        out = low if lower else where(by_series, 1.0 - factor * total, upper)
        edge = where(eq(x, 0), where(eq(a, 0), math.nan, 0.0), where(eq(a, 0), 1.0, math.nan))
        out = where(inside, where(eq(y, math.inf), 1.0 if lower else 0.0, out), edge if lower else 1.0 - edge)
        out = where(logical_or(lt(a, 0), logical_or(lt(x, 0), logical_or(ne(a, a), ne(x, x)))), math.nan, out)
    sign = 1.0 if lower else -1.0

    def grad(g: Tensor, out: Tensor, a: Tensor, x: Tensor) -> tuple[Any, ...]:
        return None, g * sign * exp((a - 1.0) * log(x) - x - lgamma(a))

    record(out, caller, grad, (a, x), {})
    return out


@public(method=True, inplace=True, out=True)
def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The regularised lower incomplete gamma function of shape ``input``, up to some 100, at ``other``.

    Raises:
        NotImplementedError: a gradient by ``input`` is wanted.
    """
    return _incomplete("igamma", input, other, True)


@public(method=True, inplace=True, out=True)
def igammac(input: Tensor, other: Tensor) -> Tensor:
    """The regularised upper incomplete gamma function. As :func:`igamma`."""
    return _incomplete("igammac", input, other, False)
