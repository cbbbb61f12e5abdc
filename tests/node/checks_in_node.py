"""Runs in Pyodide over Dawn: hand-made programs, what a device must do besides, random numbers; prints their names."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
from device import program_checks, random_checks

passed = await program_checks.run_all(tg.current_session().device)
for check in random_checks.CHECKS:
    await check(tg)
    passed.append(check.__name__)
print(json.dumps({"device": tg.current_session().device.name, "passed": passed}))
