"""Benchmark of training steps: the mlp and the cnn, one JSON line each.

    node web/node/run.mjs tests/bench/steps.py [mlp cnn]
    tabgrad train tests/bench/steps.py --device native

A step is forward, loss, backward and update, on four batches in turn that lie on the device. After the first
step and five of warm-up, blocks of steps are timed, each ended by reading its last loss; the median is reported.
"""

import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
import workloads

WARM_UP, BLOCKS = 5, 5


async def bench(workload: workloads.Workload) -> dict:
    device = tg.device()
    compiled = workloads.training_step(workload)
    batches = [tuple(tg.tensor(a).realize() for a in batch) for batch in workload.batches()]
    start = time.perf_counter()
    losses = [float(await compiled(*batches[0]).read())]
    first_step_ms = (time.perf_counter() - start) * 1000
    for i in range(1, 1 + WARM_UP):
        losses.append(float(await compiled(*batches[i % 4]).read()))
    start = time.perf_counter()
    await compiled(*batches[0]).read()
    steps = max(4, min(100, int(1.0 / (time.perf_counter() - start))))
    before = device.counters.snapshot()
    times, host = [], []
    for _ in range(BLOCKS):
        start, host_s = time.perf_counter(), 0.0
        for i in range(steps):
            called = time.perf_counter()
            loss = compiled(*batches[i % 4])
            host_s += time.perf_counter() - called
        await loss.read()
        elapsed = time.perf_counter() - start
        times.append(elapsed * 1000 / steps)
        host.append(host_s / elapsed)
    after = device.counters.snapshot()
    per_step = {k: (after[k] - before[k]) / (steps * BLOCKS) for k in after}
    created = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created")
    return {
        "workload": workload.name,
        "device": device.name,
        "adapter": device.info.name,
        "ms_per_step": round(statistics.median(times), 3),
        "spread_ms": [round(min(times), 3), round(max(times), 3)],
        "host_share": round(statistics.median(host), 3),
        "host_ms": round(statistics.median(h * t for h, t in zip(host, times, strict=True)), 3),
        "first_step_ms": round(first_step_ms, 1),
        "dispatches": per_step["dispatches"],
        "submits": round(per_step["submits"] - BLOCKS / (steps * BLOCKS), 3),  # less the reads' own
        "objects_created": sum(per_step[k] for k in created),
        "crossings": round(per_step["crossings"], 2),
        "gpu_bytes": after["bytes_allocated"],
        "loss_1": round(losses[0], 5),
        "loss_5": round(losses[4], 5),
        "blocks": BLOCKS,
        "steps_per_block": steps,
    }


names = sys.argv[1:] or [w.name for w in workloads.WORKLOADS]
for workload in workloads.WORKLOADS:
    if workload.name in names:
        print(json.dumps(await bench(workload)), flush=True)
