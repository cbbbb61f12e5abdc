"""Elementwise ops: unary, binary with broadcasting, comparison, selection, dtype."""

from __future__ import annotations

import numpy as np

from device.op_cases.case import OpCase, bools, case, exact, f, ints

_ODD = (7, 13)
_TURN = 2**-11  # what WGSL promises of sin and cos between -pi and pi; SwiftShader needs half of it
_EDGES = [-np.inf, -1e30, -100.0, -1.0, -0.0, 0.0, 1e-30, 1.0, 100.0, np.inf, np.nan]

_UNARY = [
    case("neg", lambda T, F, x: -x, f(*_ODD)),
    case("abs", lambda T, F, x: T.abs(x), f(*_ODD)),
    case("abs at zero", lambda T, F, x: x.abs(), exact([-1.0, 0.0, 2.0]), smooth=False),
    case("sign", lambda T, F, x: T.sign(x), f(*_ODD)),
    case("exp", lambda T, F, x: T.exp(x), f(*_ODD)),
    case("log", lambda T, F, x: T.log(x), f(*_ODD, low=0.1, high=5)),
    case("log1p", lambda T, F, x: T.log1p(x), f(*_ODD, low=-0.5, high=5)),
    case("log1p near zero", lambda T, F, x: T.log1p(x), f(31, low=-1e-5, high=1e-5), atol=1e-11, smooth=False),
    case("expm1", lambda T, F, x: T.expm1(x), f(*_ODD)),
    case("expm1 near zero", lambda T, F, x: T.expm1(x), f(31, low=-1e-5, high=1e-5), atol=1e-11, smooth=False),
    case("sqrt", lambda T, F, x: T.sqrt(x), f(*_ODD, low=0.1, high=5)),
    case("rsqrt", lambda T, F, x: T.rsqrt(x), f(*_ODD, low=0.1, high=5)),
    case("reciprocal", lambda T, F, x: T.reciprocal(x), f(*_ODD, low=0.2, high=5)),
    case("sin", lambda T, F, x: T.sin(x), f(*_ODD, low=-3.1, high=3.1), atol=_TURN, smooth=False),
    case("cos", lambda T, F, x: T.cos(x), f(*_ODD, low=-3.1, high=3.1), atol=_TURN, smooth=False),
    case("tanh", lambda T, F, x: T.tanh(x), f(*_ODD)),
    case("tan", lambda T, F, x: T.tan(x), f(*_ODD, low=-1.2, high=1.2)),
    case("atan", lambda T, F, x: T.atan(x), f(*_ODD, low=-5, high=5)),
    case("sigmoid", lambda T, F, x: T.sigmoid(x), f(*_ODD)),
    case("erf", lambda T, F, x: T.erf(x), f(*_ODD)),
    case("floor", lambda T, F, x: T.floor(x), f(*_ODD, low=-5, high=5)),
    case("ceil", lambda T, F, x: T.ceil(x), f(*_ODD, low=-5, high=5)),
    case("round", lambda T, F, x: T.round(x), f(*_ODD, low=-5, high=5)),
    case("round halves", lambda T, F, x: T.round(x), exact([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]), grad=False),
    case("relu", lambda T, F, x: F.relu(x), f(*_ODD)),
    case("relu at zero", lambda T, F, x: T.relu(x), exact([-1.0, 0.0, 1.0]), smooth=False),
    case("leaky_relu", lambda T, F, x: F.leaky_relu(x, 0.2), f(*_ODD)),
    case("elu", lambda T, F, x: F.elu(x, alpha=1.3), f(*_ODD)),
    case("gelu", lambda T, F, x: F.gelu(x), f(*_ODD)),
    case("gelu tanh", lambda T, F, x: F.gelu(x, approximate="tanh"), f(*_ODD)),
    case("silu", lambda T, F, x: F.silu(x), f(*_ODD)),
    case("softplus", lambda T, F, x: F.softplus(x), f(*_ODD)),
    case("clamp both", lambda T, F, x: T.clamp(x, -0.5, 0.7), f(*_ODD)),
    case("clamp min", lambda T, F, x: x.clamp(min=0.1), f(*_ODD)),
    case("clamp max", lambda T, F, x: x.clamp(max=0.1), f(*_ODD)),
    case(
        "where of what is compared with",
        lambda T, F, x: (T.where(x >= 0.5, 0.5, x), T.where(x < -0.25, -0.25, x)),
        f(*_ODD),
    ),
    case("clamp at limits", lambda T, F, x: x.clamp(-1, 1), exact([-2.0, -1.0, 0.0, 1.0, 2.0]), smooth=False),
    case("exp of a scalar", lambda T, F, x: x.exp(), f()),
    case("tanh of one", lambda T, F, x: x.tanh(), f(1, 1, 1)),
    case("sigmoid of nothing", lambda T, F, x: x.sigmoid(), f(3, 0, 2)),
    case("unary chain", lambda T, F, x: ((x * 2 + 1).tanh() - 0.5).exp().sqrt(), f(101)),
    case("many elements", lambda T, F, x: (x * 1.5 + 0.5).tanh(), f(3, 65537), smooth=False),
]

