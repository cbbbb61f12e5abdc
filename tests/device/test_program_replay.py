"""A training step's program, read by another process, gives the same losses there, bit for bit."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tabgrad
from device import program_replay
from tabgrad.devices import Device


def _replayed(kind: str, folder: Path) -> list[str]:
    """What another process computes, which knows the package and the files alone."""
    command = [sys.executable, program_replay.__file__, "replay", kind, folder]
    env = {**os.environ, "PYTHONPATH": str(Path(tabgrad.__file__).parents[1])}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_another_process_replays_a_training_step_to_the_bit(device: Device, tmp_path: Path) -> None:
    losses = asyncio.run(program_replay.record(tmp_path))
    assert len(set(losses)) == len(losses) == program_replay.STEPS
    assert _replayed(device.name, tmp_path) == losses
    if device.name != "reference":  # its instructions say the same as its shaders
        found = [float.fromhex(loss) for loss in _replayed("reference", tmp_path)]
        assert found == pytest.approx([float.fromhex(loss) for loss in losses], rel=1e-4)
