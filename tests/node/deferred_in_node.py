"""Runs in Pyodide over Dawn: runs that wait for one submit compute what runs do that are submitted at once."""

import json

import numpy as np

import tabgrad as tg

device = tg.current_session().device
SIZES = {"small": 64, "large": 40_000}  # of an input: what is collected, and what is written by itself


def step_on(size):
    """Each run needs its own input and its own scalar, and what the run before has left."""
    total, rate = tg.zeros(size), {"now": 0.0}
    total.realize()

    @tg.compile
    def step(x):
        total.mul_(0.5).add_(x * tg.ops.step_scalar(lambda: rate["now"]))
        return total.sum()

    return step, total, rate


async def run(size, deferred, interrupt=None):
    random = np.random.default_rng(0)
    step, total, rate = step_on(size)
    inputs = [random.standard_normal(size).astype(np.float32) for _ in range(40)]
    sums = [step(tg.tensor(inputs[0])) for _ in range(3)]
    await device.fence()
    before = device.counters.snapshot()
    # the last two are kept, so that results lie in the same buffers again and again
    sums = sums[-1:]
    device.defers = deferred
    for n, x in enumerate(inputs):
        rate["now"] = n + 1.0
        sums = [*sums[-1:], step(tg.tensor(x))]
        if interrupt is not None and n == 20:
            await interrupt(total)
    submitted = device.counters.snapshot()
    device.defers = False
    await device.fence()
    after = device.counters.snapshot()
    created = sum(after[k] - before[k] for k in after if k.endswith("_created"))
    return {
        "total": (await total.read()).tolist(),
        "sums": [float(await s.read()) for s in sums],
        "submits_early": submitted["submits"] - before["submits"],
        "submits": after["submits"] - before["submits"],
        "dispatches": after["dispatches"] - before["dispatches"],
        "bytes": after["bytes_uploaded"] - before["bytes_uploaded"],
        "created": created,
    }


async def written(total):
    """A write of the script lies between the runs before and those behind it."""
    total._node.storage.on(device)
    device.write(total._node.storage.buffer, np.zeros(4, np.float32).view(np.uint8))


async def read(total):
    await total.read()


async def breath(total):
    await device.breathe()


report = {}
for name, size in SIZES.items():
    for deferred in (False, True):
        report[f"{name} {deferred}"] = await run(size, deferred)
for interrupt in (written, read, breath):
    for deferred in (False, True):
        report[f"{interrupt.__name__} {deferred}"] = await run(64, deferred, interrupt)
print(json.dumps(report))
