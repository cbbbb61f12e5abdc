"""What ``tabgrad.special`` has beside the functions of the top level: entropy, zeta, orthogonal polynomials."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.errors import ArgumentError, GradError
from tabgrad.names import public
from tabgrad.ops._broadcast import operands
from tabgrad.ops._rare import rare
from tabgrad.ops.arithmetic import float_dtype, mul
from tabgrad.ops.comparison import cast, eq, gt, le, logical_and, lt, where
from tabgrad.ops.creation import full_like
from tabgrad.ops.elementwise import floor, log, log1p, pow
from tabgrad.ops.rare import bessel, error_functions
from tabgrad.ops.rare.error_functions import as_float
from tabgrad.ops.rare.gamma import hurwitz_zeta
from tabgrad.ops.rare.logarithms import zero_or_product
from tabgrad.tensor import Tensor


@public(namespace="special", out=True)
def xlog1py(input: Tensor | float, other: Tensor | float) -> Tensor:
    """``input * log1p(other)``, and 0 where ``input`` is 0, unless ``other`` is NaN."""
    return zero_or_product("special.xlog1py", input, other, log1p, edge=-1.0)


@public(namespace="special", out=True)
def entr(input: Tensor) -> Tensor:
    """``-x log(x)``; 0 at 0, and minus infinity below."""
    x = as_float(input)
    with no_grad():
        positive = gt(x, 0)
        value = -x * log(where(positive, x, 1.0))
        out = where(positive, value, where(eq(x, 0), 0.0, where(lt(x, 0), -math.inf, x)))
    record(out, "entr", lambda g, out, x: (g * (-1.0 - log(x)),), (x,), {})
    return out


@public(namespace="special", out=True)
def zeta(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Hurwitz's zeta function, ``sum((other + k) ** -input)``; infinite at 1 and NaN below.

    Raises:
        NotImplementedError: a gradient by ``input`` is wanted.
    """
    s, q = operands("special.zeta", input, other, dtype=float_dtype(input, other))
    if s.requires_grad:
        raise NotImplementedError("special.zeta: expected a first argument that needs no gradient; detach() it")
    with no_grad():
        power, start = s.to(dtypes.float32), q.to(dtypes.float32)
        whole = logical_and(le(start, 0), eq(start, floor(start)))
        inside = logical_and(gt(power, 1), gt(start, 0))
        found = hurwitz_zeta(where(inside, power, 2.0), where(inside, start, 1.0))
        moved = logical_and(gt(power, 1), logical_and(le(start, 0), eq(power, floor(power))))
        if not isinstance(other, int | float) or other <= 0:
            found = where(moved, _below_zero(power, start, moved), found)
            inside = inside | moved
        out = where(inside, found, math.nan)
        out = where(logical_and(gt(power, 1), whole), math.inf, out)
        out = where(eq(power, 1), math.inf, out).to(s.dtype)
    record(out, "zeta", lambda g, out, s, q: (None, -g * s * zeta(s + 1.0, q)), (s, q), {})
    return out


def _below_zero(s: Tensor, q: Tensor, moved: Tensor) -> Tensor:
    """Of negative starts down to -16, and whole powers."""
    at, total = where(moved, q, 1.0), full_like(q, 0.0)
    for _ in range(16):
        negative = lt(at, 0)
        total = total + where(negative, pow(where(negative, at, 1.0), -s), 0.0)
        at = where(negative, at + 1.0, at)
    good = gt(at, 0)
    return where(good, hurwitz_zeta(where(moved, s, 2.0), where(good, at, 1.0)) + total, math.nan)


def _degree(caller: str, x: Any, n: Any) -> tuple[Tensor, int | Tensor]:
    if not isinstance(n, Tensor) and (not isinstance(n, int | float) or n != int(n)):
        raise ArgumentError(f"special.{caller}: expected n as whole numbers, got {n!r}")
    value = as_float(x)
    if value.requires_grad:
        raise GradError(f"special.{caller}: expected a tensor that needs no gradient, as in PyTorch; detach() it")
    return value, cast(n.detach(), dtypes.int32) if isinstance(n, Tensor) else int(n)


def _by_recurrence(x: Tensor, n: int | Tensor, first: Tensor, step: Any) -> Tensor:
    """The polynomial of degree ``n``: 1, ``first``, and ``step(k, p_k, p_(k-1))``; 0 of negative degrees."""
    if isinstance(n, Tensor):
        return _of_each_degree(x, n, first, step)
    if n <= 0:
        return full_like(x, 0.0 if n < 0 else 1.0)
    before, now = full_like(x, 1.0), first
    for k in range(1, n):
        before, now = now, step(k, now, before)
    return now


