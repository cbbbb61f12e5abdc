"""Today's sample of ops on infinities, NaN and zeros among ordinary numbers, in shapes that the table does not have."""

from __future__ import annotations

import random

import pytest

from daily import daily_random
from device.op_cases.case import OpCase, case, exact
from device.op_cases.special import BINARY, OF_TENSORS, REDUCTIONS, UNARY
from device.oracle import check_op
from tabgrad.devices import Device

_SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0]
_SAMPLES = 16


def _number(rng: random.Random) -> float:
    return rng.choice(_SPECIAL) if rng.random() < 0.4 else round(rng.uniform(-4, 4), 3)


def _matrix(rng: random.Random, rows: int, columns: int) -> list[list[float]]:
    return [[_number(rng) for _ in range(columns)] for _ in range(rows)]


def _sample(number: int) -> OpCase:
    """One op on a matrix: alone, with a row or a column, with a number, or along its rows."""
    rng = daily_random(f"special values {number}")
    rows, columns = rng.randint(1, 9), rng.choice([1, 4, 7, 64, 130])
    x = exact(_matrix(rng, rows, columns))
    kind = rng.choice(["unary", "tensors", "number", "rows"])
    table = {"unary": UNARY, "tensors": OF_TENSORS, "number": BINARY, "rows": REDUCTIONS}[kind]
    name = rng.choice(sorted(set(table) - {"gelu"}))  # PyTorch's vectorised gelu makes NaN of infinity
    label = f"{kind} {name} [{rows}, {columns}]"
    options = {"grad": False, "single": True, "rtol": 1e-3}
    fn = table[name]
    if kind == "tensors":
        other = _matrix(rng, *rng.choice([(rows, columns), (1, columns), (rows, 1)]))
        return case(label, lambda T, F, a, b: fn(T, a, b), x, exact(other), **options)
    if kind == "number":
        v, left = _number(rng), rng.random() < 0.5
        return case(f"{label} {v} {left}", lambda T, F, a: fn(T, v, a) if left else fn(T, a, v), x, **options)
    return case(label, fn, x, **options)


@pytest.mark.parametrize("number", range(_SAMPLES))
def test_op_matches_pytorch(number: int, device: Device) -> None:
    check_op(_sample(number), device.name)
