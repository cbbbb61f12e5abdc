"""The workloads' steps are as short as they must be, and their losses PyTorch's."""

from __future__ import annotations

import math
from typing import Any

import pytest

import workloads
from node.harness import run_here


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return run_here("workloads_in_node.py").json()


@pytest.mark.parametrize("workload", workloads.WORKLOADS, ids=lambda workload: workload.name)
def test_step_has_few_dispatches(workload: workloads.Workload, report: dict[str, Any]) -> None:
    assert 0 < report["dispatches"][workload.name] <= workload.max_dispatches


@pytest.mark.parametrize("workload", workloads.SMALL, ids=lambda workload: workload.name)
def test_small_losses_are_pytorchs_and_equal_to_the_bit(workload: workloads.Workload, report: dict[str, Any]) -> None:
    first, second = report["small"][workload.name]
    for step, loss in workload.losses.items():
        assert first[step - 1] == pytest.approx(loss, rel=workload.loss_rtol)
    assert len(first) == 40
    assert all(map(math.isfinite, first))
    assert first == second


def test_mlp_losses_are_pytorchs(report: dict[str, Any]) -> None:
    for step, loss in workloads.MLP.losses.items():
        assert report["mlp"][step - 1] == pytest.approx(loss, rel=1e-4)
