"""The op's case on the reference device, forward and gradient, and its kernel for a GPU."""

import tabgrad as tg
from device.op_cases import BY_NAME
from device.oracle import check_op

check_op(BY_NAME["atan2"], "reference")
assert (tg.ones(2).atan2(tg.ones(2)) > 0.78).all()
step = tg.compile(lambda y, x: tg.atan2(y, x))
assert "atan2(" in next(iter(tg.explain(step, tg.ones(2), tg.ones(2), target="gpu").shaders))
