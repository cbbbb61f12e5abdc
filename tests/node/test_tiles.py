"""The kernels that only GPUs get, on Dawn and against PyTorch: today's share."""

from __future__ import annotations

import pytest

from device.stacks import tile_cases
from device.tile_cases import GROUPS
from node.cases_in_node import check_in_node
from node.one_python import OnePython


@pytest.mark.parametrize("group", GROUPS)
def test_tiles_match_pytorch(group: str, one_python: OnePython) -> None:
    cases = {case.name: case.case for case in tile_cases(group, in_node=True)}
    check_in_node(one_python, "tiles_in_node.py", cases, group)
