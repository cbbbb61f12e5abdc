"""Writes through views: all that show the memory see them. Inputs lie in memory, and are what is written to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from device.op_cases.case import OpCase, bools, case, f, ints

Program = Callable[[Any, Any], Any]


def _rows(T: Any, x: Any) -> Any:
    row, before = x[1], x * 2
    row.mul_(10)
    return x, row, before


def _flat(T: Any, x: Any) -> Any:
    x.view(-1)[::5] += 3
    return x


def _turned(T: Any, x: Any) -> Any:
    turned = x.t()
    turned[1].add_(turned[0])
    return x, turned, turned.sum(1)


def _columns(T: Any, x: Any) -> Any:
    x[:, 1:3] += x[:, :1]
    x[:, -1] = 0
    return x, x[2]


def _overlapping(T: Any, x: Any) -> Any:
    x[1:] = x[:-1] * 2
    x[:, 1:] -= x[:, :-1] * 2
    return x


def _detached(T: Any, x: Any) -> Any:
    part = x.detach().reshape(2, 6)[:, 2:4]
    part.zero_().add_(7)
    return x, part


def _between(T: Any, x: Any) -> Any:
    total = x.sum()
    x[0].fill_(1)
    again = x.sum()
    x.copy_(x * 2)
    return total, again, x, x[0].sum()


def _masked(T: Any, x: Any) -> Any:
    x[x > 0] = -1
    x[0, x[0] < 0] = 5
    return x


def _masked_by_many(T: Any, x: Any) -> Any:
    rank = x.reshape(-1).argsort().argsort().reshape(x.shape)
    x[rank % 3 == 1] = -T.arange(4).to(x.dtype)
    x[1:, 1][rank[1:, 1] >= 0] = x[0, :2]
    count = T.arange(12).reshape(3, 4)
    count[rank < 5] = T.arange(5)
    return x, count


def _items(T: Any, x: Any) -> Any:
    for n in range(3):
        x[n, n] = n
        x[-1, n] += 1
    return x


def _scaled(T: Any, x: Any) -> Any:
    for n in range(x.shape[0]):
        x[n].div_(x[n].abs().sum())
    return x


PROGRAMS: dict[str, Program] = {
    "row": _rows, "every fifth element": _flat, "transposed": _turned, "columns": _columns, "overlapping": _overlapping,
    "detached": _detached, "between reads": _between, "mask": _masked, "masked values": _masked_by_many,
    "items": _items, "row by row": _scaled,
}  # fmt: skip

CASES: list[OpCase] = [
    *(
        case(f"in place {name}", lambda T, F, x, program=program: program(T, x), f(3, 4), grad=False)
        for name, program in PROGRAMS.items()
    ),
    case(
        "in place rows by index",
        lambda T, F, x, i, v: x.__setitem__(i, v) or x, f(5, 3), ints(1, high=5), f(3), grad=False,
    ),
    case(
        "in place columns by index",
        lambda T, F, x, v: x.__setitem__((slice(None), T.tensor([3, 0])), v) or (x, x[1]), f(4, 5), f(4, 2), grad=False,
    ),
    case("in place integers", lambda T, F, x: (x[1:].add_(x[:1]), x), ints(4, 3)),
    case("in place bools", lambda T, F, x: (x[::2].logical_not() & x[::2], x.__setitem__(0, True) or x), bools(5, 3)),
    case(
        "in place images",
        lambda T, F, x: (x[:, 1, 2:4, ::2].mul_(0), x, F.avg_pool2d(x, 2)), f(2, 3, 6, 6), grad=False, atol=5e-5,
    ),
]  # fmt: skip
