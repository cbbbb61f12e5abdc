"""The kernels that only GPUs get, in every tile of the search space, on Dawn and against PyTorch."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from device.op_cases.run import unpack
from device.oracle import wrong_outcomes
from device.tile_cases import GROUPS
from node.harness import run_here
from paths import BUILD


@pytest.mark.parametrize("group", GROUPS)
def test_tiles_match_pytorch(group: str) -> None:
    cases = GROUPS[group]
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # below the checkout, which Node shows to the script
        file = Path(folder) / "outcomes.npz"
        said = run_here("tiles_in_node.py", file, group).json()
        found = unpack(file.read_bytes())
    assert said["device"] == "web"
    assert said["cases"] == len(cases)
    wrong = wrong_outcomes({c.name: c.case for c in cases}, found, said["failures"], "web")
    assert not wrong, f"{len(wrong)} of {len(cases)} cases\n" + "\n\n".join(f"{k}: {v}" for k, v in wrong.items())
