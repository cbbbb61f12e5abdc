"""In Node, too, a program's first steps run on kernels that compile fast, and later ones on those that run fast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from node.one_python import OnePython


@pytest.fixture(scope="module")
def report(one_python: OnePython) -> dict[str, Any]:
    return one_python.run("quick_in_node.py").json()


def test_with_tuning_off_programs_begin_with_what_runs_fast(report: dict[str, Any]) -> None:
    assert report["off"]["expected"] == report["off"]["replaced"] == 0


@pytest.mark.parametrize("loop", ["waits", "never waits"])
def test_fast_kernels_replace_quick_ones(report: dict[str, Any], loop: str) -> None:
    found = report[loop]
    assert found["quick"] >= 4
    assert found["expected"] >= 4
    assert found["replaced"] == found["quick"]
    assert found["final"]
    np.testing.assert_allclose(found["losses"], report["off"]["losses"], rtol=1e-3)
    assert found["losses"][-1] < found["losses"][0]
