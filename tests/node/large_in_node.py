"""Runs in Pyodide over Dawn: op cases and training steps in parts, outcomes written to a file.

Arguments: that file, and a JSON file with the names of the cases and of the workloads.
"""

import io
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np

import tabgrad as tg
import workloads
from device.op_cases.run import outcomes, unpack
from device.small_bindings import LARGE_CASES, LARGE_WORKLOADS, TRAINING, limit_for, small_bindings

STEPS = 5
file, chosen = sys.argv[1:]
names = set(json.loads(pathlib.Path(chosen).read_text()))
arrays, failures, splits = {}, {}, {}
for case in [case for case in LARGE_CASES if case.name in names]:
    with small_bindings(limit_for(case)) as parts:
        data, failed = await outcomes(tg, [case])
    splits[case.name] = parts.splits
    failures |= failed
    arrays |= {f"{case.name}/{name}": value for name, value in unpack(data).get(case.name, {}).items()}

losses = {}
for workload in [workload for workload in LARGE_WORKLOADS if workload.name in names]:
    with small_bindings(TRAINING) as parts:
        step, batches = workloads.training_step(workload), workload.batches()
        found = [step(*(tg.tensor(a) for a in batches[n % len(batches)])) for n in range(STEPS)]
        losses[workload.name] = [float(v) for v in await tg.read(*found)]
    splits[workload.name] = parts.splits

packed = io.BytesIO()
np.savez(packed, **{str(i): array for i, array in enumerate(arrays.values())}, names=np.array(list(arrays)))
pathlib.Path(file).write_bytes(packed.getvalue())
print(
    json.dumps({"device": tg.current_session().device.name, "failures": failures, "splits": splits, "losses": losses})
)
