"""Runs that wait for a common submit: the same results, in order, with fewer submits."""

from __future__ import annotations

from typing import Any

import pytest

from node.harness import HERE, run_in_node


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return run_in_node("--device", "web", HERE / "deferred_in_node.py").json()


@pytest.mark.parametrize("name", ["small", "large", "written", "read", "breath"])
def test_results_are_those_of_runs_that_are_submitted_at_once(report: dict[str, Any], name: str) -> None:
    at_once, deferred = report[f"{name} False"], report[f"{name} True"]
    for what in ("total", "sums", "dispatches", "bytes"):
        assert deferred[what] == at_once[what], what
    assert any(at_once["total"])


def test_small_runs_share_submits_until_something_waits(report: dict[str, Any]) -> None:
    at_once, deferred = report["small False"], report["small True"]
    assert at_once["submits"] == at_once["submits_early"] == 40
    assert (deferred["submits_early"], deferred["submits"]) == (0, 1)


def test_runs_with_much_data_are_submitted_at_once(report: dict[str, Any]) -> None:
    assert report["large True"]["submits_early"] == 40


@pytest.mark.parametrize("name", ["written", "read", "breath"])
def test_what_waits_reads_or_writes_submits_first(report: dict[str, Any], name: str) -> None:
    assert report[f"{name} True"]["submits"] == (3 if name == "read" else 2)  # a read is a submit itself
