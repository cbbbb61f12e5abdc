"""Runs in Pyodide over Dawn: the mlp's first losses, and how many dispatches a step of each workload has."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
import workloads


def dispatches(workload: workloads.Workload) -> int:
    """Of a training step, which is compiled to WGSL and not run."""
    inputs = (tg.tensor(a) for a in workloads.batches(workload)[0])
    recorded = workloads.training_step(workload).record(*inputs)
    return len(tg.runtime.compiled(recorded.linear).compiled.program.dispatches)


async def losses(workload: workloads.Workload, steps: int) -> list[float]:
    step = workloads.training_step(workload)
    batches = workloads.batches(workload)
    found = [step(*(tg.tensor(a) for a in batches[n % len(batches)])) for n in range(steps)]
    return [float(v) for v in await tg.read(*found)]


report = {w.name: {"dispatches": dispatches(w)} for w in workloads.WORKLOADS}
report["mlp"]["losses"] = await losses(workloads.MLP, max(workloads.MLP.losses))
print(json.dumps(report))