def _of_each_degree(x: Tensor, n: Tensor, first: Tensor, step: Any) -> Tensor:
    before, now = full_like(x, 1.0), first
    found = where(eq(n, 1), now, where(eq(n, 0), before, 0.0))
    for k in range(1, rare("highest_degree")(n)):
        before, now = now, step(k, now, before)
        found = where(eq(n, k + 1), now, found)
    return found


def _chebyshev(caller: str, input: Any, n: Any, first: Any, shifted: bool = False) -> Tensor:
    x, degree = _degree(caller, input, n)
    x = x * 2.0 - 1.0 if shifted else x
    return _by_recurrence(x, degree, first(x), lambda k, now, before: 2.0 * x * now - before)


@public(namespace="special", out=True)
def chebyshev_polynomial_t(input: Any, n: Any) -> Tensor:
    """Chebyshev's polynomial of the first kind of degree ``n``, broadcast; no gradient."""
    return _chebyshev("chebyshev_polynomial_t", input, n, lambda x: x)


@public(namespace="special", out=True)
def chebyshev_polynomial_u(input: Any, n: Any) -> Tensor:
    """Chebyshev's polynomial of the second kind of degree ``n``, broadcast; no gradient."""
    return _chebyshev("chebyshev_polynomial_u", input, n, lambda x: 2.0 * x)


@public(namespace="special", out=True)
def chebyshev_polynomial_v(input: Any, n: Any) -> Tensor:
    """Chebyshev's polynomial of the third kind of degree ``n``, broadcast; no gradient."""
    return _chebyshev("chebyshev_polynomial_v", input, n, lambda x: 2.0 * x - 1.0)


@public(namespace="special", out=True)
def chebyshev_polynomial_w(input: Any, n: Any) -> Tensor:
    """Chebyshev's polynomial of the fourth kind of degree ``n``, broadcast; no gradient."""
    return _chebyshev("chebyshev_polynomial_w", input, n, lambda x: 2.0 * x + 1.0)


@public(namespace="special", out=True)
def shifted_chebyshev_polynomial_t(input: Any, n: Any) -> Tensor:
    """:func:`chebyshev_polynomial_t` of ``2 x - 1``."""
    return _chebyshev("shifted_chebyshev_polynomial_t", input, n, lambda x: x, shifted=True)


@public(namespace="special", out=True)
def shifted_chebyshev_polynomial_u(input: Any, n: Any) -> Tensor:
    """:func:`chebyshev_polynomial_u` of ``2 x - 1``."""
    return _chebyshev("shifted_chebyshev_polynomial_u", input, n, lambda x: 2.0 * x, shifted=True)


@public(namespace="special", out=True)
def shifted_chebyshev_polynomial_v(input: Any, n: Any) -> Tensor:
    """:func:`chebyshev_polynomial_v` of ``2 x - 1``."""
    return _chebyshev("shifted_chebyshev_polynomial_v", input, n, lambda x: 2.0 * x - 1.0, shifted=True)


@public(namespace="special", out=True)
def shifted_chebyshev_polynomial_w(input: Any, n: Any) -> Tensor:
    """:func:`chebyshev_polynomial_w` of ``2 x - 1``."""
    return _chebyshev("shifted_chebyshev_polynomial_w", input, n, lambda x: 2.0 * x + 1.0, shifted=True)


@public(namespace="special", out=True)
def hermite_polynomial_h(input: Any, n: Any) -> Tensor:
    """Hermite's polynomial of the physicists of degree ``n``, broadcast; no gradient."""
    x, degree = _degree("hermite_polynomial_h", input, n)
    return _by_recurrence(x, degree, 2.0 * x, lambda k, now, before: 2.0 * (x * now - k * before))


@public(namespace="special", out=True)
def hermite_polynomial_he(input: Any, n: Any) -> Tensor:
    """Hermite's polynomial of probability theory of degree ``n``, broadcast; no gradient."""
    x, degree = _degree("hermite_polynomial_he", input, n)
    return _by_recurrence(x, degree, mul(x, 1.0), lambda k, now, before: x * now - k * before)


@public(namespace="special", out=True)
def laguerre_polynomial_l(input: Any, n: Any) -> Tensor:
    """Laguerre's polynomial of degree ``n``, broadcast; no gradient."""
    x, degree = _degree("laguerre_polynomial_l", input, n)
    return _by_recurrence(x, degree, 1.0 - x, lambda k, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1))


@public(namespace="special", out=True)
def legendre_polynomial_p(input: Any, n: Any) -> Tensor:
    """Legendre's polynomial of degree ``n``, broadcast; no gradient."""
    x, degree = _degree("legendre_polynomial_p", input, n)
    return _by_recurrence(x, degree, mul(x, 1.0), lambda k, now, before: ((2 * k + 1) * x * now - k * before) / (k + 1))


__all__ = ["bessel", "error_functions"]
