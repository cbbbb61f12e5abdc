"""Bessel functions of orders 0 and 1.

Source: Abramowitz & Stegun 1964, polynomial approximations 9.4.1 to 9.4.6 and 9.8.1 to 9.8.8 (errors of some 1e-7).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.errors import GradError
from tabgrad.names import public
from tabgrad.ops.arithmetic import clamp
from tabgrad.ops.comparison import eq, le, lt, where
from tabgrad.ops.elementwise import abs, cos, exp, log, sign, sin, sqrt
from tabgrad.ops.rare.error_functions import as_float, polynomial
from tabgrad.tensor import Tensor

# Each: the coefficients in a square of x up to a limit, and those in its inverse beyond; the lowest power first.
_I0 = (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813)
_I0_FAR = (
    0.39894228,
    0.01328592,
    0.00225319,
    -0.00157565,
    0.00916281,
    -0.02057706,
    0.02635537,
    -0.01647633,
    0.00392377,
)
_I1 = (0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411)
_I1_FAR = (0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312, 0.01787654,
           -0.00420059)  # fmt: skip
_K0 = (-0.57721566, 0.42278420, 0.23069756, 0.03488590, 0.00262698, 0.00010750, 0.00000740)
_K0_FAR = (1.25331414, -0.07832358, 0.02189568, -0.01062446, 0.00587872, -0.00251540, 0.00053208)
_K1 = (1.0, 0.15443144, -0.67278579, -0.18156897, -0.01919402, -0.00110404, -0.00004686)
_K1_FAR = (1.25331414, 0.23498619, -0.03655620, 0.01504268, -0.00780353, 0.00325614, -0.00068245)
_J0 = (1.0, -2.2499997, 1.2656208, -0.3163866, 0.0444479, -0.0039444, 0.0002100)
_Y0 = (0.36746691, 0.60559366, -0.74350384, 0.25300117, -0.04261214, 0.00427916, -0.00024846)
_SIZE0 = (0.79788456, -0.00000077, -0.00552740, -0.00009512, 0.00137237, -0.00072805, 0.00014476)
_ANGLE0 = (-0.78539816, -0.04166397, -0.00003954, 0.00262573, -0.00054125, -0.00029333, 0.00013558)
_J1 = (0.5, -0.56249985, 0.21093573, -0.03954289, 0.00443319, -0.00031761, 0.00001109)
_Y1 = (-0.6366198, 0.2212091, 2.1682709, -1.3164827, 0.3123951, -0.0400976, 0.0027873)
_SIZE1 = (0.79788456, 0.00000156, 0.01659667, 0.00017105, -0.00249511, 0.00113653, -0.00020033)
_ANGLE1 = (-2.35619449, 0.12499612, 0.00005650, -0.00637879, 0.00074348, 0.00079824, -0.00029166)


def _poly(coefficients: tuple[float, ...], t: Tensor) -> Tensor:
    return polynomial(coefficients[::-1], t)


def _scaled_i(x: Tensor, near: tuple[float, ...], far: tuple[float, ...], odd: bool) -> Tensor:
    """``exp(-|x|) I(x)``."""
    a = abs(x)
    small = clamp(a, max=3.75)
    t = small / 3.75
    inner = _poly(near, t * t) * exp(-small)
    large = clamp(a, min=3.75)
    outer = _poly(far, 3.75 / large) / sqrt(large)
    size = where(lt(a, 3.75), inner * a if odd else inner, outer)
    return size * sign(x) if odd else size


def _recorded(name: str, x: Tensor, value: Callable[[Tensor], Tensor], slope: Callable[[Tensor], Tensor]) -> Tensor:
    with no_grad():
        out = value(x.to(dtypes.float32)).to(x.dtype)
    record(out, name, lambda g, out, x: (g * slope(x),), (x,), {})
    return out


@public(method=True, inplace=True, out=True)
def i0(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 0."""
    return _recorded("i0", as_float(input), lambda v: i0e(v) * exp(abs(v)), i1)


@public(namespace="special", out=True)
def i0e(input: Tensor) -> Tensor:
    """``exp(-|x|) i0(x)``."""
    x = as_float(input)
    return _recorded("i0e", x, lambda v: _scaled_i(v, _I0, _I0_FAR, False), lambda x: i1e(x) - sign(x) * i0e(x))


