"""Once a step is compiled, running it creates nothing: the executor's counters over 500 steps."""

from __future__ import annotations

from typing import Any

import pytest

from node.one_python import OnePython

CREATED = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created", "bytes_allocated")


@pytest.fixture(scope="module")
def report(one_python: OnePython) -> dict[str, Any]:
    return one_python.run("steady_state_in_node.py").json()


def grown(counted: dict[str, dict[str, int]]) -> dict[str, int]:
    return {name: counted["after"][name] - counted["before"][name] for name in counted["after"]}


def test_compiled_step_is_one_submit_and_creates_nothing(report: dict[str, Any]) -> None:
    steps, more = report["steps"], grown(report["compiled"])
    assert steps == 500
    assert {name: more[name] for name in CREATED} == dict.fromkeys(CREATED, 0)
    assert more["submits"] == steps
    assert more["crossings"] <= 2 * steps
    assert more["maps"] == 0


def test_trainer_adds_its_reads_and_creates_nothing(report: dict[str, Any]) -> None:
    steps, more = report["steps"], grown(report["trainer"])
    assert {name: more[name] for name in CREATED} == dict.fromkeys(CREATED, 0)
    assert more["maps"] <= steps // 2  # metrics are read at a bounded rate, not at each step
    assert more["submits"] <= steps + more["maps"]  # steps may share one
    assert more["dispatches"] % steps == 0
    # a run; a fence and a breath where steps take longer than a turn; now and then a read, and an epoch's order
    assert more["crossings"] <= 3 * steps + more["maps"] + steps // 8 + 1
    # one for a breath, two where a mark is waited for; a read's take four, and its job's
    assert more["callbacks"] <= 3 * steps + 8 * more["maps"] + 8
    # the scalars, and at each of the epochs' beginnings the order of 64 samples; no batch of 8 x 6 numbers and 8 labels
    assert more["bytes_uploaded"] < steps * 64 + 4 * 64 * (steps // 8 + 1)
