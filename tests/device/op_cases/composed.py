"""Random expressions, to find what fusion, view folding and memory reuse break together.

Each seed is one case; the expression depends only on the seed and on shapes, so PyTorch and
tabgrad build the same one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from device.op_cases.case import OpCase, case, f

_SEEDS = 80
_MOST = 400  # elements of a value


def _permute(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    return x.permute(*(int(i) for i in rng.permutation(x.ndim)))


def _reshape(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    n = math.prod(x.shape)
    divisors = [d for d in range(1, n + 1) if n % d == 0]
    first = int(rng.choice(divisors))
    return x.reshape(first, n // first)


def _slice(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    index = []
    for n in x.shape:
        start = int(rng.integers(0, max(1, n // 2)))
        index.append(slice(start, n, int(rng.integers(1, 3))))
    return x[tuple(index)]


def _select(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    dim = int(rng.integers(x.ndim))
    return x.index_select(dim, T.tensor([int(i) for i in rng.integers(0, x.shape[dim], 3)]))


def _pad(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    return F.pad(x, [int(i) for i in rng.integers(0, 3, 2)], value=0.25)


def _flip(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    return T.flip(x, (int(rng.integers(x.ndim)),))


def _cat(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    return T.cat([x, x * 0.5, x[:1]], dim=0)


def _stack_halves(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    half = x.shape[-1] // 2
    return T.cat([x[..., half:], x[..., :half]], dim=-1)


def _sum(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    dim = int(rng.integers(x.ndim))
    return x - x.sum(dim=dim, keepdim=True) / x.shape[dim]


def _drop(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    return x.mean(dim=int(rng.integers(x.ndim))) if x.ndim > 1 else x


def _amax(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    dim = int(rng.integers(x.ndim))
    return x - x.amax(dim=dim, keepdim=True)


def _softmax(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    return F.softmax(x, dim=int(rng.integers(x.ndim))) * 2


def _gram(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    rows = x.reshape(x.shape[0], -1)
    return rows @ rows.t() / rows.shape[1]


def _product(T: Any, F: Any, rng: Any, x: Any, other: Any) -> Any:
    rows = x.reshape(-1, x.shape[-1])
    return rows.t() @ rows.tanh() / rows.shape[0] if rng.random() < 0.5 else (rows @ rows.t()).tanh() @ rows


def _outer(T: Any, F: Any, rng: Any, x: Any, other: Any) -> Any:
    return x.unsqueeze(-1) * other.reshape(-1)[:3]


def _mix(T: Any, F: Any, rng: Any, x: Any, other: Any) -> Any:
    scale = other.sum()
    return x * (1 + scale.tanh()) + scale * 0.1


def _where(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    return T.where(x > 0.1, x, x * x * 0.3)


def _twice(T: Any, F: Any, rng: Any, x: Any, _: Any) -> Any:
    y = (x * 1.1).tanh()
    return y * y + y.exp() * 0.2


_STEPS = (
    _permute,
    _reshape,
    _slice,
    _select,
    _pad,
    _flip,
    _cat,
    _stack_halves,
    _sum,
    _drop,
    _amax,
    _softmax,
    _gram,
    _product,
    _outer,
    _mix,
    _where,
    _twice,
)


def _expression(seed: int) -> Any:
    def fn(T: Any, F: Any, x: Any, y: Any) -> Any:
        rng = np.random.default_rng(seed)
        values = [x, y]
        for _ in range(int(rng.integers(4, 10))):
            value, other = values[int(rng.integers(len(values)))], values[int(rng.integers(len(values)))]
            step = _STEPS[int(rng.integers(len(_STEPS)))]
            made = step(T, F, rng, value, other)
            if 0 < math.prod(made.shape) <= _MOST and made.ndim <= 4:
                values.append(made)
        return values[-1], values[-2] * 2

    return fn


# smooth=False: the slope of a deep expression in a random direction can be large; PyTorch is the judge.
CASES: list[OpCase] = [
    case(f"composed {seed}", _expression(seed), f(3, 5, 2), f(7), smooth=False, rtol=1e-3, atol=1e-4)
    for seed in range(_SEEDS)
]
