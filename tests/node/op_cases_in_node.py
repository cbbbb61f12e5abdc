"""Runs in Pyodide over Dawn: op cases, their outcomes written to an npz file.

Arguments: that file, a JSON file with the names of the cases, and ``gpu`` to compile as if this adapter were one.
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

file, chosen, *variants = sys.argv[1:]
names = set(json.loads(pathlib.Path(chosen).read_text()))
cases = [case for case in OP_CASES if case.name in names]
with gpu_variants() if variants == ["gpu"] else contextlib.nullcontext():
    data, failures = await outcomes(tg, cases)
pathlib.Path(file).write_bytes(data)
print(json.dumps({"device": tg.current_session().device.name, "cases": len(cases), "failures": failures}))
