"""Writing at places that an index names, and the gradients of reading there: few rows and positions, and many."""

from __future__ import annotations

from typing import Any

import numpy as np

from device.op_cases.case import Make, OpCase, bools, case, exact, f, ints

_NO = {"grad": False}
_ROUGH = {"smooth": False}


def distinct(*shape: int, high: int) -> Make:
    """Numbers below ``high``, none twice along the last dimension."""

    def make(rng: np.random.Generator) -> np.ndarray:
        lines = [rng.permutation(high)[: shape[-1]] for _ in range(int(np.prod(shape[:-1])))]
        return np.asarray(lines, np.int64).reshape(shape)

    return make


def _reduced(reduce: str, **options: Any) -> Any:
    return lambda T, F, x, i, s: x.scatter_reduce(1, i, s, reduce, **options)


def _in_place(T: Any, F: Any, x: Any, i: Any, s: Any, rows: Any, j: Any) -> Any:
    with T.no_grad():
        y = x * 1
        y.scatter_(1, i, 7.0).scatter_add_(1, i, s)
        y.index_add_(0, j, rows, alpha=2).index_fill_(1, j, -1.0)
        z = x * 1
        z[:, 1:3].index_copy_(0, j, rows[:, 1:3])
        z[j] = rows  # the last of equal indices counts
    return y, z


def _half(T: Any, F: Any, x: Any, i: Any, s: Any) -> Any:
    return x.half().scatter_add(0, i, s.half()).float(), x.bfloat16().index_add(1, i[0], s.bfloat16()[:4]).float()


# positions that are put in order: products of rows, positions and width that are too many to be compared
_MANY = (20011, 3)

