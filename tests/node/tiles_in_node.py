"""Runs in Pyodide over Dawn: a group of tile cases, its outcomes written to the npz file named by the argument."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
from device.op_cases.run import pack
from device.tile_cases import GROUPS
from device.tile_cases.run import tile_outcomes

file, group = sys.argv[1:]
found, failures = await tile_outcomes(tg, GROUPS[group])
pathlib.Path(file).write_bytes(pack(found))
print(json.dumps({"device": tg.device().name, "cases": len(GROUPS[group]), "failures": failures}))
