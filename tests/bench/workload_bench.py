"""Benchmark of a training step: forward, loss, backward and update, on four batches in turn that lie on the device."""

from __future__ import annotations

import math
from typing import Any

import tabgrad as tg
import workloads
from bench import blocks

LOSSES = 5


async def bench(workload: workloads.Workload, effort: blocks.Effort, *, plain: bool = False) -> dict[str, Any]:
    """One report: the first step, then blocks of steps that are each ended by reading the last loss.

    Args:
        plain: the step is not compiled: Python runs it each time.
    """
    step = workloads.plain_step(tg, workload) if plain else workloads.training_step(workload)
    # a clone is computed, so it lies on the device; a tensor of host data would be uploaded by each step
    batches = [tuple(tg.tensor(a).clone().realize() for a in batch) for batch in workload.batches()]

    def call(n: int) -> tg.Tensor:
        return step(*batches[n % len(batches)])

    loss, first_step_ms = await blocks.first(lambda: call(0), tg.Tensor.read)
    losses = [float(loss)]
    for n in range(1, LOSSES):
        losses.append(float(await call(n).read()))
    timing = await blocks.measure(call, tg.Tensor.read, effort)
    return {
        "kind": "workload",
        "name": f"plain {workload.name}" if plain else workload.name,
        "ms_per_step": round(timing.median_ms, 3),
        "spread_ms": [round(min(timing.ms), 3), round(max(timing.ms), 3)],
        "first_step_ms": round(first_step_ms, 1),
        "dispatches": round(timing.counters["dispatches"], 3),
        **timing.report(),
        "losses": {str(n): round(losses[n - 1], 5) for n in workload.losses},
        "check": _verdict(workload, losses),
    }


def beside(plain: dict[str, Any], compiled: dict[str, Any]) -> dict[str, Any]:
    """The report of a plain loop, with what the compiled step takes."""
    return {
        **plain,
        "kind": "plain",
        "compiled_ms": compiled["ms_per_step"],
        "compiled_host_ms": compiled["host_ms"],
        "ratio": round(plain["ms_per_step"] / compiled["ms_per_step"], 2),
        "check": plain["check"] if plain["check"] != "ok" else compiled["check"],
    }


def _verdict(workload: workloads.Workload, losses: list[float]) -> str:
    wrong = [
        f"loss {n}: expected {expected:.5f}, got {losses[n - 1]:.5f}"
        for n, expected in workload.losses.items()
        if not math.isclose(losses[n - 1], expected, rel_tol=workload.loss_rtol)
    ]
    return "; ".join(wrong) or "ok"


def find(name: str, scale: str) -> workloads.Workload:
    """A workload by name, in one of the scales."""
    table = workloads.WORKLOADS if scale == "full" else workloads.SMALL
    return next(w for w in table if w.name == name)


def series(name: str, scale: str) -> tuple[workloads.Workload, ...]:
    """The workloads of a series, in one of the scales."""
    assert name == "scale", name
    return workloads.SCALE if scale == "full" else workloads.SMALL_SCALE
