"""The workloads: losses as PyTorch's, few dispatches, the same bits each time, nothing made after the first step."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import tabgrad as tg
from daily import of_today
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from unit.compiler.strict_device import check_program
from workloads import CNN, GPT_SMALL, MLP, SMALL, WORKLOADS, Workload, initial, mulberry, plain_step, training_step

STEPS = 5
each = pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: w.name)
each_small = pytest.mark.parametrize("workload", SMALL, ids=lambda w: w.name)
with_images = pytest.mark.parametrize("workload", [w for w in SMALL if "gpt" not in w.name], ids=lambda w: w.name)
with_text = pytest.mark.parametrize("workload", [w for w in SMALL if "gpt" in w.name], ids=lambda w: w.name)


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
        start = workload.parameters[name]
        assert value.shape == start.shape
        assert value.dtype == np.float32
        assert abs(value - start.centre).max() <= np.float32(start.bound)
        if start.bound:
            assert abs(value.mean() - start.centre) < 5 * start.bound / math.sqrt(3 * value.size)


@with_images
def test_labels_name_the_bright_rows(workload: Workload) -> None:
    for images, labels in workload.batches(32):
        side = math.isqrt(images[0].size // (3 if images[0].size % 3 == 0 else 1))
        rows = images.reshape(32, -1, side, side).mean((1, 3))
        band = np.arange(side) * 10 // side
        assert [int(band[r.argmax()]) for r in rows] == labels.tolist()


@with_text
def test_text_obeys_its_rule_in_85_percent(workload: Workload) -> None:
    for tokens, following in workload.batches(64):
        following = following.reshape(tokens.shape)
        np.testing.assert_array_equal(tokens[:, 1:], following[:, :-1])
        assert {tokens.min(), following.min()} == {0} and {tokens.max(), following.max()} == {64}
        obeyed = ((tokens * 7 + 3) % 65 == following).mean()
        expected = 0.85 + 0.15 / 65
        assert abs(obeyed - expected) < 5 * math.sqrt(expected * (1 - expected) / tokens.size)


def test_models_have_as_many_parameters_as_they_should() -> None:
    """A layer left out or of another size would show here first."""
    counts = {w.name: sum(math.prod(s.shape) for s in w.parameters.values()) for w in WORKLOADS}
    assert counts["resnet18"] == 11_173_962  # of torchvision's 11,689,512: other stem, other head
    width, layers, context = 384, 6, 256
    block = 12 * width * width + 13 * width
    assert counts["gpt-base"] == layers * block + 2 * width + (2 * 65 + context) * width


@each_small
def test_small_losses_are_pytorchs(workload: Workload) -> None:
    ours, theirs = training_step(workload), plain_step(torch, workload)
    batches = workload.batches()
    for n in range(STEPS):
        x, y = batches[n % len(batches)]
        found = ours(tg.tensor(x), tg.tensor(y)).item()
        assert found == pytest.approx(theirs(torch.tensor(x), torch.tensor(y)).item(), rel=2e-5)
        assert found == pytest.approx(workload.losses.get(n + 1, found), rel=workload.loss_rtol)


@pytest.mark.parametrize("workload", of_today("losses at full size", [MLP, CNN, GPT_SMALL], 3), ids=lambda w: w.name)
def test_losses_are_pytorchs(workload: Workload) -> None:
    step = training_step(workload)
    data = [(tg.tensor(x), tg.tensor(y)) for x, y in workload.batches()]
    found = {n: step(*data[(n - 1) % len(data)]).item() for n in range(1, STEPS + 1)}
    for n, expected in workload.losses.items():
        # the table has five decimals; sums in another order differ in the last of them
        assert found[n] == pytest.approx(expected, abs=2e-5)


ADAPTERS = {
    "gpu": Target(limits=Limits(), software=False, renders=True),
    "software": Target(limits=Limits(), software=True, renders=True),
    "gpu, 10 bindings": Target(limits=Limits(max_storage_buffers=10), software=False, renders=True),
}


@each
def test_a_step_has_few_dispatches(workload: Workload) -> None:
    x, y = workload.batches()[0]
    recorded = training_step(workload).record(tg.tensor(x), tg.tensor(y))
    for adapter, target in ADAPTERS.items():
        program = compile_graph(recorded.linear, target).program
        assert len(program.dispatches) <= workload.max_dispatches, adapter
        check_program(program, target.limits.max_storage_buffers)
        for d in program.dispatches:
            assert all(1 <= n <= target.limits.max_workgroups for n in d.workgroups), (adapter, d.label)
        assert all(source.count("fn main(") == 1 for source in program.shaders)


def test_operations_are_counted() -> None:
    """Three products of a linear layer and its two gradients are nearly all the work of the mlp."""
    x, y = MLP.batches(8)[0]
    recorded = training_step(MLP).record(tg.tensor(x), tg.tensor(y))
    program = compile_graph(recorded.linear, ADAPTERS["gpu"]).program
    products = 2 * 8 * (3 * (784 * 512 + 512 * 256 + 256 * 10) - 784 * 512)  # the images need no gradient
    total = sum(d.flops for d in program.dispatches)
    parameters = sum(math.prod(start.shape) for start in MLP.parameters.values())
    assert products <= total <= products + 40 * parameters  # Adam and the rest


@each_small
def test_steady_state_makes_nothing(workload: Workload) -> None:
    step = training_step(workload)
    data = workload.batches()
    counters = tg.current_session().device.counters
    step(*map(tg.tensor, data[0]))
    before = counters.snapshot()
    for n in range(5):
        step(*map(tg.tensor, data[n % 4]))
    after = counters.snapshot()
    made = {name: after[name] - before[name] for name in after if after[name] != before[name]}
    uploaded = sum(a.size * 4 for a in data[0])
    program = step.record(*map(tg.tensor, data[0])).compiled.program
    assert made == {"submits": 5, "dispatches": 5 * len(program.dispatches), "bytes_uploaded": 5 * uploaded}
