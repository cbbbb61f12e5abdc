"""Runs in Pyodide over Dawn: PyTorch's samples of many functions, which a file holds; prints a line for each function.

Argument: the npz file that ``parity.export`` made.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import tabgrad as tg
from parity import plain_run

for line in plain_run.lines(tg, pathlib.Path(sys.argv[1]).read_bytes()):
    print(line, flush=True)
