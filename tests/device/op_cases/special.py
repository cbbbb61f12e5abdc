"""Infinities, NaN, zeros of both signs and the largest numbers through every op, where a shader compiler may assume
that none occur: as data, as numbers of the program, and the same operand twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from device.op_cases.case import OpCase, case, exact

_LARGEST = float(np.finfo(np.float32).max)
VALUES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, -2.5, 1e-30, 1e30, _LARGEST, -_LARGEST]
_OPTIONS: dict[str, Any] = {"grad": False, "single": True}
_TURN = 2**-11  # see elementwise.py

Binary = Callable[[Any, Any, Any], Any]

BINARY: dict[str, Binary] = {
    "add": lambda T, a, b: a + b,
    "sub": lambda T, a, b: a - b,
    "mul": lambda T, a, b: a * b,
    "div": lambda T, a, b: a / b,
    "floor_divide": lambda T, a, b: a // b,
    "remainder": lambda T, a, b: a % b,
    "pow": lambda T, a, b: a**b,
    "eq": lambda T, a, b: a == b,
    "ne": lambda T, a, b: a != b,
    "lt": lambda T, a, b: a < b,
    "le": lambda T, a, b: a <= b,
    "gt": lambda T, a, b: a > b,
    "ge": lambda T, a, b: a >= b,
}
OF_TENSORS: dict[str, Binary] = {
    **BINARY,
    "maximum": lambda T, a, b: T.maximum(a, b),
    "minimum": lambda T, a, b: T.minimum(a, b),
    "logical_and": lambda T, a, b: T.logical_and(a, b),
    "logical_xor": lambda T, a, b: T.logical_xor(a, b),
    "where": lambda T, a, b: T.where(a > b, a, b),
    "where not": lambda T, a, b: T.where(~(a < b), a, b),
}


# PyTorch's own results differ between its vectorised and its plain remainder where the quotient is large
_MODERATE = [v for v in VALUES if not np.isfinite(v) or v == 0 or 0.1 < abs(v) < 10]
# WGSL's division is good for divisors up to 2^126, whose reciprocal is not yet flushed to 0
_DIVISORS = [v for v in VALUES if abs(v) != _LARGEST] + [2.0**126, -(2.0**126)]
_CHOSEN = {"floor_divide": _MODERATE, "remainder": _MODERATE, "div": _DIVISORS}


def _values(name: str) -> list[float]:
    return _CHOSEN.get(name, VALUES)


def _pairs(values: list[float]) -> list[list[float]]:
    return [[a for a in values for _ in values], [b for _ in values for b in values]]


_BINARY = [
    made
    for name, op in OF_TENSORS.items()
    for made in (
        case(f"special {name}", lambda T, F, a, b, op=op: op(T, a, b), *map(exact, _pairs(_values(name))), **_OPTIONS),
        case(f"special {name} of one", lambda T, F, x, op=op: op(T, x, x), exact(_values(name)), **_OPTIONS),
    )
]


def _with_numbers(name: str, op: Binary, *, left: bool) -> OpCase:
    """An op between the values as data and each of them as a number of the program."""
    values = [v for v in _values(name) if v == 0 or abs(v) == 1 or not 1e-3 < abs(v) < 1e3]

    def fn(T: Any, F: Any, x: Any) -> list[Any]:
        return [op(T, v, x) if left else op(T, x, v) for v in values]

    return case(f"special {name} {'of' if left else 'with'} numbers", fn, exact(_values(name)), **_OPTIONS)


_NUMBERS = [_with_numbers(name, op, left=left) for name, op in BINARY.items() for left in (False, True)]

UNARY: dict[str, Callable[[Any, Any, Any], Any]] = {
    "neg": lambda T, F, x: -x,
    "abs": lambda T, F, x: x.abs(),
    "sign": lambda T, F, x: T.sign(x),
    "exp": lambda T, F, x: x.exp(),
    "expm1": lambda T, F, x: T.expm1(x),
    "log": lambda T, F, x: x.log(),
    "log1p": lambda T, F, x: T.log1p(x),
    "sqrt": lambda T, F, x: x.sqrt(),
    "rsqrt": lambda T, F, x: x.rsqrt(),
    "reciprocal": lambda T, F, x: T.reciprocal(x),
    "tanh": lambda T, F, x: x.tanh(),
    "sigmoid": lambda T, F, x: x.sigmoid(),
    "erf": lambda T, F, x: T.erf(x),
    "floor": lambda T, F, x: x.floor(),
    "ceil": lambda T, F, x: x.ceil(),
    "round": lambda T, F, x: x.round(),
    "relu": lambda T, F, x: F.relu(x),
    "leaky_relu": lambda T, F, x: F.leaky_relu(x, 0.1),
    "elu": lambda T, F, x: F.elu(x),
    "silu": lambda T, F, x: F.silu(x),
    "gelu": lambda T, F, x: F.gelu(x),
    "gelu tanh": lambda T, F, x: F.gelu(x, approximate="tanh"),
    "softplus": lambda T, F, x: F.softplus(x),
    "clamp": lambda T, F, x: (x.clamp(-1, 2), x.clamp(min=0.5), x.clamp(max=0.5)),
    "isnan": lambda T, F, x: (T.isnan(x), T.isfinite(x)),
    "square": lambda T, F, x: (x**2, x**3, x**0.5, x**-1),
    "to bool": lambda T, F, x: x.bool(),
    "masked_fill": lambda T, F, x: (x.masked_fill(x == 0, np.inf), x.masked_fill(T.isnan(x), -1.0)),
}
# PyTorch's vectorised gelu overflows on the way
_WITHIN = {"gelu": [v for v in VALUES if v != np.inf and not abs(v) > 1e38]}
_UNARY = [case(f"special {name}", fn, exact(_WITHIN.get(name, VALUES)), **_OPTIONS) for name, fn in UNARY.items()]

_ANGLES = [
    case(
        "special sin and cos",
        lambda T, F, x: (x.sin(), x.cos()),
        exact([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0]),
        atol=_TURN,
        **_OPTIONS,
    )
]

# numbers that a compiler knows although they have gone through a view or a sum
_KNOWN = [
    case(
        "special known numbers",
        lambda T, F, x: (
            T.zeros(3) / T.zeros(3).sum() + x,
            T.zeros(3).sum() * x,
            (x - T.zeros(3).sum()) / T.zeros(3).sum(),
        ),
        exact([1.0, np.inf, np.nan]),
        **_OPTIONS,
    )
]


def _rows(length: int) -> list[list[float]]:
    """Rows of ordinary numbers with special ones at the beginning, inside, at the end, and several of them."""
    rows = []
    plain = [float((7 * k) % 11 - 5) for k in range(length)]
    for special in ((np.nan,), (np.inf,), (-np.inf,), (np.nan, np.inf), (np.inf, -np.inf), (np.inf, np.inf)):
        for start in (0, length // 2, length - len(special)):
            rows.append([*plain[:start], *special, *plain[start + len(special) :]])
    return [*rows, plain, [np.nan] * length, [-np.inf] * length, [np.inf] * length, [0.0] * length]


REDUCTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda T, F, x: x.sum(1),
    "mean": lambda T, F, x: x.mean(1),
    "prod": lambda T, F, x: x.prod(1),
    "amax": lambda T, F, x: (x.amax(1), x.amin(1)),
    "max": lambda T, F, x: (*T.max(x, dim=1), *T.min(x, dim=1)),
    "argmax": lambda T, F, x: (x.argmax(1), x.argmin(1)),
    "max of all": lambda T, F, x: (x.max(), x.min(), x.argmax(), x.argmin()),
    "var": lambda T, F, x: (T.var(x, dim=1), T.std(x, dim=1)),
    "logsumexp": lambda T, F, x: T.logsumexp(x, 1),
    "softmax": lambda T, F, x: (F.softmax(x, dim=1), F.log_softmax(x, dim=1)),
    "any and all": lambda T, F, x: (T.any(x, dim=1), T.all(x, dim=1)),
    "layer_norm": lambda T, F, x: F.layer_norm(x, (x.shape[1],)),
    "matmul": lambda T, F, x: x @ T.ones_like(x).transpose(0, 1),
}
_ROWS = [
    case(f"special {name} of rows of {length}", fn, exact(_rows(length)), rtol=1e-3, **_OPTIONS)
    for name, fn in REDUCTIONS.items()
    for length in (5, 300)
]

_ZERO_DIVISION = [
    case("special std of one", lambda T, F, x: (x.std(0), x.var(0), x.std(0, keepdim=True)), exact([[1.0, 2.0, 0.0]]),
         **_OPTIONS),
    case("special mean of nothing", lambda T, F, x: (x.mean(), x.mean(0), x.sum(0) / 0), exact(np.zeros((0, 3))),
         **_OPTIONS),
    case("special numbers alone", lambda T, F, x: (T.zeros(3) / 0, T.ones(3) / 0, T.ones(3) * np.nan, x * 0 + np.inf),
         exact([1.0, np.inf, np.nan]), **_OPTIONS),
    case("special chain", lambda T, F, x: ((x / 0).exp(), 1 / (x * 0), (x - np.inf) * 0, (x / 0 - x / 0) + 1),
         exact(VALUES), **_OPTIONS),
]  # fmt: skip

_BOOLS = [
    case("special extremes of bools", lambda T, F, x: (x.amax(1), x.amin(1), T.maximum(x, ~x), T.minimum(x, x)),
         exact([[True, False, False], [False] * 3, [True] * 3], bool), grad=False),
    case("special max of bools", lambda T, F, x: (x.max(), x.min(), *T.max(x, dim=1), *T.min(x, dim=0)),
         exact([[True, False, False], [False] * 3, [True] * 3], bool), grad=False),
]  # fmt: skip

_GRADIENTS = [
    case(f"special gradient of {name}", fn, exact(VALUES), single=True, smooth=False)
    for name, fn in UNARY.items()
    if name in ("abs", "sign", "exp", "sqrt", "tanh", "sigmoid", "relu", "leaky_relu", "clamp", "floor")
] + [
    case(f"special gradient of {name}", fn, exact(_rows(5)), single=True, smooth=False, rtol=1e-3)
    for name, fn in REDUCTIONS.items()
    if name in ("sum", "mean", "amax", "softmax")
]

CASES: list[OpCase] = [
    *_BINARY, *_NUMBERS, *_UNARY, *_ANGLES, *_KNOWN, *_ROWS, *_ZERO_DIVISION, *_BOOLS, *_GRADIENTS,
]  # fmt: skip
