"""Reductions, along every kind of dimension, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from device.op_cases.case import OpCase, bools, case, exact, f, ints

_DIMS: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("all", (7, 13), {}),
    ("last", (7, 13), {"dim": -1}),
    ("first", (7, 13), {"dim": 0}),
    ("middle", (3, 17, 5), {"dim": 1}),
    ("outer two", (3, 17, 5), {"dim": (0, 2)}),
    ("last two keep", (2, 3, 5, 7), {"dim": (-1, -2), "keepdim": True}),
    ("keep", (7, 13), {"dim": 1, "keepdim": True}),
    ("size one", (5, 1, 3), {"dim": 1}),
    ("vector", (101,), {"dim": 0}),
    ("long", (3, 4099), {"dim": 1}),
    ("tall", (4099, 3), {"dim": 0}),
]


def _along(function: str, options: dict[str, Any]) -> Any:
    return lambda T, F, x: getattr(T, function)(x, **options)


_TABLE = [
    made
    for label, shape, options in _DIMS
    for made in (
        case(f"sum {label}", _along("sum", options), f(*shape), atol=1e-3 if "4099" in str(shape) else 2e-5),
        case(f"mean {label}", _along("mean", options), f(*shape)),
        case(f"amax {label}", _along("amax", options or {"dim": (0, 1)}), f(*shape)),
        case(f"amin {label}", _along("amin", options or {"dim": (0, 1)}), f(*shape)),
        case(f"var {label}", _along("var", options), f(*shape))
        if label != "size one"
        else case("var size one", lambda T, F, x: T.var(x, dim=1, correction=0), f(*shape)),
        case(f"logsumexp {label}", _along("logsumexp", options or {"dim": (0, 1)}), f(*shape)),
    )
]

_NO = {"grad": False}

_MORE = [
    case("sum of a scalar", lambda T, F, x: x.sum(), f()),
    case("sum of nothing", lambda T, F, x: x.sum(), f(0)),
    case("sum over an empty dim", lambda T, F, x: x.sum(dim=1), f(3, 0)),
    case("sum to nothing", lambda T, F, x: x.sum(dim=1), f(0, 3)),
    case("mean of nothing", lambda T, F, x: x.mean(), f(0), grad=False),
    case("sum ints", lambda T, F, x: x.sum(dim=1), ints(5, 7)),
    case("sum bools", lambda T, F, x: x.sum(), bools(5, 7)),
    case("sum of an expression", lambda T, F, a, b: (a * b + 1).tanh().sum(dim=1) * 2 + 1, f(7, 13), f(13)),
    case("sum of a transpose", lambda T, F, x: x.transpose(0, 1).sum(dim=0), f(7, 13)),
    case("two sums", lambda T, F, x: x.sum(dim=0) * x.sum(dim=1).sum(), f(7, 13)),
    case("var of all, biased", lambda T, F, x: T.var(x, correction=0), f(7, 13)),
    case("var far from zero", lambda T, F, x: T.var(x, dim=1), f(5, 31, low=100, high=101), rtol=1e-3, smooth=False),
    case(
        "var after a jump", lambda T, F, x: T.var(T.cat([x * 0 + 1e4, x], 1), dim=1), f(5, 300), rtol=1e-3, grad=False
    ),
    # in two stages everywhere: one long row, few long rows, a length without divisors, columns
    case("sum in parts", lambda T, F, x: x.sum(), f(300, 300), atol=5e-3),
    case("var in parts", lambda T, F, x: T.var(x), f(300, 300)),
    case(
        "var in parts far from zero",
        lambda T, F, x: T.var(x, dim=1),
        f(2, 66000, low=1000, high=1001),
        rtol=2e-3,
        **_NO,
    ),
    case("sum in uneven parts", lambda T, F, x: (x.sum(1), (x * x).sum(1)), f(2, 65537), atol=2e-2, grad=False),
    case("amax in uneven parts", lambda T, F, x: (x.amax(1), x.amin(1)), f(2, 65537), grad=False),
    case("logsumexp in uneven parts", lambda T, F, x: T.logsumexp(x, 1), f(2, 65537), grad=False),
    case("sum of columns in parts", lambda T, F, x: x.sum(0), f(8200, 9), atol=2e-3),
    case("var of segments in parts", lambda T, F, x: T.var(x, dim=(0, 2)), f(90, 2, 400)),
    case("std", lambda T, F, x: T.std(x, dim=1), f(7, 13)),
    case("amax ties", lambda T, F, x: T.amax(x, dim=1), exact([[1, 3, 3], [2, 2, 2]]), smooth=False),
    case("max", lambda T, F, x: T.max(x), f(7, 13)),
    case("min", lambda T, F, x: x.min(), f(7, 13)),
    case("max dim", lambda T, F, x: tuple(T.max(x, dim=1)), f(7, 13)),
    case("min dim keep", lambda T, F, x: tuple(x.min(dim=0, keepdim=True)), f(7, 13)),
    case("argmax", lambda T, F, x: x.argmax(), f(7, 13), grad=False),
    case("argmax last", lambda T, F, x: T.argmax(x, dim=-1), f(7, 13), grad=False),
    case("argmax first keep", lambda T, F, x: x.argmax(dim=0, keepdim=True), f(7, 13), grad=False),
    case("argmin middle", lambda T, F, x: x.argmin(dim=1), f(3, 17, 5), grad=False),
    case("argmax long", lambda T, F, x: x.argmax(dim=1), f(3, 4099), grad=False),
    case("argmax to nothing", lambda T, F, x: x.argmax(dim=1), f(0, 5), grad=False),
    case("argmax of ints", lambda T, F, x: x.argmax(dim=1), exact([[3, 1, 2], [-5, -4, -9]], "int64")),
    case("prod", lambda T, F, x: T.prod(x), f(7, low=0.5, high=2)),
    case("prod dim", lambda T, F, x: x.prod(dim=1), f(5, 7, low=0.5, high=2)),
    case("prod with zeros", lambda T, F, x: x.prod(dim=1), exact([[2, 0, 3], [0, 4, 0], [1, 2, 5]]), smooth=False),
    case("any", lambda T, F, x: (T.any(x), T.any(x, dim=0)), bools(5, 3)),
    case("all", lambda T, F, x: (T.all(x), T.all(x, dim=1)), bools(5, 3)),
    case("logsumexp of large", lambda T, F, x: T.logsumexp(x, dim=1), exact([[1000, 999, 0], [-1000, -1001, -999]])),
    case(
        "logsumexp of infinities",
        lambda T, F, x: T.logsumexp(x, dim=1),
        exact([[np.inf, 1, np.inf, 2], [-np.inf, 1, -np.inf, 0], [-np.inf] * 4, [1, np.inf, 2, -np.inf]]),
        grad=False,
    ),
    case("softmax", lambda T, F, x: T.softmax(x, dim=-1), f(7, 13)),
    case("softmax first", lambda T, F, x: F.softmax(x, dim=0), f(7, 13)),
    case("softmax middle", lambda T, F, x: x.softmax(dim=1), f(2, 5, 3)),
    case("softmax long", lambda T, F, x: F.softmax(x, dim=1), f(3, 1031)),
    case("softmax of one", lambda T, F, x: F.softmax(x, dim=1), f(5, 1)),
    case("softmax of nothing", lambda T, F, x: F.softmax(x, dim=1), f(0, 5)),
    case("softmax of large", lambda T, F, x: F.softmax(x, dim=1), exact([[1000, 999, 0], [-1000, -1001, -999]])),
    case("log_softmax", lambda T, F, x: F.log_softmax(x, dim=1), f(7, 13)),
    case("log_softmax first", lambda T, F, x: T.log_softmax(x, dim=0), f(7, 13)),
    case("log_softmax of large", lambda T, F, x: F.log_softmax(x, dim=1), exact([[1000, 999, 0], [-1000, -1001, 0]])),
]

CASES: list[OpCase] = [*_TABLE, *_MORE]
