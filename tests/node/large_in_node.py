"""Runs in Pyodide over Dawn: op cases and training steps in parts, outcomes written to the file that is named first."""

import io
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np

import tabgrad as tg
import workloads
from device.op_cases.run import outcomes, unpack
from device.small_bindings import LARGE_CASES, TRAINING, limit_for, small_bindings

STEPS = 5
arrays, failures, splits = {}, {}, {}
for case in LARGE_CASES:
    with small_bindings(limit_for(case)) as parts:
        data, failed = await outcomes(tg, [case])
    splits[case.name] = parts.splits
    failures |= failed
    arrays |= {f"{case.name}/{name}": value for name, value in unpack(data).get(case.name, {}).items()}

losses = {}
for workload in (workloads.SMALL_MLP, workloads.SMALL_CNN, workloads.SMALL_GPT_SMALL):
    with small_bindings(TRAINING) as parts:
        step, batches = workloads.training_step(workload), workload.batches()
        found = [step(*(tg.tensor(a) for a in batches[n % len(batches)])) for n in range(STEPS)]
        losses[workload.name] = [float(v) for v in await tg.read(*found)]
    splits[workload.name] = parts.splits

file = io.BytesIO()
np.savez(file, **{str(i): array for i, array in enumerate(arrays.values())}, names=np.array(list(arrays)))
pathlib.Path(sys.argv[1]).write_bytes(file.getvalue())
print(json.dumps({"device": tg.device().name, "failures": failures, "splits": splits, "losses": losses}))
