"""The page's curves hold a bounded number of points, however long a run is."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from typing import Any

import pytest

from node.harness import HERE, TIMEOUT_S, prepared


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    done = subprocess.run([prepared(), HERE / "curves.mjs"], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    curves: dict[str, Any] = json.loads(done.stdout)
    return curves


def test_a_short_run_is_shown_point_by_point(found: dict[str, Any]) -> None:
    assert found["short"]["steps"] == list(range(1, 1001))


@pytest.mark.parametrize("kind", ["long", "often"])
def test_a_long_run_is_thinned_evenly_and_keeps_its_first_and_newest_points(found: dict[str, Any], kind: str) -> None:
    curve, most = found[kind], found["MOST_POINTS"]
    assert 2000 <= most <= 4000
    assert curve["most"] <= most
    assert len(curve["steps"]) > most / 4
    assert (curve["steps"][0], curve["steps"][-1]) == (1, 300_000)
    assert curve["training"] == pytest.approx([1 / step for step in curve["steps"]])
    gaps = [b - a for a, b in pairwise(curve["steps"])]
    assert max(gaps) <= 2 * 300_000 / len(gaps)


def test_validations_are_kept_while_they_are_few(found: dict[str, Any]) -> None:
    assert found["long"]["validated"] == 10
