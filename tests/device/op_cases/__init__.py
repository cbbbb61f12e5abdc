"""The table of op cases that every device runs, compared with PyTorch; see :mod:`device.op_cases.case`."""

from device.op_cases import (
    attention,
    composed,
    contractions,
    elementwise,
    functions,
    in_place,
    in_place_gradients,
    losses,
    narrow,
    reductions,
    scans,
    scatters,
    sorts,
    special,
    user_ops,
    views,
)
from device.op_cases.case import OpCase, cotangent, evaluate

OP_CASES: list[OpCase] = [
    *elementwise.CASES,
    *functions.CASES,
    *reductions.CASES,
    *contractions.CASES,
    *views.CASES,
    *narrow.CASES,
    *in_place.CASES,
    *in_place_gradients.CASES,
    *losses.CASES,
    *attention.CASES,
    *composed.CASES,
    *special.CASES,
    *scatters.CASES,
    *sorts.CASES,
    *scans.CASES,
    *user_ops.CASES,
]
BY_NAME: dict[str, OpCase] = {case.name: case for case in OP_CASES}
assert len(BY_NAME) == len(OP_CASES), "case names are unique"

__all__ = ["BY_NAME", "OP_CASES", "OpCase", "cotangent", "evaluate"]
