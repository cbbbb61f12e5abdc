"""Benchmark of one kind of kernel: a compiled step that does the same work many times on data of the device.

A case sees to it that no repetition can be left out, merged with another or begun before the one it follows, as
between the kernels of a training step. The first run and every result are counted in: what is checked at the end
is what all repetitions together have made.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tabgrad as tg
from bench import blocks


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A case with its data on the device."""

    step: Callable[[], Any]
    """Does all repetitions once."""
    error: Callable[[Any, int], Awaitable[float]]
    """(newest result, steps done) -> largest error found, in units of what is allowed."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What is timed, and how much work it is."""

    name: str
    unit: str  # "TFLOP/s" or "GB/s"
    work: int  # floating-point operations, or bytes, of one repetition
    repetitions: int
    prepare: Callable[[], Prepared]


def error(found: np.ndarray, expected: np.ndarray, rtol: float) -> float:
    """The largest difference, in units of ``rtol`` times the root mean square of what is expected; NaN is infinite."""
    worst = float(np.abs(found - expected).max() / np.sqrt(np.mean(expected**2)) / rtol)
    return worst if np.isfinite(worst) else float("inf")


_SCALE = {"TFLOP/s": 1e12, "GB/s": 1e9}


async def bench(case: Case, effort: blocks.Effort) -> dict[str, Any]:
    """One report: a first run, then blocks of runs, each ended by waiting for the device."""
    tg.manual_seed(0)
    device = tg.current_session().device
    prepared = case.prepare()
    done = 0

    def call(_: int = 0) -> Any:
        nonlocal done
        done += 1
        return prepared.step()

    async def finish(_: Any) -> None:
        await device.fence()

    await device.fence()  # the data is there
    _, first_run_ms = await blocks.first(call, finish)
    timing = await blocks.measure(call, finish, effort)
    worst = await prepared.error(call(), done)
    work = case.work * case.repetitions / _SCALE[case.unit]

    def rate(ms: float) -> float:
        return float(f"{work / (ms / 1000):.4g}")

    return {
        "kind": "kernel",
        "name": case.name,
        "unit": case.unit,
        "rate": rate(timing.median_ms),
        "spread": [rate(max(timing.ms)), rate(min(timing.ms))],
        "us_each": round(timing.median_ms * 1000 / case.repetitions, 2),
        "first_run_ms": round(first_run_ms, 1),
        "repetitions": case.repetitions,
        "dispatches": round(timing.counters["dispatches"] / case.repetitions, 3),
        **timing.report(),
        "error": float(f"{worst:.3g}"),
        "check": "ok" if worst <= 1 else f"error is {worst:.3g} of what is allowed",
    }
