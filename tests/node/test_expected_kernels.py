"""Kernels that are compiled while Python starts: exactly those of the last run, or of an example as it was built."""

from __future__ import annotations

import asyncio
import json
import subprocess
from typing import Any

import pytest

import website
from node.harness import HERE, TIMEOUT_S, prepared
from paths import WEB
from sessions import session_on
from tabgrad.command_line.script_graphs import graphs_of, programs_of

EXAMPLE = "digits.py"


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    node = prepared()
    script = (WEB / "examples" / EXAMPLE).read_text()
    with session_on("reference"):
        graphs = asyncio.run(graphs_of(script, EXAMPLE, []))
        (program, *_) = programs_of(graphs, target="software")
    given = {
        "example": {"script": script, "program": program.program.to_json(instructions=False)},
        "examples": json.loads(website.example_kernels().read_text()),
    }
    done = subprocess.run(
        [node, HERE / "expected_kernels.mjs"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


ALL_BEFORE = {"before": 3, "after": 0, "error": None}
NONE_BEFORE = {"before": 0, "after": 3, "error": None}


def test_an_example_finds_the_kernels_that_were_built_for_its_adapter(report: dict[str, Any]) -> None:
    found = report["built"]
    assert found["before"] + found["after"] > 20
    assert found["before" if report["kind"] == "gpu" else "after"] == 0
    assert report["changed"] == NONE_BEFORE


def test_a_second_visit_finds_the_kernels_of_the_first(report: dict[str, Any]) -> None:
    assert report["nothing"] == NONE_BEFORE
    assert report["again"] == ALL_BEFORE
    assert report["writesOfTheSame"] == 0


@pytest.mark.parametrize("other", ["otherScript", "otherEdition", "otherAdapter"])
def test_nothing_is_expected_of(report: dict[str, Any], other: str) -> None:
    assert report[other] == NONE_BEFORE


def test_a_kernel_that_the_tuner_swapped_in_is_expected_in_place_of_the_first(report: dict[str, Any]) -> None:
    assert report["keepsSwapped"]
    assert not report["keepsReplaced"]


def test_a_run_that_is_over_keeps_nothing(report: dict[str, Any]) -> None:
    assert not report["keptWithoutPrograms"]


@pytest.mark.parametrize("damage", ["no JSON", "no list", "no entries", "no WGSL"])
def test_damaged_texts_leave_everything_to_the_program(report: dict[str, Any], damage: str) -> None:
    found = report["damaged"][damage]
    assert (found["after"], found["error"], found["kept"]) == (3, None, 3)


def test_what_is_kept_is_bounded(report: dict[str, Any]) -> None:
    assert report["scripts"] == [f"script {i}" for i in reversed(range(4, 12))]
    assert report["characters"] <= 2_000_000
