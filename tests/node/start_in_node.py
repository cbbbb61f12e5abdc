"""Runs in Pyodide: what a Python that was restored from the snapshot must still be able to do."""

import ctypes
import importlib
import inspect
import json
import os
import random
from pathlib import Path

import numpy as np
from numpy.linalg import _umath_linalg

import tabgrad as tg

beside = Path(tg.__file__).with_name("written.py")
beside.write_text("value = 7\n")
importlib.invalidate_caches()
written = importlib.import_module("tabgrad.written").value
listed = beside.name in os.listdir(beside.parent)
beside.unlink()
again = ctypes.CDLL(_umath_linalg.__file__)  # found by its handle
report = {
    "product": (np.arange(6.0).reshape(2, 3) @ np.ones((3, 2))).tolist(),
    "inverse": np.linalg.inv(np.diag([2.0, 4.0])).tolist(),
    "again": bool(again.PyInit__umath_linalg),
    "fft": np.fft.fft(np.ones(4)).real.tolist(),  # libraries that the snapshot does not have
    "draw": np.random.default_rng(0).integers(10, size=3).tolist(),
    "source": inspect.getsource(tg.Generator.initial_seed).strip().splitlines()[0],
    "written": [written, listed, beside.exists(), oct(Path(tg.__file__).stat().st_mode)],
    "random": random.random(),
}
print(json.dumps(report))
