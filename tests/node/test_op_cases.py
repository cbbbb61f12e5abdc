"""Every op's forward and gradient on Dawn, against PyTorch: one run of Node for all cases."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from device.op_cases import OP_CASES
from device.op_cases.run import unpack
from device.oracle import wrong_outcomes
from node.harness import run_here
from paths import BUILD


@pytest.mark.parametrize("variants", ["", "gpu"])
def test_all_op_cases_match_pytorch(variants: str) -> None:
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # below the checkout, which Node shows to the script
        file = Path(folder) / "outcomes.npz"
        said = run_here("op_cases_in_node.py", file, *variants.split()).json()
        found = unpack(file.read_bytes())
    assert said["device"] == "web"
    assert said["cases"] == len(OP_CASES)
    wrong = wrong_outcomes({c.name: c for c in OP_CASES}, found, said["failures"], "web")
    assert not wrong, f"{len(wrong)} of {len(OP_CASES)} cases\n" + "\n\n".join(f"{k}: {v}" for k, v in wrong.items())
