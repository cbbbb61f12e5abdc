"""A profile over Dawn: one interval for each dispatch, the same losses, nothing left behind."""

from __future__ import annotations

from typing import Any

import pytest

from node.one_python import OnePython


@pytest.fixture(scope="module")
def report(one_python: OnePython) -> dict[str, Any]:
    return one_python.run("profile_in_node.py").json()


def test_losses_are_those_of_plain_steps(report: dict[str, Any]) -> None:
    assert report["profiled"] == report["plain"]


def test_each_dispatch_has_an_interval(report: dict[str, Any]) -> None:
    assert len(report["intervals"]) == 3
    end = 0
    for run in report["intervals"]:
        assert [n for n, _, _ in run] == list(range(report["dispatches"]))
        for _, begin_ns, end_ns in run:
            assert end <= begin_ns <= end_ns
            end = end_ns
    assert end > 0


def test_a_profiled_step_is_one_submit(report: dict[str, Any]) -> None:
    during = report["during"]
    assert during["submits"] == 3  # two steps, one read of both
    assert during["dispatches"] == 2 * report["dispatches"]
    assert during["pipelines_created"] == during["layouts_created"] == 0


def test_afterwards_steps_are_as_before(report: dict[str, Any]) -> None:
    after = report["after"]
    created = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created", "bytes_allocated")
    assert {name: after[name] for name in created} == dict.fromkeys(created, 0)
    assert after["submits"] == 4  # two steps, each read
    assert after["crossings"] == 4


def test_trace_and_timeline_name_the_kernels(report: dict[str, Any]) -> None:
    kernels = [e["name"] for e in report["trace"] if e.get("cat") == "kernel"]
    assert kernels == 3 * report["labels"]
    assert report["measures"]
    assert sorted(report["measures"]) == sorted(f"tabgrad:kernel {label}" for label in kernels)
    assert all(flops >= 0 for flops in report["details"])
    assert "3 × step: " in report["table"]
