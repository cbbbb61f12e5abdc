"""Whether a candidate computes what the incumbent computes: equal up to the rounding of reordered sums."""

from __future__ import annotations

import math

import numpy as np

from tabgrad.compiler.work import Work
from tabgrad.graph.op import OPS, Kind
from tabgrad.program import Instruction

_EPSILON = 2.0**-24
_SLACK = 32.0  # a sum's rounding errors, and what an epilogue makes of them
_FLIPS = 1e-4  # of booleans that compare sums, which rounding may turn over
_UNKNOWN = 4096  # terms assumed of a heavy op that is not listed


def terms(work: Work) -> int:
    """How many terms each output of a kernel sums; 1 for an elementwise kernel."""
    steps = work.instructions
    heavy = [s for s in steps if s.op in OPS and OPS[s.op].kind is Kind.HEAVY]
    return max([1, *(_terms(s, [steps[a].shape for a in s.args]) for s in heavy)])


def _terms(step: Instruction, args: list[tuple[int, ...]]) -> int:
    if step.op == "reduce":
        return math.prod(args[0]) // max(1, math.prod(step.shape))
    if step.op == "matmul":
        return args[0][2]
    if step.op == "conv2d":
        return math.prod(args[1][1:])
    if step.op == "conv2d_input_grad":
        return args[1][0] * math.prod(args[1][2:])
    if step.op == "conv2d_weight_grad":
        return args[0][0] * math.prod(args[0][2:])
    if step.op.startswith("attention"):  # along keys or queries, after sums along the head
        return max(sum(shape[-2:]) for shape in args)
    if "kernel" in step.attrs:
        return math.prod(step.attrs["kernel"])
    return _UNKNOWN


def tolerance(count: int) -> float:
    """Relative to an output's largest magnitude: rounding errors grow with the square root of the terms."""
    return _SLACK * _EPSILON * math.sqrt(count)


def difference(expected: np.ndarray, got: np.ndarray, dtype: str, count: int) -> str | None:
    """What is wrong with ``got``, in words; None if nothing is.

    Args:
        expected, got: the same elements, as they are stored.
        dtype: of the elements; integers must be equal.
        count: terms of each output.
    """
    if dtype != "float32":
        wrong = int((expected != got).sum())
        allowed = _FLIPS * expected.size if dtype == "bool" and count > 1 else 0
        return f"{wrong} of {expected.size} {dtype} elements differ" if wrong > allowed else None
    finite = np.isfinite(expected)
    if not np.array_equal(finite, np.isfinite(got)) or not np.array_equal(
        np.nan_to_num(expected[~finite], nan=0.5), np.nan_to_num(got[~finite], nan=0.5)
    ):
        return "NaN or infinities in other places"
    if not finite.any():
        return None
    a, b = expected[finite].astype(np.float64), got[finite].astype(np.float64)
    magnitude = float(np.abs(a).max())
    error, allowed = float(np.abs(a - b).max()), tolerance(count) * magnitude
    return f"off by {error:.3g}, allowed are {allowed:.3g}" if error > allowed else None
