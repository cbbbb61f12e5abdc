"""Well-known programs of PyTorch's, as they are, give PyTorch's losses where ``import torch`` means tabgrad."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import tabgrad
from programs import oracle, under_tabgrad

CASES = [(where, name) for where in ("reference", "native") for name in oracle.of_today(where)]
Outcomes = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Outcomes:
    """PyTorch's losses of the programs that are asked for, and ours."""
    asked = {item.callspec.id for item in request.session.items if hasattr(item, "callspec")}
    cases = [(where, name) for where, name in CASES if f"{where}-{name}" in asked]
    folder = tmp_path_factory.mktemp("weights")
    expected = oracle.expected(sorted({name for _, name in cases}), folder)
    found: Outcomes = {}
    for where in dict.fromkeys(where for where, _ in cases):
        for group in oracle.groups([name for on, name in cases if on == where]):
            for line in _run(where, folder, group):
                found[where, line["name"]] = {**line, "expected": expected[line["name"]]}
    return found


def _run(where: str, folder: Path, wanted: Sequence[str]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, under_tabgrad.__file__, where, folder, *wanted],
        env={**os.environ, "PYTHONPATH": str(Path(tabgrad.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("where", "name"), CASES, ids=["-".join(case) for case in CASES])
def test_program_gives_pytorchs_losses(
    where: str, name: str, outcomes: Outcomes, record_property: oracle.Record
) -> None:
    outcome = outcomes[where, name]
    oracle.check(name, where, outcome, outcome["expected"], record_property)
