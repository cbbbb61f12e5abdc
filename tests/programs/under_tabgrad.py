"""``python under_tabgrad.py DEVICE FOLDER NAMES...`` runs programs where ``import torch`` means tabgrad.

FOLDER has the weights that they begin with. Prints a line of JSON for each: its losses and steps, or what went wrong.
Also runs in Node, whose device is chosen before (``web``).
"""

from __future__ import annotations

import importlib.util
import json
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def outcome(name: str, folder: Path) -> dict[str, Any]:
    """What a program gave."""
    import torch
    from running import loaded_losses
    from step_watch import StepWatch

    watch = StepWatch(torch)
    try:
        with np.load(folder / f"{name}.npz") as weights, watch.watching():
            losses = loaded_losses(torch, program(name), dict(weights))
    except Exception as error:  # noqa: BLE001 - the test shows it
        return {"name": name, "error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
    return {"name": name, "losses": losses, "steps": watch.steps()}


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
        print(json.dumps(outcome(name, folder)), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
