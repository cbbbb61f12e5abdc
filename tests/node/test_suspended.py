"""Python suspended amid a call (``item()``, ``run_sync``): the tasks that run meanwhile have their own state."""

from __future__ import annotations

from typing import Any

import pytest

from node.one_python import OnePython


@pytest.fixture(scope="module")
def report(one_python: OnePython) -> dict[str, Any]:
    report = one_python.run("suspended_in_node.py").json()
    assert report["device"] == "web"
    return report


def test_grad_mode_is_the_tasks_own(report: dict[str, Any]) -> None:
    assert report["modes"] == {"others": [[True, True]] * 3, "mine": [False, False], "value": 3.0, "after": True}


def test_others_may_not_compute_amid_a_recording(report: dict[str, Any]) -> None:
    (error,) = report["recording"]["errors"]
    assert "got an operation of another task while 'step' was being recorded" in error
    assert report["recording"]["result"] == 3.0
    assert report["recording"]["afterwards"] == 6.0
