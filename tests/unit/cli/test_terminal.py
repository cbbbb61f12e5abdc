"""A script's prints go to its own output, byte for byte, with any display of its training."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.cli.command import Terminal, screen, tabgrad

PRINTING = r"""
import logging, subprocess, sys, time
import numpy as np
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.metrics import Collector
from tabgrad.train import Trainer

log = logging.getLogger("script")
log.addHandler(logging.StreamHandler())

class Printing(Collector):
    steps = 0

    def on_measure(self, kind, start_ms, end_ms):
        if kind != "step":
            return
        self.steps += 1
        time.sleep(0.15)  # so that the bar is drawn between
        if self.steps == 2:
            print("whole line")
        elif self.steps == 3:
            print("part, ", end="", flush=True)
        elif self.steps == 4:
            print("rest")
        elif self.steps == 5:
            sys.stdout.buffer.write(b"bytes \xff\xfe\n")
            sys.stdout.buffer.flush()
        elif self.steps == 6:
            sys.stdout.flush()
            subprocess.run(["echo", "of a process"], check=True)
        elif self.steps == 7:
            log.warning("of a log")
        elif self.steps == 8:
            sys.stdout.write("two\nlines\n")

print("before")
x = np.zeros((12, 3), np.float32)
model = nn.Linear(3, 1)
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1), collectors=[Printing()])
await trainer.fit(DataLoader(TensorDataset(x, x[:, :1]), batch_size=4), epochs=3)
print("after, with no end", end="")
"""
PRINTED = b"before\nwhole line\npart, rest\nbytes \xff\xfe\nof a process\ntwo\nlines\nafter, with no end"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(PRINTING)
    return path


def test_output_goes_to_its_file_while_a_bar_moves_on_the_terminal(script: Path, tmp_path: Path) -> None:
    with open(tmp_path / "out.txt", "wb") as out:
        status, sent = Terminal(["train", script, "--device", "reference"], stdout=out.fileno()).finish()
    assert status == 0, sent.decode(errors="replace")
    assert (tmp_path / "out.txt").read_bytes() == PRINTED
    assert "━" in sent.decode(errors="replace")
    shown = screen(sent)
    assert "of a log" in shown
    assert not any("━" in line for line in shown)
    assert "finished at step 9" in shown
    assert sent.rindex(b"\x1b[?25h") > sent.rindex(b"\x1b[?25l")  # the cursor is back


def test_output_on_the_terminal_goes_above_the_bar(script: Path) -> None:
    status, sent = Terminal(["train", script, "--device", "reference"]).finish()
    assert status == 0, sent.decode(errors="replace")
    assert "━" in sent.decode(errors="replace")
    shown = screen(sent)
    expected = ["before", "whole line", "part, rest", "bytes ��", "of a process", "of a log", "two", "lines"]
    assert [line for line in shown if line in expected] == expected, "\n".join(shown)
    assert not any("━" in line for line in shown), "\n".join(shown)
    assert shown[-1] == "after, with no end"


@pytest.mark.parametrize("variables", [{"FORCE_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_bar_is_drawn_into_what_is_no_terminal(script: Path, variables: dict[str, str | None]) -> None:
    arguments = ["train", script, "--device", "reference"]
    if "TERM" in variables:
        status, errors = Terminal(arguments, env=variables).finish()
    else:
        done = tabgrad(*arguments, env=variables)
        status, errors = done.returncode, done.stderr
        assert done.stdout == PRINTED
    assert status == 0, errors.decode()
    assert b"finished at step 9" in errors
    assert "━━━━━" not in errors.decode(errors="replace")
    for sequence in (b"\x1b[?25l", b"\x1b[2K", b"\x1b[1A"):
        assert sequence not in errors
