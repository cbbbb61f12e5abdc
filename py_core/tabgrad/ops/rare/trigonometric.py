"""The trigonometric and hyperbolic functions beyond sine, cosine and tanh."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, result_dtype
from tabgrad.ops.arithmetic import mul
from tabgrad.ops.comparison import eq, where
from tabgrad.ops.elementwise import binary_of_floats, rsqrt, sin, sqrt, unary
from tabgrad.tensor import Tensor

tan = unary("tan", "tan({0})", np.tan, lambda g, out, x: (g * (1.0 + out * out),), "Tangent of radians.", cost=6)
atan = unary(
    "atan", "atan({0})", np.arctan, lambda g, out, x: (g / (x * x + 1.0),), "Inverse tangent.", cost=6,
    aliases=("arctan",),
)  # fmt: skip
asin = unary(
    "asin", "asin_f32({0})", np.arcsin, lambda g, out, x: (g * rsqrt(1.0 - x * x),), "Inverse sine.", cost=8,
    aliases=("arcsin",),
)  # fmt: skip
acos = unary(
    "acos", "acos_f32({0})", np.arccos, lambda g, out, x: (-g * rsqrt(1.0 - x * x),), "Inverse cosine.", cost=8,
    aliases=("arccos",),
)  # fmt: skip
sinh = unary("sinh", "sinh_f32({0})", np.sinh, lambda g, out, x: (g * x.cosh(),), "Hyperbolic sine.", cost=8)
cosh = unary("cosh", "cosh_f32({0})", np.cosh, lambda g, out, x: (g * x.sinh(),), "Hyperbolic cosine.", cost=8)
asinh = unary(
    "asinh", "asinh_f32({0})", np.arcsinh, lambda g, out, x: (g * rsqrt(x * x + 1.0),), "Inverse hyperbolic sine.",
    cost=10, aliases=("arcsinh",),
)  # fmt: skip
acosh = unary(
    "acosh", "acosh_f32({0})", np.arccosh, lambda g, out, x: (g / (sqrt(x - 1.0) * sqrt(x + 1.0)),),
    "Inverse hyperbolic cosine; NaN below 1.", cost=10, aliases=("arccosh",),
)  # fmt: skip
atanh = unary(
    "atanh", "atanh_f32({0})", np.arctanh, lambda g, out, x: (g / (1.0 - x * x),),
    "Inverse hyperbolic tangent; NaN outside of [-1, 1].", cost=10, aliases=("arctanh",),
)  # fmt: skip


def _atan2_grad(g: Tensor, out: Tensor, y: Tensor, x: Tensor) -> tuple[Any, ...]:
    square = x * x + y * y
    share = where(eq(square, 0), 0.0, g / where(eq(square, 0), 1.0, square))
    return share * x, -share * y


atan2 = binary_of_floats(
    "atan2", "atan2_f32({0!}, {1!})", np.arctan2, _atan2_grad,
    "The angle in radians, from -pi to pi, of the points (other, input).", cost=10, aliases=("arctan2",),
)  # fmt: skip


def _hypot_reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.hypot(a, b)


def _hypot_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    size = hypot(a, b)
    return g * (a / size), g * (b / size)


hypot = binary_of_floats(
    "hypot", "hypot_f32({0}, {1})", _hypot_reference, _hypot_grad, "``sqrt(input ** 2 + other ** 2)``.", cost=6
)


@public(method=True, functional=False, inplace=True, out=True)
def sinc(input: Tensor) -> Tensor:
    """``sin(pi x) / (pi x)``, and 1 at 0."""
    x = as_tensor(input, result_dtype(input, 1.0))
    zero = eq(x, 0)
    angle = where(zero, 1.0, x) * math.pi
    return where(zero, 1.0, sin(angle) / angle)


@public(method=True, inplace=True, out=True)
def deg2rad(input: Tensor) -> Tensor:
    """Degrees as radians."""
    return mul(input, math.pi / 180)


@public(method=True, inplace=True, out=True)
def rad2deg(input: Tensor) -> Tensor:
    """Radians as degrees."""
    return mul(input, 180 / math.pi)
