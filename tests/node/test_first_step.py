"""A compiled step that is called without having been made ready: on a GPU its kernels are compiled side by side."""

from __future__ import annotations

from typing import Any

import pytest

from node.one_python import OnePython


@pytest.fixture(scope="module")
def report(one_python: OnePython) -> dict[str, Any]:
    return one_python.run("first_step_in_node.py").json()


def test_others_run_while_a_gpus_kernels_are_compiled(report: dict[str, Any]) -> None:
    assert report["gpu"]["kernels"] > 1
    assert report["gpu"]["turns"][:2] == ["one calls", "other calls"]


def test_nobody_runs_in_between_on_a_software_adapter(report: dict[str, Any]) -> None:
    assert report["software"]["turns"] == ["one calls", "one has called", "other calls", "other has called"]


def test_plain_loops_wait_side_by_side_on_a_gpu(report: dict[str, Any]) -> None:
    plain = report["gpu"]["plain"]
    assert plain["turns"] == ["one begins", "other begins"]
    for losses in plain["losses"]:
        assert losses == pytest.approx(report["software"]["plain"]["losses"][0], rel=1e-5)
    assert plain["followed"] > 20  # calls of the loop that ran alone
    assert report["software"]["plain"]["turns"] == ["one begins", "one has trained"]


def test_both_calls_train(report: dict[str, Any]) -> None:
    first, second = sorted(report["software"]["losses"], reverse=True)
    assert second < first
    assert sorted(report["gpu"]["losses"], reverse=True) == pytest.approx([first, second], rel=1e-5)  # other tiles
