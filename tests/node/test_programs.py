"""Well-known programs of PyTorch's, as they are, give PyTorch's losses in Node over Dawn."""

from __future__ import annotations

import json
from typing import Any

import pytest

from node.harness import run_in_node
from programs import oracle, under_tabgrad

NAMES = oracle.of_today("node")


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> dict[str, dict[str, Any]]:
    """PyTorch's losses of the programs that are asked for, and ours."""
    asked = {item.callspec.id for item in request.session.items if hasattr(item, "callspec")}
    wanted = [name for name in NAMES if name in asked]
    folder = tmp_path_factory.mktemp("weights")
    expected = oracle.expected(wanted, folder)
    options = ("--device", "web", "--tuning", "off", "--as-torch")
    found = {}
    for group in oracle.groups(wanted):
        done = run_in_node(*options, under_tabgrad.__file__, "web", folder, *group, cwd=folder, is_short=False)
        assert done.status == 0, done.stderr
        found |= {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    return {name: {**found[name], "expected": expected[name]} for name in wanted}


@pytest.mark.parametrize("name", NAMES)
def test_program_gives_pytorchs_losses(
    name: str, outcomes: dict[str, dict[str, Any]], record_property: oracle.Record
) -> None:
    oracle.check(name, "node", outcomes[name], outcomes[name]["expected"], record_property)
