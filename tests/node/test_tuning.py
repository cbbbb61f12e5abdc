"""Tuning in Pyodide over Dawn, and the file in which Node keeps what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from daily import of_today
from device import tuner_checks as checks
from node.harness import HERE, run_in_node
from node.one_python import OnePython

WAYS = of_today("bad candidates in node", ["one by one", "hurried"], 2)


@pytest.fixture(scope="module")
def report(one_python: OnePython) -> dict[str, Any]:
    return one_python.run("tuning_in_node.py", *WAYS).json()


def test_bad_candidates_are_rejected_and_the_run_goes_on(report: dict[str, Any]) -> None:
    assert len(report["bad"]) == len(WAYS) > 0
    for beside in report["bad"]:
        checks.check_bad_candidates(beside)


def test_second_start_measures_nothing(report: dict[str, Any]) -> None:
    checks.check_second_start(report["second"])


def test_memory_is_what_it_is_without_tuning(report: dict[str, Any]) -> None:
    assert report["allocated"]["background"] == report["allocated"]["off"]
    assert report["left"] == 0


def test_winners_are_kept_in_a_file_for_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABGRAD_CACHE", str(tmp_path))
    options = ("--device", "web", "--tuning", "background:60")
    first = run_in_node(*options, HERE / "tuned_fit.py", is_short=False)
    reported = first.json()
    assert reported["setting"] == "background"
    assert reported["measured"] > 0
    # the first step is reported before anything is measured
    assert reported["seen"].index("metrics") < reported["seen"].index("measuring")
    held = json.loads((tmp_path / "tuning.json").read_text())
    (entry,) = held["adapters"].values()
    assert len(entry["winners"]) == reported["measured"]
    assert "tuned" in first.stderr
    epochs = 1 + reported["steps"] // 4  # the second run has as much time as the first one took
    second = run_in_node(*options, HERE / "tuned_fit.py", str(epochs), is_short=False).json()
    assert second["steps"] >= reported["steps"]
    assert second["measured"] == 0
    assert set(second["bench"].values()) == {0}


def test_before_measures_before_the_first_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABGRAD_CACHE", str(tmp_path))
    (tmp_path / "tuning.json").write_text("{ damaged")
    outcome = run_in_node("--device", "web", "--tuning", "before", HERE / "tuned_fit.py", is_short=False)
    seen = outcome.json()["seen"]
    assert "measuring" in seen
    assert "metrics" not in seen[: seen.index("done")]
    assert "measured again" in outcome.stderr


def test_unknown_tuning_is_refused() -> None:
    outcome = run_in_node("--tuning", "always", HERE / "tuned_fit.py")
    assert outcome.status == 2
    assert "--tuning: expected off, background or before" in outcome.stderr
