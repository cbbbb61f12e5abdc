"""Scans: within a block and over several, of all dimensions, and what starts them anew."""

from __future__ import annotations

import numpy as np

from device.op_cases.case import OpCase, bools, case, exact, f, ints

_NO = {"grad": False}
_ROUGH = {"smooth": False}
_SPECIAL = exact([[1, np.nan, 2, np.nan, 0], [-np.inf, -np.inf, 3, np.inf, np.inf]])

CASES: list[OpCase] = [
    case("cumsum", lambda T, F, x: x.cumsum(1), f(5, 7)),
    case("cumsum first", lambda T, F, x: T.cumsum(x, dim=0), f(67, 3)),
    case("cumsum middle", lambda T, F, x: (x * 2).cumsum(-2) + 1, f(2, 131, 3), atol=1e-4),
    case("cumsum long", lambda T, F, x: x.cumsum(0), f(4231), atol=1e-3),
    case("cumsum ints", lambda T, F, x: x.cumsum(1), ints(3, 70, low=-9)),
    case("cumsum bools", lambda T, F, x: x.cumsum(0), bools(9, 2)),
    case("cumsum bytes", lambda T, F, x: x.to(T.uint8).cumsum(0), ints(9, high=256)),
    case("cumsum halves", lambda T, F, x: x.half().cumsum(0).float(), f(65), rtol=2e-3, atol=4e-3, **_ROUGH),
    case("cumsum dtype", lambda T, F, x: x.cumsum(0, dtype=T.float32), ints(9), **_NO),
    case("cumsum scalar", lambda T, F, x: x.cumsum(0), f()),
    case("cumsum nothing", lambda T, F, x: (x.cumsum(0), x.cumsum(1)), f(0, 3)),
    case("cumprod", lambda T, F, x: x.cumprod(1), f(3, 70, low=0.8, high=1.2)),
    case("cumprod zeros", lambda T, F, x: x.cumprod(1), exact([[2, 0, 3, 4], [0, 0, 2, 5], [1, 2, 3, 0]]), **_ROUGH),
    case("cumprod ints", lambda T, F, x: x.cumprod(0), ints(5, 2, low=-3, high=4)),
    case("logcumsumexp", lambda T, F, x: x.logcumsumexp(1), f(3, 70)),
    case("logcumsumexp large", lambda T, F, x: T.logcumsumexp(x, 0), exact([1000, 999, -1000, 1001]), **_ROUGH),
    case("logcumsumexp of nothing", lambda T, F, x: x.logcumsumexp(0), exact([-np.inf, -np.inf, 1, np.inf]), **_NO),
    case("cummax", lambda T, F, x: tuple(x.cummax(1)), f(3, 70)),
    case("cummax first", lambda T, F, x: tuple(T.cummax(x, dim=0)), f(67, 3)),
    case("cummax long", lambda T, F, x: x.cummax(0).indices, f(4231), **_NO),
    case("cummax ties", lambda T, F, x: tuple(x.cummax(0)), ints(300, high=9)),
    case("cummax special", lambda T, F, x: (*x.cummax(1), *x.cummin(1)), _SPECIAL, **_NO),
    case("cummin", lambda T, F, x: tuple(x.cummin(1)), f(3, 70)),
    case("cummin ints", lambda T, F, x: tuple(T.cummin(x, 0)), ints(9, 2, low=-9)),
]
