"""The workloads' steps are as short as they must be, and their losses PyTorch's: those of today."""

from __future__ import annotations

import math
from typing import Any

import pytest

import workloads
from daily import of_today
from node.one_python import OnePython

DAYS = 5
TODAY = of_today("workloads in node", [w.name for w in workloads.WORKLOADS], DAYS)


def of_names(table: tuple[workloads.Workload, ...]) -> list[workloads.Workload]:
    return [workload for workload in table if workload.name in TODAY]


@pytest.fixture(scope="module")
def report(one_python: OnePython) -> dict[str, Any]:
    return one_python.run("workloads_in_node.py", *TODAY).json()


@pytest.mark.parametrize("workload", of_names(workloads.WORKLOADS), ids=lambda workload: workload.name)
def test_step_has_few_dispatches(workload: workloads.Workload, report: dict[str, Any]) -> None:
    assert 0 < report["dispatches"][workload.name] <= workload.max_dispatches


@pytest.mark.parametrize("workload", of_names(workloads.SMALL), ids=lambda workload: workload.name)
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


def test_both_tables_have_the_same_workloads() -> None:
    assert [w.name for w in workloads.SMALL] == [w.name for w in workloads.WORKLOADS]
