"""Today's op cases on Dawn, forward and gradient, against PyTorch: as its adapter compiles them, and as GPUs do."""

from __future__ import annotations

import pytest

from device.stacks import gpu_op_cases, node_op_cases
from node.cases_in_node import check_in_node
from node.one_python import OnePython


@pytest.mark.parametrize("variants", ["", "gpu"])
def test_op_cases_match_pytorch(variants: str, one_python: OnePython) -> None:
    cases = gpu_op_cases(in_node=True) if variants else node_op_cases()
    check_in_node(one_python, "op_cases_in_node.py", {case.name: case for case in cases}, *variants.split())
