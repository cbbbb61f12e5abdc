"""Runs in Pyodide over Dawn: every op case, its outcomes written to the npz file named by the first argument.

With a second argument ``gpu``: the cases whose kernels differ on a GPU, compiled as if this adapter were one.
"""

import contextlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
from device.gpu_variants import GPU_CASES, gpu_variants
from device.op_cases import OP_CASES
from device.op_cases.run import outcomes

gpu = sys.argv[2:] == ["gpu"]
cases = GPU_CASES if gpu else OP_CASES
with gpu_variants() if gpu else contextlib.nullcontext():
    data, failures = await outcomes(tg, cases)
pathlib.Path(sys.argv[1]).write_bytes(data)
print(json.dumps({"device": tg.device().name, "cases": len(cases), "failures": failures}))