_SPECIAL = [
    case("relu of edges", lambda T, F, x: F.relu(x), exact(_EDGES), grad=False),
    case("isnan", lambda T, F, x: T.isnan(x), exact(_EDGES), grad=False),
    case("isfinite", lambda T, F, x: T.isfinite(x), exact(_EDGES), grad=False),
    case("log at and below zero", lambda T, F, x: T.log(x), exact([0.0, -1.0, 1.0]), grad=False),
    case("sqrt below zero", lambda T, F, x: T.sqrt(x), exact([-1.0, 0.0, 4.0]), grad=False),
    case("tanh far out", lambda T, F, x: T.tanh(x), exact([-100.0, -20.0, 20.0, 100.0]), smooth=False),
    case("sigmoid far out", lambda T, F, x: T.sigmoid(x), exact([-100.0, -20.0, 20.0, 100.0]), smooth=False),
    case("softplus far out", lambda T, F, x: F.softplus(x), exact([-100.0, -20.0, 30.0, 100.0]), smooth=False),
    case("division by zero", lambda T, F, a, b: a / b, exact([1.0, -1.0, 0.0]), exact([0.0, 0.0, 0.0]), grad=False),
    case("exp overflow", lambda T, F, x: T.exp(x), exact([1000.0, -1000.0, 0.0]), grad=False),
]

_SHAPES: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = [
    ("equal", (7, 13), (7, 13)),
    ("row", (7, 13), (13,)),
    ("column", (7, 13), (7, 1)),
    ("outer", (7, 1), (1, 13)),
    ("middle", (3, 1, 5), (2, 1)),
    ("scalar tensor", (5, 3), ()),
    ("two scalars", (), ()),
    ("ones", (1, 1), (1,)),
    ("empty", (0, 3), (1, 3)),
    ("four dims", (2, 3, 1, 5), (3, 7, 1)),
]
_BINARY = [
    made
    for label, left, right in _SHAPES
    for made in (
        case(f"add {label}", lambda T, F, a, b: a + b, f(*left), f(*right)),
        case(f"sub {label}", lambda T, F, a, b: a - b, f(*left), f(*right)),
        case(f"mul {label}", lambda T, F, a, b: a * b, f(*left), f(*right)),
        case(f"div {label}", lambda T, F, a, b: a / b, f(*left), f(*right, low=0.5, high=2)),
    )
]

