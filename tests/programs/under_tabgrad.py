"""``python under_tabgrad.py DEVICE FOLDER NAMES...`` runs programs where ``import torch`` means tabgrad.

FOLDER has the weights that they begin with, of each in ``NAME.npz``. Prints a line of JSON for each: its losses and
steps, or what went wrong. In Node the device is chosen before, and the argument is ``web``.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))

from programs.running import float64_taken, loaded_losses  # noqa: E402 - the path comes first
from programs.step_watch import outcome  # noqa: E402


def program(name: str) -> Any:
    """The ``main`` of a program."""
    spec = importlib.util.spec_from_file_location(f"program_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it
    spec.loader.exec_module(module)
    return module.main


def _main(device: str, folder: Path, wanted: list[str]) -> None:
    from tabgrad.compat import install_as_torch

    install_as_torch()
    import torch

    if device != "web":
        torch.set_default_device(device)
    for name in wanted:
        with np.load(folder / f"{name}.npz") as saved:
            weights = dict(saved)
        with float64_taken(torch, name):
            found = outcome(torch, partial(loaded_losses, torch, program(name), weights))
        print(json.dumps({"name": name, **found}), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
