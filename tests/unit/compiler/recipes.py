"""Random graphs as data: a list of ops and operands that PyTorch and tabgrad both follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st

import tabgrad as tg

Op = Callable[[Any, Any, Any], Any]  # (T, a, b) -> value, or None where the shapes do not fit


def _fit(a: Any, b: Any) -> bool:
    return all(n == m or 1 in (n, m) for n, m in zip(a.shape, b.shape, strict=True))


def _product(T: Any, a: Any, b: Any) -> Any:
    for left, right in ((a, b), (a, b.transpose(0, 1)), (a.transpose(0, 1), b)):
        if left.shape[1] == right.shape[0]:
            return (left @ right) * 0.2
    return None


def _normalized(a: Any, dim: int) -> Any:
    centred = a - a.mean(dim, keepdim=True)
    return centred * 0.5 / (a.var(dim, keepdim=True, correction=0) + 0.1).sqrt()


# All tensors have two dimensions; every op keeps values in a few times [-1, 1].
OPS: tuple[Op, ...] = (
    lambda T, a, b: a.tanh(),
    lambda T, a, b: a.sin() * 0.7,
    lambda T, a, b: a.relu() + 0.1 * a,
    lambda T, a, b: a + b if _fit(a, b) else None,
    lambda T, a, b: a * b if _fit(a, b) else None,
    lambda T, a, b: (a - b) / (1.5 + (a * a)) if _fit(a, b) else None,
    # equal on both sides of the condition, which rounding may turn
    lambda T, a, b: T.where(a > b, a - b, 0.5 * (b - a)) if _fit(a, b) else None,
    lambda T, a, b: a.mean(1, keepdim=True),
    lambda T, a, b: a.sum(0, keepdim=True) * 0.3,
    lambda T, a, b: a - a.mean(0, keepdim=True),
    lambda T, a, b: a.softmax(1),
    lambda T, a, b: T.logsumexp(a, 0, keepdim=True),
    lambda T, a, b: _normalized(a, 0),
    lambda T, a, b: _normalized(a, 1),
    lambda T, a, b: (a * b).softmax(0) - (a + b).log_softmax(0) * 0.1 if _fit(a, b) else None,
    lambda T, a, b: a / (1.5 + (a * b).sum(1, keepdim=True).abs()) if _fit(a, b) else None,
    _product,
    _product,
    lambda T, a, b: a.transpose(0, 1),
    lambda T, a, b: a.reshape(a.shape[1], a.shape[0]),
    lambda T, a, b: a[:, ::2],
    lambda T, a, b: a[1:] if a.shape[0] > 1 else None,
    lambda T, a, b: T.cat([a, b], 0) if a.shape[1] == b.shape[1] and a.shape[0] + b.shape[0] < 12 else None,
    lambda T, a, b: T.nn.functional.pad(a, (1, 0)) if a.shape[1] < 9 else None,
    lambda T, a, b: a.flip(0) if T is torch else T.flip(a, 0),
)

SHAPES = ((4, 6), (6, 4), (4, 1), (1, 6), (6, 6))

recipes = st.lists(
    st.tuples(st.integers(0, len(OPS) - 1), st.integers(0, 99), st.integers(0, 99)), min_size=3, max_size=14
)


def leaves(seed: int, scale: int = 1) -> list[np.ndarray]:
    """One array of each shape, with sizes other than 1 times ``scale``."""
    rng = np.random.default_rng(seed)
    shapes = [tuple(n * scale if n > 1 else 1 for n in shape) for shape in SHAPES]
    return [np.asarray(rng.uniform(-1, 1, shape), np.float32) for shape in shapes]


def grow(T: Any, values: list[Any], recipe: list[tuple[int, int, int]]) -> list[Any]:
    """``values`` and what the recipe makes of them; the newest values are the likelier operands."""
    values = list(values)
    for op, left, right in recipe:
        count = len(values)
        a, b = values[-1 - left % min(count, 5)], values[right % count]
        made = OPS[op](T, a, b)
        if made is not None:
            values.append(made)
    return values


def step(T: Any, states: list[Any], inputs: list[Any], recipe, writes) -> list[Any]:
    """The recipe, with some values put into states on the way; later ops then read the states anew."""
    values = [*inputs, *(s * 0.9 for s in states)]
    made: list[Any] = []
    for n, (op, left, right) in enumerate(recipe):
        a = values[-1 - left % min(len(values), 6)]
        b = values[right % len(values)]
        value = OPS[op](T, a, b)
        if value is None:
            continue
        values.append(value)
        made.append(value)
        target = writes[n % len(writes)] % len(states)
        if n % 3 == 0 and value.shape == states[target].shape:
            if T is tg:
                states[target].copy_(value)
            else:
                states[target] = value  # PyTorch's side stays free of aliases
            values.append(states[target] * 0.8)
    return made


writes_of = st.lists(st.integers(0, 9), min_size=1, max_size=4)  # which state each write goes to
