"""Every op's forward and gradient on Dawn, against PyTorch: one run of Node for all cases."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from device.gpu_variants import GPU_CASES
from device.op_cases import OP_CASES
from device.op_cases.run import unpack
from device.oracle import compare
from node.harness import run_here
from paths import BUILD


@pytest.mark.parametrize("variants", ["", "gpu"])
def test_all_op_cases_match_pytorch(variants: str) -> None:
    cases = GPU_CASES if variants else OP_CASES
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # below the checkout, which Node shows to the script
        file = Path(folder) / "outcomes.npz"
        said = run_here("op_cases_in_node.py", file, *variants.split()).json()
        found = unpack(file.read_bytes())
    assert said["device"] == "web"
    assert said["cases"] == len(cases)
    wrong: dict[str, str] = dict(said["failures"])
    for case in cases:
        if case.name not in wrong:
            try:
                compare(case, found[case.name], "web")
            except AssertionError as error:
                wrong[case.name] = str(error)
    assert not wrong, f"{len(wrong)} of {len(cases)} cases\n" + "\n\n".join(f"{k}: {v}" for k, v in wrong.items())
