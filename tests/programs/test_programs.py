"""Well-known programs of PyTorch's, as they are, give PyTorch's losses where ``import torch`` means tabgrad."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad
from programs import running

_TOLERANCES = {
    "dcgan": 3e-3,
    "efficientnet": 2e-3,
    "nerf": 1e-3,
}  # relative, after ten steps in float32; Adam's first steps divide by noise


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> dict[str, dict[str, Any]]:
    """PyTorch's losses of the programs that are asked for, and ours, all of one process."""
    wanted = [n for n in running.names() if any(f"[{n}]" in item.name for item in request.session.items)]
    folder = tmp_path_factory.mktemp("weights")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    expected = {name: running.run(torch, name, folder, saves=True) for name in wanted}
    torch.set_num_threads(threads)
    done = subprocess.run(
        [sys.executable, running.__file__, str(folder), *wanted],
        env={"PYTHONPATH": str(Path(tabgrad.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    return {name: {**found[name], "expected": expected[name]} for name in wanted}


@pytest.mark.parametrize("name", running.names())
def test_program_gives_pytorchs_losses(name: str, outcomes: dict[str, dict[str, Any]]) -> None:
    outcome = outcomes[name]
    error = outcome.get("error", "")
    assert not error, outcome["traceback"]
    assert len(set(outcome["expected"])) >= running.STEPS // 2, "losses that change"
    np.testing.assert_allclose(outcome["losses"], outcome["expected"], rtol=_TOLERANCES.get(name, 3e-4), atol=1e-6)
