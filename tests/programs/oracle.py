"""What the programs must give: PyTorch's losses, from weights that are handed over as files; and known steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

import daily
from programs.running import STEPS, saved_losses
from programs.under_tabgrad import HERE, program

Record = Callable[[str, object], None]

_OTHERS = ("__init__", "conftest", "oracle", "running", "step_watch", "test_programs", "under_tabgrad")
_TOLERANCES = {
    "dcgan": 3e-3,
    "efficientnet": 2e-3,
    "nerf": 1e-3,
}  # relative, after ten steps in float32; Adam's first steps divide by noise
_IN_ONE_PROCESS = 6
_LAST = 3  # steps, of which one at least is to have settled: some programs change model on their way

# Programs whose steps are executed in part, each time, and why.
NOT_KNOWN = {
    "char_rnn": "it writes through views of views",
    "dqn": "a mask on the host decides a shape",
    "lstm_language_model": "the last state keeps a graph over weights that are changed",
    "mnist_mlp": "its data set reads each label by itself",
    "nanogpt": "tensors are bounds of slices, which are read one by one",
    "realnvp": "it retains the graph of the round before",
    "ssd": "it gives a tensor another shape in place",
}
DAYS = {"reference": 4, "native": 8, "node": 8, "page": 8}  # within which each program has its turn there


def names() -> list[str]:
    """The programs: each defines ``main(steps, start)``, which gives losses."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in _OTHERS)


def of_today(where: str) -> list[str]:
    """The programs whose turn it is there."""
    return daily.of_today(f"programs, {where}", names(), DAYS[where])


def groups(wanted: Sequence[str]) -> list[Sequence[str]]:
    """Programs that one process runs, so that a time limit means a hang."""
    return [wanted[n : n + _IN_ONE_PROCESS] for n in range(0, len(wanted), _IN_ONE_PROCESS)]


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


def check(name: str, where: str, outcome: dict[str, Any], wanted: list[float], record: Record) -> None:
    """A program's losses are PyTorch's; after the first steps a step is known, and makes nothing on the device."""
    assert "error" not in outcome, outcome["traceback"]
    losses, steps = outcome["losses"], outcome["steps"]
    assert len(set(wanted)) >= STEPS // 2, "losses that change"
    assert len(losses) == len(wanted)
    assert len(steps) >= STEPS
    apart = np.abs(np.subtract(losses, wanted)) / np.maximum(np.abs(wanted), 1e-3)
    later = sorted(step["ms"] for step in steps[-_LAST:])[_LAST // 2]
    record("program", f"{name:<20} {where:<10} {apart.max():8.1e} {steps[0]['ms'] / 1000:8.2f} {later:8.0f}")
    np.testing.assert_allclose(losses, wanted, rtol=_TOLERANCES.get(name, 3e-4), atol=1e-6)
    executed, created = (min(step[key] for step in steps[-_LAST:]) for key in ("executed", "created"))
    if name in NOT_KNOWN:
        assert executed > 0, f"its steps are known now: {name} is to leave oracle.NOT_KNOWN"
    else:
        assert (executed, created) == (0, 0), "calls executed, objects created, in each of the last steps"
