"""Comparison of a candidate's output with the incumbent's: equal up to the rounding of reordered sums."""

from __future__ import annotations

import math

import numpy as np

from tabgrad.compiler.work import Work
from tabgrad.graph.op import Heavy
from tabgrad.program import Instruction

_EPSILON = 2.0**-24
_SLACK = 32.0  # allows for rounding in sums, and for an epilogue that amplifies it
_FLIPS = 1e-4  # fraction of booleans from compared sums that rounding may change


def terms(work: Work) -> int:
    """The number of terms in the sum of each output; 1 for an elementwise kernel."""
    steps = work.instructions
    return max([1, *(_terms(s, [steps[a].shape for a in s.args]) for s in steps)])


def _terms(step: Instruction, args: list[tuple[int, ...]]) -> int:
    lowering = step.op.lowering
    return lowering.terms(step.attrs, step.shape, *args) if isinstance(lowering, Heavy) else 1


def tolerance(count: int) -> float:
    """Relative to an output's largest magnitude; rounding errors grow with the square root of the number of terms."""
    return _SLACK * _EPSILON * math.sqrt(count)


def difference(expected: np.ndarray, got: np.ndarray, dtype: str, count: int) -> str | None:
    """The difference between ``got`` and ``expected``, in words; None if they agree.

    Args:
        expected, got: the same elements, in storage form.
        dtype: of the elements; integers must be equal.
        count: number of terms of each output.
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
