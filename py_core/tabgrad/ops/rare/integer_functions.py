"""Divisors of integers, and the parts of a float."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, no_grad, record
from tabgrad.errors import DTypeError
from tabgrad.graph.op import elementwise_op
from tabgrad.names import public
from tabgrad.ops._broadcast import operands
from tabgrad.ops.arithmetic import floor_divide, mul
from tabgrad.ops.comparison import cast, eq, where
from tabgrad.ops.elementwise import abs, isfinite
from tabgrad.ops.rare.logarithms import exp2
from tabgrad.tensor import Tensor

GCD = elementwise_op("gcd", "gcd_i32({0}, {1})", np.gcd, None, cost=40)
EXPONENT = elementwise_op(
    "exponent", "exponent_f32({0})", lambda x: np.frexp(x)[1].astype(np.int32), None, dtypes.int32, cost=3
)
NEXT_AFTER = elementwise_op("nextafter", "nextafter_f32({0}, {1})", np.nextafter, None, cost=6)


class MantissaAndExponent(NamedTuple):
    """``mantissa * 2 ** exponent``."""

    mantissa: Tensor
    exponent: Tensor


@public(method=True, inplace=True, out=True)
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor of integers, broadcast.

    Raises:
        DTypeError: an operand is floating point or bool.
        ShapeError: the shapes do not broadcast.
    """
    a, b = operands("gcd", input, other)
    if a.dtype.category != 1:
        raise DTypeError(f"gcd: expected integers, got {a.dtype.name}; convert them first")
    return cast(apply(GCD, cast(a, dtypes.int32), cast(b, dtypes.int32)), a.dtype)


@public(method=True, inplace=True, out=True)
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple of integers, broadcast. Errors: :func:`gcd`."""
    divisor = gcd(input, other)
    a, b = operands("lcm", input, other)
    zero = eq(divisor, 0)
    return where(zero, divisor, abs(mul(floor_divide(a, where(zero, 1, divisor)), b)))


@public(method=True, out=True)
def frexp(input: Tensor) -> Any:
    """The pair (mantissa, exponent) with ``input = mantissa * 2 ** exponent`` and the mantissa in [1/2, 1).

    Raises:
        DTypeError: the tensor is not floating point.
    """
    if not input.dtype.is_floating_point:
        raise DTypeError(f"frexp: expected a floating-point tensor, got {input.dtype.name}; convert it first")
    exponent = apply(EXPONENT, cast(input.detach(), dtypes.float32))
    half = floor_divide(exponent, 2)  # in two steps, as 2 ** 128 is no float32
    scaled = input * exp2(cast(-half, dtypes.float32)) * exp2(cast(half - exponent, dtypes.float32))
    return MantissaAndExponent(where(isfinite(input), cast(scaled, input.dtype), input), exponent)


@public(method=True, inplace=True, out=True)
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The float next to ``input`` in the direction of ``other``, broadcast. The gradient is 1 where it moves.

    Raises:
        DTypeError: they are neither float32 nor float64.
    """
    a, b = operands("nextafter", input, other)
    if a.dtype not in (dtypes.float32, dtypes.float64):
        raise DTypeError(f"nextafter: expected float32 or float64, got {a.dtype.name}; convert the tensors first")
    with no_grad():
        out = apply(NEXT_AFTER, a, b)
    record(out, "nextafter", _next_grad, (a, b), {})
    return out


def _next_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    return where(eq(a, b), 0.0, g), g * 0.0


__all__ = ["MantissaAndExponent", "frexp", "gcd", "lcm", "nextafter"]
