"""Runs in Pyodide over Dawn: two runs of workloads at small size, and how many dispatches a step has.

Arguments: the workloads' names.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
import workloads
from tabgrad.runtime import ProgramCache
from tabgrad.session import current

STEPS, FEW_STEPS = 40, 5


def dispatches(workload: workloads.Workload) -> int:
    """Of a training step, which is compiled to WGSL and not run."""
    inputs = (tg.tensor(a) for a in workload.batches()[0])
    recorded = workloads.training_step(workload).record(*inputs)
    return len(current().own(ProgramCache).of(recorded.linear).compiled.program.dispatches)


async def losses(workload: workloads.Workload, steps: int) -> list[float]:
    step = workloads.training_step(workload)
    batches = workload.batches()
    found = [step(*(tg.tensor(a) for a in batches[n % len(batches)])) for n in range(steps)]
    return [float(v) for v in await tg.read(*found)]


report = {
    "dispatches": {w.name: dispatches(w) for w in workloads.WORKLOADS if w.name in sys.argv[1:]},
    "mlp": await losses(workloads.MLP, FEW_STEPS),
    "small": {w.name: [await losses(w, STEPS) for _ in range(2)] for w in workloads.SMALL if w.name in sys.argv[1:]},
}
print(json.dumps(report))
