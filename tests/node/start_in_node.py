"""Runs in Pyodide: what a Python that was restored from the snapshot must still be able to do."""

import ctypes
import inspect
import json
import random

import numpy as np
from numpy.linalg import _umath_linalg

import tabgrad as tg

again = ctypes.CDLL(_umath_linalg.__file__)  # found by its handle
report = {
    "product": (np.arange(6.0).reshape(2, 3) @ np.ones((3, 2))).tolist(),
    "inverse": np.linalg.inv(np.diag([2.0, 4.0])).tolist(),
    "again": bool(again.PyInit__umath_linalg),
    "fft": np.fft.fft(np.ones(4)).real.tolist(),  # libraries that the snapshot does not have
    "draw": np.random.default_rng(0).integers(10, size=3).tolist(),
    "source": inspect.getsource(tg.Generator.initial_seed).strip().splitlines()[0],
    "random": random.random(),
}
print(json.dumps(report))
