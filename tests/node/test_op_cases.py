"""Every op's forward and gradient on Dawn, against PyTorch: one run of Node for all cases, and one for GPUs' kernels,
of the cases that do not run natively so today.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from device.op_cases import OP_CASES
from device.op_cases.run import unpack
from device.oracle import wrong_outcomes
from device.stacks import gpu_op_cases
from node.harness import run_here
from paths import BUILD


@pytest.mark.parametrize("variants", ["", "gpu"])
def test_op_cases_match_pytorch(variants: str) -> None:
    cases = gpu_op_cases(in_node=True) if variants else OP_CASES
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # below the checkout, which Node shows to the script
        chosen, file = Path(folder) / "chosen.json", Path(folder) / "outcomes.npz"
        chosen.write_text(json.dumps([case.name for case in cases]))
        said = run_here("op_cases_in_node.py", file, chosen, *variants.split()).json()
        found = unpack(file.read_bytes())
    assert said["device"] == "web"
    assert said["cases"] == len(cases)
    wrong = wrong_outcomes({c.name: c for c in cases}, found, said["failures"], "web")
    assert not wrong, f"{len(wrong)} of {len(cases)} cases\n" + "\n\n".join(f"{k}: {v}" for k, v in wrong.items())
