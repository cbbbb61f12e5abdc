"""Benchmark of a cold start: the first training step of a process, the tenth, and those after ten seconds.

Steps begin with kernels that compile fast; the others follow in the background, and none is measured by the tuner.
Drivers keep compiled kernels from run to run: ``run.py`` and a packed folder's ``bench.sh`` give them an empty folder.
"""

from __future__ import annotations

import math
import statistics
import time
from typing import Any

import tabgrad as tg
import workloads
from bench import blocks

SETTLE_S = {"full": 10.0, "small": 0.05}


async def bench(workload: workloads.Workload, scale: str, *, plain: bool) -> dict[str, Any]:
    """One report: ms of single steps, each from its call to its loss on the host.

    Args:
        plain: steps of a plain loop, as PyTorch's tutorials write it, instead of a compiled one.
    """
    tg.tuning("background", budget_s=0)
    step = workloads.plain_step(tg, workload) if plain else workloads.training_step(workload)
    batches = [tuple(tg.tensor(a).clone().realize() for a in batch) for batch in workload.batches()]
    await tg.current_session().device.fence()
    device, count, losses = tg.current_session().device, 0, []

    async def one() -> float:
        nonlocal count
        loss, ms = await blocks.first(lambda: step(*batches[count % len(batches)]), tg.Tensor.read)
        count += 1
        losses.append(float(loss))
        return ms

    first = await one()
    tenth = [await one() for _ in range(11)][-5:]  # those around it
    end = time.perf_counter() + SETTLE_S[scale]
    while time.perf_counter() < end:
        await one()
    last = [await one() for _ in range(9)]
    return {
        "kind": "cold",
        "name": f"cold{' plain' if plain else ''} {workload.name}",
        "first_step_ms": round(first, 1),
        "tenth_ms": round(statistics.median(tenth), 3),
        "last_ms": round(statistics.median(last), 3),
        "steps": count,
        "pipelines": device.counters.snapshot()["pipelines_created"],
        "check": "ok" if all(map(math.isfinite, losses)) and losses[-1] < losses[0] else f"losses {losses[:3]} ...",
    }
