"""Tensors larger than a binding on Dawn, today's: op cases against PyTorch, losses of training."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from device.op_cases.run import unpack
from device.oracle import compare
from device.stacks import large_cases, large_workloads_in_node
from node.one_python import OnePython
from paths import BUILD


def test_what_is_computed_in_parts_matches_pytorch(one_python: OnePython) -> None:
    cases, workloads = large_cases("node"), large_workloads_in_node()
    with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # below the checkout, which Node shows to the script
        chosen, file = Path(folder) / "chosen.json", Path(folder) / "outcomes.npz"
        chosen.write_text(json.dumps([*(c.name for c in cases), *(w.name for w in workloads)]))
        said = one_python.run("large_in_node.py", file, chosen).json()
        found = unpack(file.read_bytes())
    assert said["device"] == "web"
    assert not said["failures"], "\n\n".join(said["failures"].values())
    assert set(said["splits"]) == {*(c.name for c in cases), *(w.name for w in workloads)}
    assert all(said["splits"].values()), said["splits"]
    for case in cases:
        compare(case, found[case.name], "web")
    for workload in workloads:
        for step, loss in workload.losses.items():
            assert said["losses"][workload.name][step - 1] == pytest.approx(loss, rel=workload.loss_rtol)
