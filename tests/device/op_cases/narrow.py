"""Elements of one and two bytes: they share words of memory, and are computed in float32 or int32.

Values are multiples of 1/8 or whole, so that roundings are PyTorch's own and no tie is decided by float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from device.op_cases.case import Make, OpCase, bools, case, f, ints

HALF = {"rtol": 1e-3, "atol": 1e-3, "smooth": False}  # half a unit in the last of float16's 11 bits, twice
BRAIN = {"rtol": 8e-3, "atol": 8e-3, "smooth": False}  # of bfloat16's 8 bits


def eighths(*shape: int) -> Make:
    return lambda rng: np.asarray(rng.integers(-40, 40, shape) / 8, np.float32)


def _copies(dtype: str) -> Any:
    """A buffer of a dtype that is overwritten in place, whole words and what is left over."""

    def fn(T: Any, F: Any, a: Any, b: Any) -> Any:
        kept = (a + 1).to(getattr(T, dtype))
        with T.no_grad():
            kept.copy_(b)
            kept.mul_(2)
        return kept.long() if dtype == "uint8" else kept.float()

    return fn


CASES: list[OpCase] = [
    case("narrow float16 stored", lambda T, F, a: a.half(), eighths(3, 7), grad=False),
    case("narrow bfloat16 stored", lambda T, F, a: a.bfloat16().float(), eighths(5, 5), **BRAIN),
    case("narrow uint8 stored", lambda T, F, a: a.to(T.uint8), ints(3, 7, high=256)),
    case("narrow int8 stored", lambda T, F, a: a.to(T.int8), ints(7, 3, low=-128, high=128)),
    case("narrow integers wrap around", lambda T, F, a: (a.to(T.uint8), a.to(T.int8)), ints(37, low=-900, high=900)),
    case("narrow int16 stored", lambda T, F, a: (a.to(T.int16), a.short() * 3), ints(7, 3, low=-70000, high=70000)),
    case("narrow bytes of bools", lambda T, F, a: (a.to(T.uint8), a.to(T.half), a.to(T.int8) + 1), bools(3, 5)),
    case("narrow float16 arithmetic", lambda T, F, a, b: (a.half() * b.half() + 1).float(), f(4, 9), f(9), **HALF),
    case(
        "narrow bfloat16 arithmetic",
        lambda T, F, a, b: (a.bfloat16() - b.bfloat16()).float(), f(4, 9), f(9), **BRAIN,
    ),
    case(
        "narrow functions",
        lambda T, F, a: (a.half().exp().float(), a.bfloat16().tanh().float(), (a.half() / 3).float()),
        f(5, 7), **BRAIN,
    ),
    case(
        "narrow integer arithmetic",
        lambda T, F, a, b: (a.to(T.uint8) + b.to(T.uint8), a.to(T.int8) * 3, -a.to(T.uint8), a.to(T.uint8) - 200),
        ints(5, 7, high=120), ints(7, high=120),
    ),
    case("narrow comparisons", lambda T, F, a, b: (a.to(T.int8) < b, a.half() == b.half()), ints(3, 5), ints(3, 5)),
    case(
        "narrow sums", lambda T, F, a: (a.to(T.uint8).sum(1), a.to(T.int8).sum(), a.half().sum(0).float()),
        ints(6, 11, high=60),
    ),
    case("narrow means", lambda T, F, a: (a.half().mean(1).float(), a.bfloat16().mean().float()), f(7, 9), **BRAIN),
    case("narrow extremes", lambda T, F, a: (a.to(T.int8).amax(1), a.half().argmax(1)), ints(5, 9, low=-100, high=100)),
    case("narrow product", lambda T, F, a, b: (a.half() @ b.half()).float(), eighths(5, 6), eighths(6, 7), **HALF),
    case(
        "narrow views",
        lambda T, F, a: (
            a.to(T.uint8).permute(1, 0) + 0, a.to(T.int8)[1:, ::2] + 0, a.half().flip(1).reshape(-1)[3:30].float(),
            T.cat([a.to(T.uint8), a.to(T.uint8) + 1], 1), F.pad(a.half(), (1, 2)).float(),
            a.to(T.int8).expand(2, 5, 7) + 0,
        ),
        ints(5, 7, high=100),
    ),
    case(
        "narrow rows by index",
        lambda T, F, x, i: x.to(T.uint8)[i].float() / 255, ints(9, 3, 5, high=256), ints(6, high=9),
    ),
    case(
        "narrow where",
        lambda T, F, m, a, b: T.where(m, a.half(), b.half()).float(), bools(3, 7), f(3, 7), f(7), **HALF,
    ),
    case("narrow float16 in place", _copies("float16"), eighths(3, 7), eighths(3, 7), grad=False),
    case("narrow bfloat16 in place", _copies("bfloat16"), eighths(9), eighths(9), grad=False),
    case("narrow uint8 in place", _copies("uint8"), ints(5, 5, high=90), ints(5, 5, high=90)),
    case(
        "narrow labels",
        lambda T, F, x, y: F.cross_entropy(x, y.to(T.uint8).long()), f(6, 5), ints(6, high=5), atol=5e-5,
    ),
]  # fmt: skip
