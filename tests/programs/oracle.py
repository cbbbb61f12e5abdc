"""PyTorch's losses of the programs, and the weights that these began with, as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from programs.running import saved_losses
from programs.under_tabgrad import HERE, program

_OTHERS = ("__init__", "oracle", "running", "step_watch", "under_tabgrad", "test_programs")


def names() -> list[str]:
    """The programs: each defines ``main(steps, start)``, which gives losses."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in _OTHERS)


def expected(wanted: Sequence[str], folder: Path) -> dict[str, list[float]]:
    """PyTorch's losses by program; each one's weights are written to ``folder/NAME.npz``."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found = {}
    for name in wanted:
        found[name], weights = saved_losses(torch, program(name))
        np.savez(folder / f"{name}.npz", **weights)
    torch.set_num_threads(threads)
    return found
