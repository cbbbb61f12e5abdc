"""Runs in Pyodide over Dawn: every op case, its outcomes written to the npz file named by the first argument.

With a second argument ``gpu``: compiled as if this adapter were one.
"""

import contextlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
from device.gpu_variants import gpu_variants
from device.op_cases import OP_CASES
from device.op_cases.run import outcomes

gpu = sys.argv[2:] == ["gpu"]
with gpu_variants() if gpu else contextlib.nullcontext():
    data, failures = await outcomes(tg, OP_CASES)
pathlib.Path(sys.argv[1]).write_bytes(data)
print(json.dumps({"device": tg.device().name, "cases": len(OP_CASES), "failures": failures}))
