"""Powers and logarithms of other bases, and sums and products of what they are of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, operands, result_dtype
from tabgrad.ops.arithmetic import clamp, float_dtype, maximum, mul
from tabgrad.ops.comparison import eq, le, logical_and, logical_or, where
from tabgrad.ops.elementwise import exp, log, pow, unary
from tabgrad.tensor import Tensor

_LN2, _LN10 = math.log(2), math.log(10)

exp2 = unary("exp2", "exp2_f32({0})", np.exp2, lambda g, out, x: (g * out * _LN2,), "``2 ** x``.", cost=4)
log2 = unary("log2", "log2_ieee({0})", np.log2, lambda g, out, x: (g / (x * _LN2),), "Logarithm of base 2.", cost=4)
log10 = unary(
    "log10", "(log2_ieee({0}) * 0.30103)", np.log10, lambda g, out, x: (g / (x * _LN10),), "Logarithm of base 10.",
    cost=4,
)  # fmt: skip


@public(method=True, out=True)
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """``log(exp(input) + exp(other))``, broadcast, without overflow.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    a, b = operands("logaddexp", input, other, dtype=float_dtype(input, other))
    top = maximum(a, b)
    endless = eq(abs(top), math.inf)  # from which a difference may be NaN
    return where(endless, where(eq(a, b), a, top), top.detach() + _log_sum(a, b, top.detach(), endless))


def _log_sum(a: Tensor, b: Tensor, top: Tensor, masked: Tensor) -> Tensor:
    return log(exp(where(masked, 0.0, a - top)) + exp(where(masked, 0.0, b - top)))


@public(method=True, out=True)
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """``log2(2 ** input + 2 ** other)``, broadcast, without overflow. Errors: :func:`logaddexp`."""
    a, b = operands("logaddexp2", input, other, dtype=float_dtype(input, other))
    return logaddexp(a * _LN2, b * _LN2) / _LN2


@public(method=True, inplace=True, out=True)
def float_power(input: Tensor | float, exponent: Tensor | float) -> Tensor:
    """``input ** exponent`` in float64, which the reference device alone computes.

    Raises:
        DTypeError: a GPU computes; ``pow(input.float(), exponent)`` is in float32.
    """
    return pow(as_tensor(input, dtypes.float64), as_tensor(exponent, dtypes.float64))


@public(method=True, inplace=True, out=True)
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """``log(x / (1 - x))``, of ``x`` limited to [eps, 1 - eps] if ``eps`` is given; NaN outside of [0, 1]."""
    x = as_tensor(input, result_dtype(input, 1.0))
    if eps is not None:
        x = clamp(x, eps, 1.0 - eps)
    return log(x / (1.0 - x))


@public(method=True, inplace=True, out=True)
def xlogy(input: Tensor | float, other: Tensor | float) -> Tensor:
    """``input * log(other)``, and 0 where ``input`` is 0, unless ``other`` is NaN.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return zero_or_product("xlogy", input, other, log)


def zero_or_product(caller: str, input: Any, other: Any, function: Any, edge: float = 0.0) -> Tensor:
    """``input * function(other)``, 0 where ``input`` is 0, unless ``other`` is NaN; it is infinite at ``edge``."""
    a, b = operands(caller, input, other, dtype=float_dtype(input, other))
    zero = logical_and(eq(a, 0), logical_or(le(b, edge), eq(b, math.inf)))
    return where(zero, mul(a, 0.0), mul(a, function(where(zero, edge + 1.0, b))))


@public(method=True, inplace=True, out=True)
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """``input * 2 ** other``, broadcast; a float."""
    a, b = operands("ldexp", input, other, dtype=float_dtype(input, other))
    return mul(a, exp2(b))
