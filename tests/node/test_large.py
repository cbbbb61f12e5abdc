"""Tensors larger than a binding on Dawn: op cases against PyTorch, losses of training. One run of Node for all."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

import workloads
from device.op_cases.run import unpack
from device.oracle import compare
from device.small_bindings import LARGE_CASES
from node.harness import run_here
from paths import BUILD


def test_what_is_computed_in_parts_matches_pytorch() -> None:
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # below the checkout, which Node shows to the script
        file = Path(folder) / "outcomes.npz"
        said = run_here("large_in_node.py", file).json()
        found = unpack(file.read_bytes())
    assert said["device"] == "web"
    assert not said["failures"], "\n\n".join(said["failures"].values())
    assert all(said["splits"].values()), said["splits"]
    for case in LARGE_CASES:
        compare(case, found[case.name], "web")
    for workload in (workloads.SMALL_MLP, workloads.SMALL_CNN, workloads.SMALL_GPT_SMALL):
        for step, loss in workload.losses.items():
            assert said["losses"][workload.name][step - 1] == pytest.approx(loss, rel=workload.loss_rtol)
