"""Every op's forward and gradient, on every device, against PyTorch."""

from __future__ import annotations

import pytest

from device.op_cases import OP_CASES, OpCase
from device.oracle import check_op
from tabgrad.devices import Device


@pytest.mark.parametrize("case", OP_CASES, ids=lambda case: case.name)
def test_op_matches_pytorch(case: OpCase, device: Device) -> None:
    check_op(case, device.name)
