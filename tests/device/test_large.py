"""Tensors larger than a binding: op cases, attention's random numbers and training steps in parts, on each device."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import tabgrad as tg
from device import test_random_graphs as random_graphs
from device.op_cases import OpCase
from device.oracle import check_op
from device.random_checks import check_attention_dropout_gradients, check_dropout, check_seed
from device.small_bindings import (
    LARGE_WORKLOADS,
    OWN_CASES,
    TRAINING,
    WHOLE_CASES,
    limit_for,
    small_bindings,
)
from device.stacks import large_cases, large_gpu_cases_natively
from tabgrad.devices import Device
from tabgrad.errors import DeviceError
from unit.compiler.recipes import grow, leaves, recipes
from unit.compiler.strict_device import check_program
from workloads import Workload, training_step


def _runs(natively: list[OpCase], on_the_reference: list[OpCase]) -> list[Any]:
    return [
        *(pytest.param(case, "native", id=f"native-{case.name}", marks=pytest.mark.native) for case in natively),
        *(pytest.param(case, "reference", id=f"reference-{case.name}") for case in on_the_reference),
    ]


RUNS = _runs(large_cases("native"), large_cases("reference"))
RUNS_OF_GPUS = _runs(large_gpu_cases_natively(), OWN_CASES)


@pytest.mark.parametrize(("case", "device"), RUNS, indirect=["device"])
def test_op_in_parts_matches_pytorch(case: OpCase, device: Device) -> None:
    with small_bindings(limit_for(case)) as parts:
        check_op(case, device.name)
    for program in parts.programs:
        check_program(program, 8, limit_for(case))
    assert parts.splits


@pytest.mark.parametrize("case", WHOLE_CASES, ids=lambda case: case.name)
def test_what_cannot_be_split_is_refused(case: OpCase, device: Device) -> None:
    most = limit_for(case)
    message = rf"expected tensors of at most {most} bytes on this adapter, or that can be computed in parts, got .* use"
    with small_bindings(most), pytest.raises(DeviceError, match=message):
        check_op(case, device.name)


@pytest.mark.parametrize(("case", "device"), RUNS_OF_GPUS, indirect=["device"])
def test_gpu_kernels_in_parts_match_pytorch(case: OpCase, device: Device) -> None:
    with small_bindings(limit_for(case), software=False) as parts:
        check_op(case, device.name)
    assert parts.splits


@settings(random_graphs.few, max_examples=5)
@given(recipe=recipes, seed=st.integers(0, 99))
def test_random_graphs_in_parts_match_pytorch(device: Device, recipe, seed: int) -> None:
    arrays = leaves(seed, scale=6)
    with small_bindings(2048) as parts:
        ours = [tg.tensor(a, requires_grad=True) for a in arrays]
        theirs = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays]
        for T, start in ((tg, ours), (torch, theirs)):
            sum((v * v).mean() for v in grow(T, start, recipe)[len(arrays) - 2 :]).backward()
        pairs = [(a.grad, b.grad) for a, b in zip(ours, theirs, strict=True) if b.grad is not None]
        found = tg.runtime.read_now(*(a for a, _ in pairs))
    assert parts.splits
    for a, (_, b) in zip(found, pairs, strict=True):
        torch.testing.assert_close(torch.tensor(a).double(), b, **random_graphs.TOLERANCE)


def test_random_numbers_are_the_same_in_parts(device: Device) -> None:
    with small_bindings(8192) as parts:
        asyncio.run(check_seed(tg))
        asyncio.run(check_dropout(tg))
        asyncio.run(check_attention_dropout_gradients(tg))
    assert parts.splits
    tg.manual_seed(5)
    whole = tg.dropout(tg.ones(40, 100), 0.4).numpy()
    with small_bindings(1024):
        tg.manual_seed(5)
        np.testing.assert_array_equal(tg.dropout(tg.ones(40, 100), 0.4).numpy(), whole)


STEPS = 6


def _losses(workload: Workload) -> np.ndarray:
    step = training_step(workload)
    batches = [tuple(map(tg.tensor, b)) for b in workload.batches()]
    found = [step(*batches[n % len(batches)]) for n in range(STEPS)]
    return np.stack(asyncio.run(tg.read(*found)))


@pytest.mark.parametrize("workload", LARGE_WORKLOADS, ids=lambda w: w.name)
def test_training_in_parts_gives_the_same_losses(workload: Workload, device: Device) -> None:
    whole = _losses(workload)
    with small_bindings(TRAINING) as parts:
        first, second = _losses(workload), _losses(workload)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, whole, rtol=1e-4)
    for step, expected in workload.losses.items():
        assert first[step - 1] == pytest.approx(expected, rel=workload.loss_rtol)
    assert parts.splits
