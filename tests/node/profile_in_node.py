"""Runs in Pyodide over Dawn: the same steps with and without a profile; prints what the test judges."""

import json

import numpy as np
from js import performance

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.nn import functional as F

device = tg.current_session().device
rng = np.random.default_rng(0)
inputs = rng.standard_normal((32, 6)).astype(np.float32)
labels = rng.integers(0, 4, 32)


def make():
    tg.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 4))
    optimizer = optim.Adam(model.parameters(), lr=1e-2)

    @tg.compile
    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


async def losses(step, numbers):
    found = []
    for n in numbers:
        part = slice(n % 4 * 8, n % 4 * 8 + 8)
        found.append(float(await step(tg.tensor(inputs[part]), tg.tensor(labels[part])).read()))
    return found


def grown(before):
    return {name: n - before[name] for name, n in device.counters.snapshot().items()}


plain = await losses(make(), range(8))
step = make()
await losses(step, range(2))
async with tg.profile() as prof:
    await losses(step, range(2))
before = device.counters.snapshot()
async with tg.profile() as prof:
    for _ in range(2):
        step(tg.tensor(inputs[:8]), tg.tensor(labels[:8]))
during = grown(before)
step = make()
profiled = await losses(step, range(3))
async with tg.profile() as prof:
    profiled += await losses(step, range(3, 6))
before = device.counters.snapshot()
profiled += await losses(step, range(6, 8))
measures = [e for e in performance.getEntriesByType("measure").to_py() if e.name.startswith("tabgrad:kernel ")]

print(
    json.dumps(
        {
            "plain": plain,
            "profiled": profiled,
            "dispatches": len(step.recordings[0].compiled.program.dispatches),
            "labels": [d.label for d in step.recordings[0].compiled.program.dispatches],
            "intervals": [[list(i) for i in run.intervals] for run in prof.runs],
            "during": during,
            "after": grown(before),
            "table": prof.table(),
            "trace": prof.chrome_trace()["traceEvents"],
            "measures": [e.name for e in measures],
            "details": [e.detail.flops for e in measures],
        }
    )
)
