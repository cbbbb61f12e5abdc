"""A training step's program, read by another process, gives the same losses there, bit for bit: in Node over Dawn."""

from __future__ import annotations

import shutil
from pathlib import Path

from device import program_replay
from node.harness import HERE, run_in_node


def test_another_process_replays_a_training_step_to_the_bit(tmp_path: Path) -> None:
    script = shutil.copy(HERE / "program_in_node.py", tmp_path)  # a script sees its own folder alone
    shutil.copy(program_replay.__file__, tmp_path)
    losses = run_in_node("--device", "web", script, "record", tmp_path).json()
    assert len(set(losses)) == len(losses) == program_replay.STEPS
    assert run_in_node("--device", "web", script, "replay", "web", tmp_path).json() == losses
