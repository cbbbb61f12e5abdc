"""Random graphs, compiled for an adapter with few bindings, against PyTorch: values, gradients and writes in place.

Fusion, scheduling, the memory plan and the order of writes are all at work; see :class:`StrictDevice`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tabgrad as tg
from daily import examples_of_today
from sessions import session_on
from tabgrad import runtime
from unit.compiler.recipes import SHAPES, grow, leaves, recipes, writes_of
from unit.compiler.recipes import step as take_step
from unit.compiler.strict_device import StrictDevice

few = settings(max_examples=60, deadline=None, derandomize=True, database=None)
DAYS = 4  # within which all examples have run

RTOL, ATOL = 2e-4, 2e-4  # float32 against float64; values are kept near 1, graphs have at most 14 ops


@pytest.fixture(scope="module", params=[(4, "numpy"), (8, "numpy"), (8, "gpu")], ids=str, autouse=True)
def strict(request: pytest.FixtureRequest) -> Iterator[StrictDevice]:
    device = StrictDevice(*request.param)
    with session_on(device):
        yield device


def _check(ours: list[np.ndarray], theirs: list[torch.Tensor]) -> None:
    for found, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(found, expected.detach().numpy(), rtol=RTOL, atol=ATOL)


@few
@given(recipe=recipes, seed=st.integers(0, 99), wanted=st.sets(st.integers(0, 30), min_size=1))
@examples_of_today(DAYS)
def test_values(recipe, seed: int, wanted: set[int]) -> None:
    arrays = leaves(seed)
    ours = grow(tg, [tg.tensor(a) for a in arrays], recipe)
    theirs = grow(torch, [torch.tensor(a, dtype=torch.float64) for a in arrays], recipe)
    chosen = sorted({n % len(ours) for n in wanted})
    _check(runtime.read_now(*(ours[n] for n in chosen)), [theirs[n] for n in chosen])
    # the others may read what has been computed
    _check(runtime.read_now(*ours), theirs)


@few
@given(recipe=recipes, seed=st.integers(0, 99))
@examples_of_today(DAYS)
def test_gradients(recipe, seed: int) -> None:
    arrays = leaves(seed)
    ours = [tg.tensor(a, requires_grad=True) for a in arrays]
    theirs = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]
    for T, start in ((tg, ours), (torch, theirs)):
        made = grow(T, start, recipe)
        sum((v.sin().sum() for v in made[-4:]), start=(made[len(SHAPES)] * 0).sum() if len(made) > 5 else 0).backward()
    kept = [n for n, leaf in enumerate(theirs) if leaf.grad is not None]
    assert kept == [n for n, leaf in enumerate(ours) if leaf.grad is not None]
    _check(runtime.read_now(*(ours[n].grad for n in kept)), [theirs[n].grad for n in kept])


in_steps = given(recipe=recipes, seed=st.integers(0, 99), writes=writes_of)


@few
@in_steps
@examples_of_today(DAYS)
def test_writes_in_place(recipe, seed: int, writes: list[int]) -> None:
    arrays = leaves(seed)
    ours, theirs = [tg.tensor(a) for a in arrays], [torch.tensor(a, dtype=torch.float64) for a in arrays]
    runtime.read_now(*(t * 1 for t in ours))  # so that they lie on the device
    inputs = leaves(seed + 1)
    for _ in range(2):
        mine = take_step(tg, ours, [tg.tensor(a) for a in inputs], recipe, writes)
        other = take_step(torch, theirs, [torch.tensor(a, dtype=torch.float64) for a in inputs], recipe, writes)
        _check(runtime.read_now(*mine[::2], *ours), [*other[::2], *theirs])
        _check(runtime.read_now(*mine), other)


@few
@in_steps
@examples_of_today(DAYS)
def test_writes_in_a_compiled_step(recipe, seed: int, writes: list[int]) -> None:
    arrays = leaves(seed)
    ours, theirs = [tg.tensor(a) for a in arrays], [torch.tensor(a, dtype=torch.float64) for a in arrays]

    @tg.compile
    def step(*inputs: tg.Tensor) -> list[tg.Tensor]:
        return [v + 0.0 * v for v in take_step(tg, ours, list(inputs), recipe, writes)] or [inputs[0] * 1.0]

    kept = []
    for turn in range(3):
        inputs = leaves(seed + turn)
        expected = take_step(torch, theirs, [torch.tensor(a, dtype=torch.float64) for a in inputs], recipe, writes)
        results = step(*map(tg.tensor, inputs))
        kept.append((results, expected or [torch.tensor(inputs[0])]))
        _check(runtime.read_now(*ours), theirs)
    for results, expected in kept:  # no run wrote over an earlier one's results
        _check(runtime.read_now(*results), expected)