_MORE_BINARY = [
    case("maximum", lambda T, F, a, b: T.maximum(a, b), f(7, 13), f(13)),
    case("minimum", lambda T, F, a, b: T.minimum(a, b), f(7, 13), f(7, 1)),
    case("maximum ties", lambda T, F, a, b: T.maximum(a, b), exact([1, 2, 3]), exact([1, 3, 2]), smooth=False),
    case("pow tensors", lambda T, F, a, b: a**b, f(7, 11, low=0.2, high=3), f(11, low=-2, high=2)),
    case("pow 2", lambda T, F, x: x**2, f(11)),
    case("pow 3", lambda T, F, x: x**3, f(11)),
    case("pow 0.5", lambda T, F, x: x**0.5, f(11, low=0.2, high=3)),
    case("pow -1", lambda T, F, x: x**-1, f(11, low=0.2, high=3)),
    case("pow 2.5", lambda T, F, x: T.pow(x, 2.5), f(11, low=0.2, high=3)),
    case("pow 4 of negative", lambda T, F, x: x**4, f(11)),
    case("number to a tensor", lambda T, F, x: 2.0**x, f(11)),
    case("reflected operators", lambda T, F, x: (1 - x) * (2 / (3 + x)), f(11, low=0, high=1)),
    case("add alpha", lambda T, F, a, b: T.add(a, b, alpha=0.3), f(5, 3), f(3)),
    case("one tensor twice", lambda T, F, x: x * x + x / (x + 4), f(11, low=0, high=1)),
    case("used after and before", lambda T, F, x: (x.exp(), x.exp() * x), f(5)),
    case("floor_divide", lambda T, F, a, b: a // b, f(31, low=-9, high=9), f(31, low=1, high=3), grad=False),
    case("remainder", lambda T, F, a, b: a % b, f(31, low=-9, high=9), f(31, low=1, high=3), grad=False),
    case("floor_divide ints", lambda T, F, a, b: a // b, ints(31, low=-9, high=9), ints(31, low=1, high=4)),
    case("remainder ints", lambda T, F, a, b: a % b, ints(31, low=-9, high=9), ints(31, low=1, high=4)),
    case("int arithmetic", lambda T, F, a, b: a * b - a + 3, ints(5, 7), ints(7)),
    case("int division", lambda T, F, a, b: a / b, ints(5, 7), ints(7, low=1)),
    case("int and float", lambda T, F, a, b: a * b, ints(5, 7), f(7)),
    case("bool and float", lambda T, F, a, b: a * b, bools(5, 7), f(7)),
    case("bool arithmetic", lambda T, F, a, b: (a + b, a * b), bools(5, 7), bools(7)),
]

_COMPARE = [
    case(
        "comparisons",
        lambda T, F, a, b: (a < b, a <= b, a > b, a >= b, a == b, a != b),
        ints(7, 13, high=4),
        ints(13, high=4),
    ),
    case("comparisons of floats", lambda T, F, a, b: (a < b, a >= b, a == a), f(7, 13), f(7, 1), grad=False),
    case("comparison with a number", lambda T, F, x: (x > 0, x == 1), f(11), grad=False),
    case(
        "logic",
        lambda T, F, a, b: (T.logical_and(a, b), T.logical_or(a, b), T.logical_xor(a, b), T.logical_not(a)),
        bools(7, 13),
        bools(13),
    ),
    case("bool operators", lambda T, F, a, b: (a & b, a | b, ~a), bools(7), bools(7)),
    case("where", lambda T, F, c, a, b: T.where(c, a, b), bools(7, 13), f(7, 13), f(7, 13)),
    case("where broadcast", lambda T, F, c, a, b: T.where(c, a, b), bools(7, 1), f(13), f(3, 1, 1)),
    case("where number", lambda T, F, c, a: T.where(c, a, 0.5), bools(7, 13), f(7, 13)),
    case("where empty", lambda T, F, c, a: T.where(c, a, 0.0), bools(0, 3), f(0, 3)),
    case("masked_fill", lambda T, F, x, m: x.masked_fill(m, -1.5), f(7, 13), bools(13)),
    case("to int and back", lambda T, F, x: x.int().float(), f(31, low=-5, high=5), grad=False),
    case("to bool", lambda T, F, x: x.bool(), ints(31, low=-1, high=2)),
    case("bool to float", lambda T, F, x: x.float() * 2, bools(31)),
    case("zeros_like and ones_like", lambda T, F, x: (T.zeros_like(x), T.ones_like(x)), f(3, 5), grad=False),
]

CASES: list[OpCase] = [*_UNARY, *_SPECIAL, *_BINARY, *_MORE_BINARY, *_COMPARE]
