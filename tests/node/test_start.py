"""The Python that starts from the snapshot: NumPy's libraries, those that are loaded later, and sources."""

from __future__ import annotations

import json

import numpy as np
import pytest

from node.harness import HERE, prepared, run_in_node
from paths import BUNDLE


@pytest.fixture(scope="module")
def reports() -> list[dict]:
    return [run_in_node("--device", "web", HERE / "start_in_node.py").json() for _ in range(2)]


def test_numpy_computes_with_libraries_of_the_snapshot(reports: list[dict]) -> None:
    assert reports[0]["product"] == [[3.0, 3.0], [12.0, 12.0]]
    assert reports[0]["inverse"] == [[0.5, 0.0], [0.0, 0.25]]


def test_a_library_of_the_snapshot_can_be_opened_again(reports: list[dict]) -> None:
    assert reports[0]["again"]


def test_numpy_loads_other_libraries_when_they_are_needed(reports: list[dict]) -> None:
    assert reports[0]["fft"] == [4.0, 0.0, 0.0, 0.0]
    assert reports[0]["draw"] == np.random.default_rng(0).integers(10, size=3).tolist()


def test_sources_are_there_for_tracebacks(reports: list[dict]) -> None:
    assert reports[0]["source"] == "def initial_seed(self) -> int:"


def test_files_can_be_written_and_removed_beside_those_of_the_packages(reports: list[dict]) -> None:
    assert reports[0]["written"] == [7, True, False, "0o100666"]


def test_random_numbers_of_python_differ_from_start_to_start(reports: list[dict]) -> None:
    assert reports[0]["random"] != reports[1]["random"]


def test_nothing_is_downloaded_twice() -> None:
    prepared()
    manifest = json.loads((BUNDLE / "manifest.json").read_text())
    paths = [file["path"] for file in manifest["files"]]
    named = [manifest["packagesPath"], manifest["snapshotPath"], *(each["file"] for each in manifest["libraries"])]
    assert sorted(p for p in paths if not p.startswith(manifest["indexPath"])) == sorted(named)
