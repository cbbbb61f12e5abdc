"""Runs in Pyodide over Dawn: tile cases of a group, their outcomes written to an npz file.

Arguments: that file, a JSON file with the names of the cases, and the group.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
from device.op_cases.run import pack
from device.tile_cases import GROUPS
from device.tile_cases.run import tile_outcomes

file, chosen, group = sys.argv[1:]
names = set(json.loads(pathlib.Path(chosen).read_text()))
cases = [case for case in GROUPS[group] if case.name in names]
found, failures = await tile_outcomes(tg, cases)
pathlib.Path(file).write_bytes(pack(found))
print(json.dumps({"device": tg.current_session().device.name, "cases": len(cases), "failures": failures}))
