"""Native runs that a signal ends: the terminal afterwards, and the status."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from unit.cli.command import COMMAND, TIMEOUT_S, Terminal, environment

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals as POSIX has them")

TRAINING = """
import numpy as np
import sys
from pathlib import Path
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.metrics import Collector
from tabgrad.train import Trainer

class Started(Collector):
    def values(self):
        (folder / "started").write_text("")
        return {}

folder = Path(__file__).parent
x = np.zeros((12, 3), np.float32)
model = nn.Linear(3, 1)
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1), collectors=[Started()])
try:
    await trainer.fit(DataLoader(TensorDataset(x, x[:, :1]), batch_size=4), epochs=10**7)
    (folder / "behind").write_text("")
finally:
    (folder / "finally").write_text("")
"""
OWN_LOOP = """
from pathlib import Path
import time
folder = Path(__file__).parent
(folder / "started").write_text("")
try:
    while True:
        time.sleep(0.01)
finally:
    (folder / "finally").write_text("")
"""


def written(folder: Path, source: str) -> Path:
    folder.mkdir()
    (folder / "script.py").write_text(source)
    return folder / "script.py"


def await_start(script: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not (script.parent / "started").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def left(script: Path) -> list[str]:
    return sorted(p.name for p in script.parent.iterdir())


def test_sigterm_and_sighup_end_a_run_cleanly(tmp_path: Path) -> None:
    """Both scripts, each with one of the signals; started together, because the start takes most of the time."""
    cases = {"training": (TRAINING, signal.SIGTERM, 143), "loop": (OWN_LOOP, signal.SIGHUP, 129)}
    started = {}
    for name, (source, _, _) in cases.items():
        script = written(tmp_path / name, source)
        command = [*COMMAND, "train", str(script), "--device", "reference"]
        started[name] = script, subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
    for name, (_, number, status) in cases.items():
        script, process = started[name]
        await_start(script)
        process.send_signal(number)
        _, errors = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == status, errors
        assert left(script) == ["finally", "script.py", "started"]
        assert "Traceback" not in errors
        if name == "training":
            assert "stopped at step" in errors


def test_a_closed_terminal_ends_a_run_and_sigterm_leaves_it_usable(tmp_path: Path) -> None:
    arguments = ("train", "--device", "reference")
    closed = written(tmp_path / "closed", TRAINING)
    ended = written(tmp_path / "ended", TRAINING)
    ignoring = written(tmp_path / "ignoring", OWN_LOOP)
    on_closed = Terminal([*arguments, closed])
    on_ended = Terminal([*arguments, ended])
    nohup = subprocess.Popen(
        ["nohup", *COMMAND, *arguments, str(ignoring)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
    )
    await_start(closed)
    on_closed.hang_up()
    assert on_closed.process.wait(TIMEOUT_S) == 129
    assert left(closed) == ["finally", "script.py", "started"]
    on_ended.read_until(lambda sent: b"\x1b[?25l" in sent)  # the bar is drawn, the cursor hidden
    await_start(ended)
    on_ended.process.send_signal(signal.SIGTERM)
    status, sent = on_ended.finish()
    assert status == 143
    assert sent.rindex(b"\x1b[?25h") > sent.rindex(b"\x1b[?25l")
    await_start(ignoring)
    nohup.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    assert nohup.poll() is None
    nohup.terminate()
    assert nohup.wait(TIMEOUT_S) == 143
    nohup.communicate()
