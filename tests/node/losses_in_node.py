"""Runs in Pyodide over Dawn: the first losses of a digits run, printed as JSON."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from losses import first_losses

print(json.dumps(await first_losses()))
