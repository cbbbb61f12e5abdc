"""The workloads at small size, today's on each device: PyTorch's losses, and the same bits in every run."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import tabgrad as tg
from daily import of_today
from tabgrad.devices import Device
from workloads import SMALL, Workload, training_step

DAYS = 5  # within which each workload has run on each device
STEPS = 200
FEW_STEPS = 20  # of NumPy, whose order of summation nothing changes and which takes ten times as long


def losses(workload: Workload, steps: int) -> np.ndarray:
    """Of the first steps, all read at the end."""
    step = training_step(workload)
    batches = [tuple(map(tg.tensor, b)) for b in workload.batches()]
    found = [step(*batches[n % len(batches)]) for n in range(steps)]
    return np.stack(asyncio.run(tg.read(*found)))


RUNS = [
    pytest.param(workload, kind, id=f"{kind}-{workload.name}", marks=[pytest.mark.native] if kind == "native" else [])
    for kind in ("native", "reference")
    for workload in of_today(f"workloads, {kind}", SMALL, DAYS)
]


@pytest.mark.parametrize(("workload", "device"), RUNS, indirect=["device"])
def test_runs_are_equal_to_the_bit_and_pytorchs(workload: Workload, device: Device) -> None:
    steps = FEW_STEPS if device.name == "reference" else STEPS
    first, second = losses(workload, steps), losses(workload, steps)
    assert first.size == steps
    np.testing.assert_array_equal(first.view(np.uint32), second.view(np.uint32))
    for step, expected in workload.losses.items():
        assert first[step - 1] == pytest.approx(expected, rel=workload.loss_rtol)
