"""Sorting, and what is picked from an order: within a block, in merges of several, and special values."""

from __future__ import annotations

import numpy as np

from device.op_cases.case import OpCase, bools, case, exact, f, ints

_NO = {"grad": False}
_SPECIAL = exact([[np.nan, -0.0, 3, 0.0, -np.inf, np.nan, np.inf, -2, 0.0]])

CASES: list[OpCase] = [
    case("sort", lambda T, F, x: tuple(x.sort()), f(5, 9)),
    case("sort first descending", lambda T, F, x: tuple(T.sort(x, 0, descending=True)), f(9, 5)),
    case("sort middle", lambda T, F, x: x.sort(dim=1).values, f(2, 131, 3)),
    case("sort long", lambda T, F, x: x.sort(1).indices, f(2, 1500), **_NO),
    case("sort longer", lambda T, F, x: x.sort(descending=True).values, f(8999), **_NO),
    case("sort stable", lambda T, F, x: tuple(T.sort(x, stable=True)), ints(3, 401, high=7)),
    case("sort stable descending", lambda T, F, x: tuple(x.sort(stable=True, descending=True)), ints(300, high=5)),
    case("sort special values", lambda T, F, x: tuple(x.sort(stable=True)), _SPECIAL, **_NO),
    case("sort special descending", lambda T, F, x: tuple(x.sort(stable=True, descending=True)), _SPECIAL, **_NO),
    case("sort bools", lambda T, F, x: tuple(x.sort(stable=True)), bools(2, 9)),
    case("sort bytes", lambda T, F, x: x.to(T.uint8).sort().values, ints(3, 7, high=256)),
    case("sort halves", lambda T, F, x: x.half().sort().values.float(), ints(3, 7, low=-9), **_NO),
    case("sort nothing", lambda T, F, x: (*x.sort(), x.argsort(0)), f(0, 3)),
    case("sort a scalar", lambda T, F, x: tuple(x.sort()), f()),
    case("argsort", lambda T, F, x: (x.argsort(), T.argsort(x, 0, descending=True)), f(7, 5), **_NO),
    case("topk", lambda T, F, x: tuple(x.topk(3)), f(5, 9)),
    case("topk smallest first", lambda T, F, x: tuple(T.topk(x, 2, 0, largest=False)), f(200, 3)),
    case("topk all and none", lambda T, F, x: (*x.topk(4, 0), x.topk(0).values), f(4, 3), **_NO),
    case("msort", lambda T, F, x: T.msort(x), f(5, 3)),
    case("kthvalue", lambda T, F, x: tuple(x.kthvalue(3, 0)), f(7, 4)),
    case("kthvalue keep", lambda T, F, x: tuple(T.kthvalue(x, 1, keepdim=True)), f(3, 5)),
    case("median", lambda T, F, x: (x.median(), *x.median(1)), f(5, 8)),
    case("median keep", lambda T, F, x: tuple(T.median(x, 0, keepdim=True)), f(7, 3)),
    case("median of NaN", lambda T, F, x: (T.median(x), *x.median(1)), _SPECIAL, **_NO),
]
