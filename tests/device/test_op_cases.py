"""Every op's forward and gradient, on every device, against PyTorch; attention natively by turns."""

from __future__ import annotations

import pytest

from device.op_cases import OP_CASES, OpCase
from device.oracle import check_op
from device.stacks import native_op_cases
from tabgrad.devices import Device

RUNS = [
    *(pytest.param(case, "reference", id=f"reference-{case.name}") for case in OP_CASES),
    *(pytest.param(case, "native", id=f"native-{case.name}", marks=pytest.mark.native) for case in native_op_cases()),
]


@pytest.mark.parametrize(("case", "device"), RUNS, indirect=["device"])
def test_op_matches_pytorch(case: OpCase, device: Device) -> None:
    check_op(case, device.name)
