"""A few random graphs on each device, with writes in place, against PyTorch: whole shaders, as fusion makes them."""

from __future__ import annotations

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tabgrad as tg
from tabgrad.devices import Device
from unit.compiler.recipes import SHAPES, grow, leaves, recipes, step, writes_of

few = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # a device serves all examples
)

TOLERANCE = {
    "rtol": 1e-2,
    "atol": 1e-2,
}  # WGSL allows sin and cos an error of 2**-11 each, and several follow each other


def _check(ours: list[tg.Tensor], theirs: list[torch.Tensor]) -> None:
    for found, expected in zip(tg.runtime.read_now(*(t.detach() for t in ours)), theirs, strict=True):
        torch.testing.assert_close(torch.tensor(found).double(), expected.detach(), **TOLERANCE)


def check_gradients(recipe: list[tuple[int, int, int]], seed: int) -> None:
    ours = [tg.tensor(a, requires_grad=True) for a in leaves(seed)]
    theirs = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in leaves(seed)]
    for T, start in ((tg, ours), (torch, theirs)):
        sum((v * v).sum() for v in grow(T, start, recipe)[len(SHAPES) - 2 :]).backward()
    pairs = [(a.grad, b.grad) for a, b in zip(ours, theirs, strict=True) if b.grad is not None]
    _check([a for a, _ in pairs], [b for _, b in pairs])


def check_writes(recipe: list[tuple[int, int, int]], seed: int, writes: list[int]) -> None:
    ours = [tg.tensor(a) for a in leaves(seed)]
    theirs = [torch.tensor(a, dtype=torch.float64) for a in leaves(seed)]
    compiled = tg.compile(
        lambda *inputs: [v + 1 for v in step(tg, ours, list(inputs), recipe, writes)] or inputs[0] + 1
    )
    for turn in range(2):
        inputs = leaves(seed + turn)
        expected = step(torch, theirs, [torch.tensor(a, dtype=torch.float64) for a in inputs], recipe, writes)
        results = compiled(*map(tg.tensor, inputs))
        _check(ours, theirs)
        if expected:
            _check(results, [v + 1 for v in expected])


@few
@given(recipe=recipes, seed=st.integers(0, 99))
def test_gradients(device: Device, recipe, seed: int) -> None:
    check_gradients(recipe, seed)


@few
@given(recipe=recipes, seed=st.integers(0, 99), writes=writes_of)
def test_writes_in_a_compiled_step(device: Device, recipe, seed: int, writes: list[int]) -> None:
    check_writes(recipe, seed, writes)
