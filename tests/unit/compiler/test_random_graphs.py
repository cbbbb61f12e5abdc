"""Random graphs, compiled for an adapter with few bindings, against PyTorch: values, gradients and writes in place.

Fusion, scheduling, the memory plan and the order of writes are all at work; see :class:`StrictDevice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tabgrad as tg
from tabgrad import runtime
from unit.compiler.strict_device import StrictDevice

few = settings(max_examples=60, deadline=None, derandomize=True, database=None)

RTOL, ATOL = 2e-4, 2e-4  # float32 against float64; values are kept near 1, graphs have at most 14 ops

Op = Callable[[Any, Any, Any], Any]  # (T, a, b) -> value, or None where the shapes do not fit


def _fit(a: Any, b: Any) -> bool:
    return all(n == m or 1 in (n, m) for n, m in zip(a.shape, b.shape, strict=True))


def _product(T: Any, a: Any, b: Any) -> Any:
    for left, right in ((a, b), (a, b.transpose(0, 1)), (a.transpose(0, 1), b)):
        if left.shape[1] == right.shape[0]:
            return (left @ right) * 0.2
    return None


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


def _leaves(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.uniform(-1, 1, shape), np.float32) for shape in SHAPES]


def _grow(T: Any, values: list[Any], recipe: list[tuple[int, int, int]]) -> list[Any]:
    """``values`` and what the recipe makes of them; the newest values are the likelier operands."""
    values = list(values)
    for op, left, right in recipe:
        count = len(values)
        a, b = values[-1 - left % min(count, 5)], values[right % count]
        made = OPS[op](T, a, b)
        if made is not None:
            values.append(made)
    return values


@pytest.fixture(scope="module", params=[4, 8], autouse=True)
def strict(request: pytest.FixtureRequest) -> Iterator[StrictDevice]:
    before, runtime._device = runtime._device, StrictDevice(request.param)
    yield runtime._device
    runtime._device = before


def _check(ours: list[np.ndarray], theirs: list[torch.Tensor]) -> None:
    for found, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(found, expected.detach().numpy(), rtol=RTOL, atol=ATOL)


@few
@given(recipe=recipes, seed=st.integers(0, 99), wanted=st.sets(st.integers(0, 30), min_size=1))
def test_values(recipe, seed: int, wanted: set[int]) -> None:
    arrays = _leaves(seed)
    ours = _grow(tg, [tg.tensor(a) for a in arrays], recipe)
    theirs = _grow(torch, [torch.tensor(a, dtype=torch.float64) for a in arrays], recipe)
    chosen = sorted({n % len(ours) for n in wanted})
    _check(runtime.read_now(*(ours[n] for n in chosen)), [theirs[n] for n in chosen])
    # the others may read what has been computed
    _check(runtime.read_now(*ours), theirs)


@few
@given(recipe=recipes, seed=st.integers(0, 99))
def test_gradients(recipe, seed: int) -> None:
    arrays = _leaves(seed)
    ours = [tg.tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]
    for T, leaves in ((tg, ours), (torch, theirs)):
        made = _grow(T, leaves, recipe)
        sum((v.sin().sum() for v in made[-4:]), start=(made[len(SHAPES)] * 0).sum() if len(made) > 5 else 0).backward()
    kept = [n for n, leaf in enumerate(theirs) if leaf.grad is not None]
    assert kept == [n for n, leaf in enumerate(ours) if leaf.grad is not None]
    _check(runtime.read_now(*(ours[n].grad for n in kept)), [theirs[n].grad for n in kept])


def _step(T: Any, states: list[Any], inputs: list[Any], recipe, writes) -> list[Any]:
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


in_steps = given(recipe=recipes, seed=st.integers(0, 99), writes=st.lists(st.integers(0, 9), min_size=1, max_size=4))


@few
@in_steps
def test_writes_in_place(recipe, seed: int, writes: list[int]) -> None:
    arrays = _leaves(seed)
    ours, theirs = [tg.tensor(a) for a in arrays], [torch.tensor(a, dtype=torch.float64) for a in arrays]
    runtime.read_now(*(t * 1 for t in ours))  # so that they lie on the device
    inputs = _leaves(seed + 1)
    for _ in range(2):
        mine = _step(tg, ours, [tg.tensor(a) for a in inputs], recipe, writes)
        other = _step(torch, theirs, [torch.tensor(a, dtype=torch.float64) for a in inputs], recipe, writes)
        _check(runtime.read_now(*mine[::2], *ours), [*other[::2], *theirs])
        _check(runtime.read_now(*mine), other)


@few
@in_steps
def test_writes_in_a_compiled_step(recipe, seed: int, writes: list[int]) -> None:
    arrays = _leaves(seed)
    ours, theirs = [tg.tensor(a) for a in arrays], [torch.tensor(a, dtype=torch.float64) for a in arrays]

    @tg.compile
    def step(*inputs: tg.Tensor) -> list[tg.Tensor]:
        return [v + 0.0 * v for v in _step(tg, ours, list(inputs), recipe, writes)] or [inputs[0] * 1.0]

    kept = []
    for turn in range(3):
        inputs = _leaves(seed + turn)
        expected = _step(torch, theirs, [torch.tensor(a, dtype=torch.float64) for a in inputs], recipe, writes)
        results = step(*map(tg.tensor, inputs))
        kept.append((results, expected or [torch.tensor(inputs[0])]))
        _check(runtime.read_now(*ours), theirs)
    for results, expected in kept:  # no run wrote over an earlier one's results
        _check(runtime.read_now(*results), expected)