@public(namespace="special", out=True)
def i1(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 1."""
    return _recorded("i1", as_float(input), lambda v: i1e(v) * exp(abs(v)), lambda x: i0(x) - _over(i1(x), x))


@public(namespace="special", out=True)
def i1e(input: Tensor) -> Tensor:
    """``exp(-|x|) i1(x)``."""

    def slope(x: Tensor) -> Tensor:
        return i0e(x) - _over(i1e(x), x) - sign(x) * i1e(x)

    return _recorded("i1e", as_float(input), lambda v: _scaled_i(v, _I1, _I1_FAR, True), slope)


def _over(value: Tensor, x: Tensor) -> Tensor:
    """``value / x``, which is 1/2 at 0."""
    zero = eq(x, 0)
    return where(zero, 0.5, value / where(zero, 1.0, x))


def _scaled_k(x: Tensor, order: int) -> Tensor:
    """``exp(x) K(x)``."""
    small, large = clamp(x, 1e-30, 2.0), clamp(x, min=2.0)
    square = small * small / 4.0
    if order == 0:
        i_value = _scaled_i(small, _I0, _I0_FAR, False) * exp(small)
        inner = _poly(_K0, square) - log(small / 2.0) * i_value
    else:
        i_value = _scaled_i(small, _I1, _I1_FAR, True) * exp(small)
        inner = log(small / 2.0) * i_value + _poly(_K1, square) / small
    outer = _poly(_K0_FAR if order == 0 else _K1_FAR, 2.0 / large) / sqrt(large)
    found = where(le(x, 2.0), inner * exp(small), outer)
    return where(lt(x, 0), math.nan, where(eq(x, 0), math.inf, found))


def _without_gradient(caller: str, input: Any, value: Callable[[Tensor], Tensor]) -> Tensor:
    """A function that PyTorch does not differentiate, either."""
    x = as_float(input)
    if x.requires_grad:
        raise GradError(f"special.{caller}: expected a tensor that needs no gradient, as in PyTorch; detach() it")
    return value(x.to(dtypes.float32)).to(x.dtype)


@public(namespace="special", out=True)
def modified_bessel_i0(input: Tensor) -> Tensor:
    """:func:`i0`, without a gradient."""
    return _without_gradient("modified_bessel_i0", input, i0)


@public(namespace="special", out=True)
def modified_bessel_i1(input: Tensor) -> Tensor:
    """:func:`i1`, without a gradient."""
    return _without_gradient("modified_bessel_i1", input, i1)


@public(namespace="special", out=True)
def modified_bessel_k0(input: Tensor) -> Tensor:
    """The modified Bessel function of the second kind of order 0; no gradient."""
    return _without_gradient("modified_bessel_k0", input, lambda v: _scaled_k(v, 0) * exp(-v))


@public(namespace="special", out=True)
def modified_bessel_k1(input: Tensor) -> Tensor:
    """The modified Bessel function of the second kind of order 1; no gradient."""
    return _without_gradient("modified_bessel_k1", input, lambda v: _scaled_k(v, 1) * exp(-v))


@public(namespace="special", out=True)
def scaled_modified_bessel_k0(input: Tensor) -> Tensor:
    """``exp(x) modified_bessel_k0(x)``; no gradient."""
    return _without_gradient("scaled_modified_bessel_k0", input, lambda v: _scaled_k(v, 0))


@public(namespace="special", out=True)
def scaled_modified_bessel_k1(input: Tensor) -> Tensor:
    """``exp(x) modified_bessel_k1(x)``; no gradient."""
    return _without_gradient("scaled_modified_bessel_k1", input, lambda v: _scaled_k(v, 1))


def _wave(x: Tensor, size: tuple[float, ...], angle: tuple[float, ...], turn: Any) -> Tensor:
    large = clamp(x, min=3.0)
    t = 3.0 / large
    return _poly(size, t) * turn(large + _poly(angle, t)) / sqrt(large)


def _j(x: Tensor, order: int) -> Tensor:
    a = abs(x)
    t = clamp(a, max=3.0) / 3.0
    if order == 0:
        return where(le(a, 3.0), _poly(_J0, t * t), _wave(a, _SIZE0, _ANGLE0, cos))
    return sign(x) * where(le(a, 3.0), a * _poly(_J1, t * t), _wave(a, _SIZE1, _ANGLE1, cos))


def _y(x: Tensor, order: int) -> Tensor:
    small = clamp(x, 1e-30, 3.0)
    t = small / 3.0
    logarithm = log(small / 2.0) * (2 / math.pi) * _j(small, order)
    if order == 0:
        found = where(le(x, 3.0), logarithm + _poly(_Y0, t * t), _wave(x, _SIZE0, _ANGLE0, sin))
    else:
        found = where(le(x, 3.0), logarithm + _poly(_Y1, t * t) / small, _wave(x, _SIZE1, _ANGLE1, sin))
    return where(lt(x, 0), math.nan, where(eq(x, 0), -math.inf, found))


@public(namespace="special", out=True)
def bessel_j0(input: Tensor) -> Tensor:
    """The Bessel function of the first kind of order 0; no gradient."""
    return _without_gradient("bessel_j0", input, lambda v: _j(v, 0))


@public(namespace="special", out=True)
def bessel_j1(input: Tensor) -> Tensor:
    """The Bessel function of the first kind of order 1; no gradient."""
    return _without_gradient("bessel_j1", input, lambda v: _j(v, 1))


@public(namespace="special", out=True)
def bessel_y0(input: Tensor) -> Tensor:
    """The Bessel function of the second kind of order 0; no gradient."""
    return _without_gradient("bessel_y0", input, lambda v: _y(v, 0))


@public(namespace="special", out=True)
def bessel_y1(input: Tensor) -> Tensor:
    """The Bessel function of the second kind of order 1; no gradient."""
    return _without_gradient("bessel_y1", input, lambda v: _y(v, 1))


@public(namespace="special", out=True)
def spherical_bessel_j0(input: Tensor) -> Tensor:
    """``sin(x) / x``, and 1 at 0; no gradient."""

    def value(v: Tensor) -> Tensor:
        zero = eq(v, 0)
        return where(zero, 1.0, sin(v) / where(zero, 1.0, v))

    return _without_gradient("spherical_bessel_j0", input, value)
