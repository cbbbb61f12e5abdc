"""The workloads ``mlp`` and ``cnn``: losses as PyTorch's, few dispatches, and nothing made after the first step."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tabgrad as tg
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from unit.compiler.strict_device import check_program
from workloads import CNN, MLP, WORKLOADS, Workload, batches, initial, mulberry, training_step

each = pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: w.name)


def test_numbers_are_mulberrys() -> None:
    # the generator's plain form, one number after another
    state, expected = 12345, []
    for _ in range(5):
        state = (state + 0x6D2B79F5) % 2**32
        t = (state ^ state >> 15) * (state | 1) % 2**32
        t ^= (t + (t ^ t >> 7) * (t | 61) % 2**32) % 2**32
        expected.append((t ^ t >> 14) / 2**32)
    np.testing.assert_array_equal(mulberry(12345, 5), np.float32(expected))


@each
def test_start_is_spread_as_the_table_says(workload: Workload) -> None:
    for name, value in initial(workload).items():
        shape, bound = workload.parameters[name]
        assert value.shape == shape
        assert value.dtype == np.float32
        assert abs(value).max() <= np.float32(bound)
        if bound:
            assert abs(value.mean()) < 5 * bound / math.sqrt(3 * value.size)


@each
def test_labels_name_the_bright_rows(workload: Workload) -> None:
    for images, labels in batches(workload, 32):
        rows = images.reshape(32, 28, 28).mean(2)
        band = np.arange(28) * 10 // 28
        assert [int(band[r.argmax()]) for r in rows] == labels.tolist()


@each
def test_losses_are_pytorchs(workload: Workload) -> None:
    step = training_step(workload)
    data = [(tg.tensor(x), tg.tensor(y)) for x, y in batches(workload)]
    found = {n: step(*data[(n - 1) % len(data)]).item() for n in range(1, 6)}
    for n, expected in workload.losses.items():
        # the table has five decimals; sums in another order differ in the last of them
        assert found[n] == pytest.approx(expected, abs=2e-5)


ADAPTERS = {
    "gpu": Target(limits=Limits(), software=False, renders=True),
    "software": Target(limits=Limits(), software=True, renders=True),
    "gpu, 10 bindings": Target(limits=Limits(max_storage_buffers=10), software=False, renders=True),
}


@each
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_step_has_few_dispatches(workload: Workload, adapter: str) -> None:
    target = ADAPTERS[adapter]
    x, y = batches(workload)[0]
    recorded = training_step(workload).record(tg.tensor(x), tg.tensor(y))
    program = compile_graph(recorded.linear, target).program
    assert len(program.dispatches) <= workload.max_dispatches
    check_program(program, target.limits.max_storage_buffers)
    for d in program.dispatches:
        assert all(1 <= n <= target.limits.max_workgroups for n in d.workgroups), d.label
    assert all(source.count("fn main(") == 1 for source in program.shaders)


def test_operations_are_counted() -> None:
    """Three products of a linear layer and its two gradients are nearly all the work of the mlp."""
    x, y = batches(MLP, 8)[0]
    recorded = training_step(MLP).record(tg.tensor(x), tg.tensor(y))
    program = compile_graph(recorded.linear, ADAPTERS["gpu"]).program
    products = 2 * 8 * (3 * (784 * 512 + 512 * 256 + 256 * 10) - 784 * 512)  # the images need no gradient
    total = sum(d.flops for d in program.dispatches)
    parameters = sum(math.prod(shape) for shape, _ in MLP.parameters.values())
    assert products <= total <= products + 40 * parameters  # Adam and the rest


@pytest.mark.parametrize("workload", [MLP, CNN], ids=lambda w: w.name)
def test_steady_state_makes_nothing(workload: Workload) -> None:
    size = 4
    step = training_step(workload)
    data = batches(workload, size)
    counters = tg.device().counters
    step(*map(tg.tensor, data[0]))
    before = counters.snapshot()
    for n in range(5):
        step(*map(tg.tensor, data[n % 4]))
    after = counters.snapshot()
    made = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    uploaded = sum(a.size * 4 for a in data[0])
    program = step.record(*map(tg.tensor, data[0])).compiled.program
    assert made == {"submits": 5, "dispatches": 5 * len(program.dispatches), "bytes_uploaded": 5 * uploaded}
