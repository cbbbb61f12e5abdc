"""The op's case on the reference device, forward and gradient, and its kernel for a GPU."""

import tabgrad as tg
from device.op_cases import BY_NAME
from device.oracle import check_op

check_op(BY_NAME["absolute_difference"], "reference")
assert (tg.ones(2).absolute_difference(tg.zeros(2)) > 0.99).all()
step = tg.compile(lambda a, b: tg.absolute_difference(a, b))
assert "distance(" in next(iter(tg.explain(step, tg.ones(2), tg.zeros(2), target="gpu").shaders))
