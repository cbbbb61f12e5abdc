"""Runs in Pyodide over Dawn: steps that begin with kernels that compile fast, in a loop that waits and in one that
does not.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tabgrad as tg
from sessions import gpu, session_on
from steps import step_of
from tabgrad import nn, optim
from tabgrad.runtime.quick_start import PATIENCE
from tabgrad.tuner import turns

STEPS = 4 + 2 * PATIENCE
X = np.random.default_rng(0).standard_normal((32, 40)).astype(np.float32)


async def losses(waits):
    tg.manual_seed(0)
    model = nn.Sequential(nn.Linear(40, 48), nn.Tanh(), nn.Linear(48, 3))
    step = tg.compile(
        step_of(optim.SGD(model.parameters(), lr=0.1), lambda x, y: nn.functional.cross_entropy(model(x), y))
    )
    x, y = tg.tensor(X), tg.tensor(np.arange(32) % 3)
    found = []
    for _ in range(400 if waits else STEPS):
        found.append(step(x, y))
        recorded = step.record(x, y)
        if waits:
            await found[-1].read()
            quick = sum(work.quick is not None for work in recorded.compiled.works)
            if len(found) >= STEPS and len(recorded.cached.executable.replaced) == quick:
                break
    compiled, executable = recorded.compiled, recorded.cached.executable
    return {
        "losses": [float(await loss.read()) for loss in found[:STEPS]],
        "quick": sum(work.quick is not None for work in compiled.works),
        "expected": sum("unknown_zero" in source for source in compiled.program.shaders),
        "replaced": len(executable.replaced),
        "final": all(k.source == compiled.works[n].render().source for n, k in executable.replaced.items()),
    }


turns.HOLD_S, turns.SHARE = 0.0, 1.0
report = {}
for name, target, tuning in (("off", gpu, "off"), ("waits", gpu, "background"), ("never waits", gpu, "background")):
    with session_on(target=target, tuning=tuning):
        tg.tuning(tuning, budget_s=0)
        report[name] = await losses(name == "waits")
print(json.dumps(report))
