"""The device by its name: in a session, in the command's list, and among those that the cases run on."""

import tabgrad as tg
from device.conftest import _KINDS
from device.op_cases import BY_NAME
from device.oracle import check_op
from tabgrad.devices import KINDS

assert "counting" in KINDS
assert "counting" in [kind.values[0] for kind in _KINDS]
with tg.Session("counting") as session:
    check_op(BY_NAME["softmax"], "counting")
    assert session.device.runs
