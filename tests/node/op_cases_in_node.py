"""Runs in Pyodide over Dawn: every op case, its outcomes written to the npz file named by the argument."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
from device.op_cases import OP_CASES
from device.op_cases.run import outcomes

data, failures = await outcomes(tg, OP_CASES)
pathlib.Path(sys.argv[1]).write_bytes(data)
print(json.dumps({"device": tg.device().name, "cases": len(OP_CASES), "failures": failures}))
