"""Run op cases on whichever tabgrad device is selected; for pytest and for the Node harness."""

from __future__ import annotations

import io
import traceback
from collections.abc import Iterable
from typing import Any

import numpy as np

from device.op_cases.case import OpCase, evaluate
from tabgrad.nn import functional


async def outcome(tg: Any, case: OpCase) -> dict[str, np.ndarray]:
    """Outputs and gradients of a case, read in one transaction; absent gradients are left out."""
    values = evaluate(case, tg, functional, lambda array, grad: tg.tensor(array, requires_grad=grad))
    present = {name: value for name, value in values.items() if value is not None}
    arrays = await tg.read(*(value.detach() for value in present.values()))
    return dict(zip(present, arrays, strict=True))


async def outcomes(tg: Any, cases: Iterable[OpCase]) -> tuple[bytes, dict[str, str]]:
    """All outcomes as one npz file of ``case/value`` arrays, and tracebacks by the names of failed cases."""
    found: dict[str, dict[str, np.ndarray]] = {}
    failures: dict[str, str] = {}
    for case in cases:
        try:
            found[case.name] = await outcome(tg, case)
        except Exception:  # noqa: BLE001 - reported by name; the other cases must still run
            failures[case.name] = traceback.format_exc(limit=-6)
    return pack(found), failures


def pack(found: dict[str, dict[str, np.ndarray]]) -> bytes:
    """Arrays by case and value as one npz file."""
    arrays = {f"{case}/{name}": array for case, values in found.items() for name, array in values.items()}
    file = io.BytesIO()
    np.savez(file, **{str(i): array for i, array in enumerate(arrays.values())}, names=np.array(list(arrays)))
    return file.getvalue()


def unpack(data: bytes) -> dict[str, dict[str, np.ndarray]]:
    """The arrays that :func:`pack` made a file of."""
    found: dict[str, dict[str, np.ndarray]] = {}
    with np.load(io.BytesIO(data)) as file:
        for i, name in enumerate(file["names"]):
            case, value = str(name).rsplit("/", 1)
            found.setdefault(case, {})[value] = file[str(i)]
    return found