CASES: list[OpCase] = [
    case("index_add", lambda T, F, x, i, s: x.index_add(0, i, s, alpha=0.5), f(5, 7), ints(9, high=5), f(9, 7)),
    case("index_add middle", lambda T, F, x, i, s: T.index_add(x, 1, i, s), f(2, 3, 4), ints(7, high=3), f(2, 7, 4)),
    case("index_add ints", lambda T, F, x, i, s: x.index_add(-1, i, s), ints(3, 4), ints(6, high=4), ints(3, 6)),
    case("index_add of nothing", lambda T, F, x, i, s: x.index_add(0, i, s), f(3, 2), ints(0), f(0, 2)),
    case(
        "index_add to many rows",
        lambda T, F, x, i, s: x.index_add(0, i, s),
        f(*_MANY),
        ints(301, high=20011),
        f(301, 3),
    ),
    case(
        "index_select often",  # most positions name one of few rows
        lambda T, F, x, i: x.index_select(0, T.where(i > 300, i % 11, i)),
        f(331, 4),
        ints(14009, high=331),
        atol=1e-3,
    ),
    case("gather of many", lambda T, F, x, i: x.gather(1, i), f(3, 1801, 2), ints(3, 530, 2, high=1801)),
    case("gather of one", lambda T, F, x, i: (x.gather(0, i), x[0].gather(0, i[0])), f(7, 5), ints(1, 5, high=5)),
    case("index_copy", lambda T, F, x, i, s: x.index_copy(0, i, s), f(7, 3), distinct(4, high=7), f(4, 3)),
    case(
        "index_copy last",
        lambda T, F, x, i, s: x.index_copy(1, i, s),
        f(3, 4),
        exact([1, 3, 1], "int64"),
        f(3, 3),
        **_NO,
    ),
    case("index_copy many", lambda T, F, x, i, s: x.index_copy(0, i, s), f(60013), distinct(301, high=60013), f(301)),
    case(
        "index_fill", lambda T, F, x, i: (x.index_fill(1, i, 2.5), T.index_fill(x, 0, i, -1)), f(5, 5), ints(3, high=5)
    ),
    case("scatter_add", lambda T, F, x, i, s: x.scatter_add(0, i, s), f(5, 7), ints(6, 6, high=5), f(6, 6)),
    case(
        "scatter_add a part", lambda T, F, x, i, s: x.scatter_add(0, i, s), f(5, 7), ints(4, 6, high=5), f(6, 7), **_NO
    ),
    case(
        "scatter_add last",
        lambda T, F, x, i, s: T.scatter_add(x, -1, i, s),
        f(2, 3, 4),
        ints(2, 3, 9, high=4),
        f(2, 3, 9),
    ),
    case(
        "scatter_add many",
        lambda T, F, x, i, s: x.scatter_add(0, i, s),
        f(6007, 2),
        ints(1511, 2, high=6007),
        f(1511, 2),
    ),
    case("scatter_add scalar", lambda T, F, x, s: x.scatter_add(0, T.tensor(0), s), f(), f()),
    case("scatter", lambda T, F, x, i, s: x.scatter(1, i, s), f(5, 7), distinct(5, 4, high=7), f(5, 4)),
    case(
        "scatter a part", lambda T, F, x, i, s: T.scatter(x, 1, i, s), f(5, 7), distinct(3, 4, high=7), f(5, 6), **_NO
    ),
    case("scatter last", lambda T, F, x, i, s: x.scatter(0, i, s), f(4), exact([2, 0, 2, 2], "int64"), f(4), **_NO),
    case(
        "scatter a number",
        lambda T, F, x, i: (x.scatter(1, i, 3.5), x.scatter(1, i, value=-1)),
        f(3, 4),
        ints(3, 2, high=4),
    ),
    case(
        "scatter and reduce",
        lambda T, F, x, i: (x.scatter(0, i, 2.0, reduce="add"), x.scatter(0, i, 3.0, reduce="multiply")),
        f(5),
        ints(9, high=5),
        **_NO,
    ),
    *(
        case(
            f"scatter_reduce {kind}{'' if own else ' without self'}",
            _reduced(kind, include_self=own),
            f(3, 5),
            ints(3, 7, high=4),
            f(3, 7),
        )
        for kind in ("sum", "prod", "mean", "amax", "amin")
        for own in (True, False)
    ),
    case(
        "scatter_reduce ints",
        lambda T, F, x, i, s: (x.scatter_reduce(0, i, s, "amax"), x.scatter_reduce(0, i, s, "mean")),
        ints(5),
        ints(9, high=5),
        ints(9, low=-9),
    ),
    case(
        "scatter_reduce ties",
        _reduced("amax"),
        exact([[1, 2, 0]]),
        exact([[0, 0, 1, 1]], "int64"),
        exact([[1, 0, 2, 2]]),
        **_ROUGH,
    ),
    case(
        "scatter_reduce zeros",
        _reduced("prod"),
        exact([[2, 3, 0]]),
        exact([[0, 0, 1, 1]], "int64"),
        exact([[0, 4, 0, 0]]),
        **_ROUGH,
    ),
    case("masked_scatter", lambda T, F, x, m, s: x.masked_scatter(m, s), f(5, 7), bools(5, 7), f(6, 6)),
    case("masked_scatter rows", lambda T, F, x, m, s: T.masked_scatter(x, m, s), f(7), bools(5, 1), f(41)),
    case("masked_scatter long", lambda T, F, x, m, s: x.masked_scatter(m, s), f(67, 71), bools(67, 71), f(4757)),
    case("masked_scatter nowhere", lambda T, F, x, s: x.masked_scatter(x > 9, s), f(3, 4), f(2)),
    case("bincount", lambda T, F, x: (T.bincount(x), x.bincount(minlength=17)), ints(31, high=9)),
    case("bincount many", lambda T, F, x: T.bincount(x, minlength=20001), ints(901, high=20000)),
    case("bincount weights", lambda T, F, x, w: T.bincount(x, w, minlength=5), ints(31, high=5), f(31), **_NO),
    case(
        "scatter in place", _in_place, f(5, 5), ints(5, 3, high=5), f(5, 3), f(3, 5), exact([1, 4, 1], "int64"), **_NO
    ),
    case("scatter narrow", _half, f(4, 6), ints(3, 6, high=4), f(4, 6), rtol=1e-2, atol=2e-2, **_ROUGH, grad=False),
]
