"""Elementwise functions that few programs use: trigonometry, logarithms, bits, parts of numbers, special functions."""

from __future__ import annotations

import numpy as np

from device.op_cases.case import OpCase, case, exact, f, ints

_ODD = (7, 13)
_EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.75, 2.0, 40.0, -40.0]
_PAIRS = [[a for a in _EDGES for _ in _EDGES], [b for _ in _EDGES for b in _EDGES]]
_OPTIONS = {"grad": False, "single": True}

_UNARY = [
    case("sinh", lambda T, F, x: T.sinh(x), f(*_ODD, low=-4, high=4)),
    case("cosh", lambda T, F, x: T.cosh(x), f(*_ODD, low=-4, high=4)),
    case("asin", lambda T, F, x: T.asin(x), f(*_ODD, low=-0.95, high=0.95)),
    case("acos", lambda T, F, x: T.acos(x), f(*_ODD, low=-0.95, high=0.95)),
    case("asinh", lambda T, F, x: T.asinh(x), f(*_ODD, low=-9, high=9)),
    case("acosh", lambda T, F, x: T.acosh(x), f(*_ODD, low=1.2, high=9)),
    case("atanh", lambda T, F, x: T.atanh(x), f(*_ODD, low=-0.9, high=0.9)),
    case("exp2", lambda T, F, x: T.exp2(x), f(*_ODD, low=-5, high=5)),
    case("log2 and log10", lambda T, F, x: (T.log2(x), T.log10(x)), f(*_ODD, low=0.1, high=9)),
    case("trunc and frac", lambda T, F, x: (x.trunc(), x.frac()), f(*_ODD, low=-5, high=5), smooth=False),
    case("round to decimals", lambda T, F, x: T.round(x, decimals=1), f(*_ODD, low=-5, high=5), smooth=False),
    case("atan2", lambda T, F, a, b: T.atan2(a, b), f(*_ODD), f(13)),
    case("hypot", lambda T, F, a, b: T.hypot(a, b), f(*_ODD), f(13)),
    case("lgamma and digamma", lambda T, F, x: (T.lgamma(x), T.digamma(x)), f(*_ODD, low=0.4, high=6), rtol=1e-3),
    case("erfc and erfinv", lambda T, F, x: (T.erfc(x), T.erfinv(x)), f(*_ODD, low=-0.9, high=0.9), rtol=1e-3),
    case("i0", lambda T, F, x: T.i0(x), f(*_ODD, low=-5, high=5), rtol=1e-3),
    case("xlogy", lambda T, F, a, b: T.xlogy(a, b), f(*_ODD), f(13, low=0.2, high=3)),
    case("fmod", lambda T, F, a, b: T.fmod(a, b), f(*_ODD, low=-9, high=9), f(13, low=1, high=3), smooth=False),
    case("lerp", lambda T, F, a, b, w: T.lerp(a, b, w), f(*_ODD), f(13), f(7, 1)),
    case("clamp by tensors", lambda T, F, x, a, b: T.clamp(x, a, b), f(*_ODD), f(13, low=-1, high=0), f(7, 1),
         smooth=False),
]  # fmt: skip

_SPECIAL = [
    case(f"special {name} of edges", lambda T, F, x, name=name: getattr(T, name)(x), exact(_EDGES), **_OPTIONS)
    for name in ("sinh", "cosh", "asin", "acos", "asinh", "acosh", "atanh", "exp2", "log2", "signbit", "trunc", "frac")
] + [
    case(f"special {name} of edges", lambda T, F, a, b, name=name: getattr(T, name)(a, b),
         exact(_PAIRS[0]), exact(_PAIRS[1]), **_OPTIONS)
    for name in ("atan2", "hypot", "copysign", "fmax", "fmin", "nextafter")
]  # fmt: skip

_BITS = [
    case("bitwise operators", lambda T, F, a, b: (a & b, a | b, a ^ b, ~a), ints(7, 13, low=-99, high=99), ints(13)),
    case("shifts", lambda T, F, a, b: (a << b, a >> b), ints(31, low=-99, high=99), ints(31, high=9)),
    case("far shifts", lambda T, F, a: (a >> 31, a >> 40), ints(31, low=-99, high=99)),
    case("integer powers", lambda T, F, a, b: (a**b, 2**b, a**4), ints(31, low=-3, high=4), ints(31, high=7)),
    case("negative integer powers", lambda T, F, a, b: a**b, exact([1, -1, -1, 2, -3], np.int64),
         exact([-2, -3, -4, -1, -2], np.int64)),
    case("gcd and lcm", lambda T, F, a, b: (T.gcd(a, b), T.lcm(a, b)), ints(31, low=-99, high=99), ints(31, low=-9)),
    case("integer quotients", lambda T, F, a, b: (T.div(a, b, rounding_mode="trunc"), T.fmod(a, b)),
         ints(31, low=-9, high=9), ints(31, low=1, high=4)),
    case("rounded integers", lambda T, F, a: (a.floor(), a.ceil(), a.round(), a.trunc(), a.sign(), a.abs()),
         ints(31, low=-9, high=9)),
    case("frexp", lambda T, F, x: tuple(T.frexp(x)), f(31, low=-99, high=99), grad=False),
]  # fmt: skip

CASES: list[OpCase] = [*_UNARY, *_SPECIAL, *_BITS]
