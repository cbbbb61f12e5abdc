"""Runs in Pyodide over Dawn: tuning with bad candidates about, a second start, and what is left of it.

Arguments: how the candidates are compiled, ``one by one`` or ``hurried``, or both.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import gc

import tabgrad as tg
from device import tuner_checks as checks
from tabgrad.runtime import ProgramCache
from tabgrad.session import current
from tabgrad.tracing.tracer import Tracer
from tabgrad.tuner import TunerRegistry, current_tuner
from tabgrad.tuner.store import MemoryStore

device = tg.current_session().device
bad = [await checks.bad_candidates(hurried=way == "hurried") for way in sys.argv[1:]]
second = await checks.second_start()
await checks.unusable_kernels()
gc.collect()

allocated = {}
for mode in ("off", "background"):
    tg.tuning(mode, budget_s=20)
    current().own(TunerRegistry).store = MemoryStore()
    current().own(ProgramCache).clear()
    current().own(Tracer).forget()
    gc.collect()
    device.trim()
    before = device.counters.bytes_allocated
    await checks.train(30, until_tuned=mode != "off")
    gc.collect()
    device.trim()
    allocated[mode] = device.counters.bytes_allocated - before
assert current_tuner().measured > 0
left = device.trials.counters.bytes_allocated

print(json.dumps({"bad": bad, "second": second, "allocated": allocated, "left": left}))
