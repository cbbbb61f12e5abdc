"""Tensors larger than a binding: op cases, attention's random numbers and training steps in parts, on each device."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from device.op_cases import OpCase
from device.oracle import check_function, check_op
from device.random_checks import check_attention_dropout_gradients, check_dropout, check_seed
from device.small_bindings import LARGE_CASES, WHOLE_CASES, limit_for, small_bindings
from tabgrad.devices import Device
from tabgrad.errors import DeviceError
from unit.compiler.strict_device import check_program
from workloads import SMALL_CNN, SMALL_GPT_SMALL, SMALL_MLP, Workload, training_step


@pytest.mark.parametrize("case", LARGE_CASES, ids=lambda case: case.name)
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


def _depthwise(T: Any, F: Any, x: Any, w: Any) -> Any:
    return F.conv2d(x, w, padding=1, groups=3).relu()


def _strided(T: Any, F: Any, x: Any, w: Any, b: Any) -> Any:
    return F.avg_pool2d(F.conv2d(x, w, b, stride=2, padding=1).tanh(), 2)


def _channels(T: Any, F: Any, x: Any, w: Any) -> Any:
    return F.conv2d(x, w)  # one image is larger than a binding: sums over channels fall into parts


def _transposed(T: Any, F: Any, x: Any, w: Any) -> Any:
    return F.conv_transpose2d(x, w, stride=2)


def _attention(T: Any, F: Any, q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def _lookups(T: Any, F: Any, table: Any) -> Any:
    index = T.tensor(np.arange(90) * 37 % 101)
    return F.embedding(index, table) * 2 + table[index]


def _batch_norm(T: Any, F: Any, x: Any) -> Any:
    mean, var = x.mean((0, 2), keepdim=True), x.var((0, 2), keepdim=True, correction=0)
    return (x - mean) / (var + 1e-5).sqrt()


FUNCTIONS = [
    (_depthwise, 2048, [(9, 3, 8, 9), (3, 1, 3, 3)]),
    (_strided, 2048, [(9, 2, 12, 9), (5, 2, 3, 3), (5,)]),
    (_channels, 1024, [(2, 7, 10, 10), (3, 7, 3, 3)]),
    (_transposed, 2048, [(6, 3, 7, 7), (3, 4, 2, 2)]),
    (_attention, 2048, [(5, 2, 9, 8), (5, 2, 11, 8), (5, 2, 11, 6)]),
    (_lookups, 1024, [(101, 7)]),
    (_batch_norm, 1024, [(20, 3, 30)]),
]


@pytest.mark.parametrize("software", [True, False], ids=["software", "gpu"])
@pytest.mark.parametrize(("function", "most", "shapes"), FUNCTIONS, ids=lambda value: getattr(value, "__name__", ""))
def test_functions_in_parts_match_pytorch(
    function: Any, most: int, shapes: list[tuple[int, ...]], software: bool, device: Device
) -> None:
    rng = np.random.default_rng(0)
    arrays = [np.asarray(rng.uniform(-1, 1, shape), np.float32) for shape in shapes]
    with small_bindings(most, software=software) as parts:
        check_function(function, *arrays, device=device.name, atol=5e-5)
    assert parts.splits


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


@pytest.mark.parametrize("workload", [SMALL_MLP, SMALL_CNN, SMALL_GPT_SMALL], ids=lambda w: w.name)
def test_training_in_parts_gives_the_same_losses(workload: Workload, device: Device) -> None:
    whole = _losses(workload)
    with small_bindings(16384) as parts:
        first, second = _losses(workload), _losses(workload)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(first, whole, rtol=1e-4)
    for step, expected in workload.losses.items():
        assert first[step - 1] == pytest.approx(expected, rel=workload.loss_rtol)
    assert parts.splits
