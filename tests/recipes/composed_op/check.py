"""The op's case on the reference device, forward and gradient."""

from device.op_cases import BY_NAME
from device.oracle import check_op

check_op(BY_NAME["softsign"], "reference")
