"""Invalid scripts, outputs that fail, and unusual environments: each gives a sentence and a status."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tabgrad.command_line.script_file import read_script
from tabgrad.command_line.trace_file import TraceFile
from tabgrad.errors import TabgradError
from unit.cli.command import COMMAND, TIMEOUT_S, environment, tabgrad

TRAINING = """
import numpy as np
import tabgrad as tg
from tabgrad import nn, optim
model = nn.Linear(3, 1)
optimizer = optim.SGD(model.parameters(), lr=0.1)

@tg.compile
def step(x):
    optimizer.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss

for _ in range(2):
    loss = step(tg.ones(4, 3))
print(ascii(loss.shape))
"""
PROFILED = """
import numpy as np
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer
x = np.zeros((12, 3), np.float32)
model = nn.Linear(3, 1)
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1))
await trainer.fit(DataLoader(TensorDataset(x, x[:, :1]), batch_size=4), epochs=4)
print("done")
"""


def shell(command: str, cwd: Path, **variables: str | None) -> tuple[int, str, str]:
    """Run a line of shell in which ``"$@"`` is the command tabgrad; returns status, output, errors."""
    done = subprocess.run(
        ["bash", "-c", command, "bash", *COMMAND],
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


SCRIPTS = {
    "marked.py": (b'\xef\xbb\xbfprint("\xc3\xa9")\r\nprint(2)\r\n', 'print("é")\nprint(2)\n'),
    "latin.py": (b'# coding: latin-1\nprint("\xe9")\n', '# coding: latin-1\nprint("é")\n'),
    "second.py": (b'#!/bin/python\n# -*- coding: cp1252 -*-\nx = "\x80"\n', None),
    "plain.py": (b"x = 1", "x = 1"),
    "empty.py": (b"", ""),
}
REFUSED = {
    "accents.py": (
        b'x = 1\nprint("\xe9")\n',
        "expected a script in utf-8, got {} with the byte 0xe9 in line 2; save it",
    ),
    "zero.py": (b"x = 1\n\0", "expected a script in Python, got {} with a zero byte in line 2; save it as UTF-8 text"),
    "unknown.py": (b"# coding: klingon\n", "expected a script that can be decoded, got {}: unknown encoding: klingon"),
    "both.py": (b"\xef\xbb\xbf# coding: latin-1\n", "expected a script that can be decoded, got {}: encoding problem"),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_decoded_as_python_does(name: str, tmp_path: Path) -> None:
    data, text = SCRIPTS[name]
    (tmp_path / name).write_bytes(data)
    found = read_script(tmp_path / name, "train")
    assert found == text if text is not None else "€" in found
    compile(found, name, "exec")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_python_text_is_refused(name: str, tmp_path: Path) -> None:
    data, message = REFUSED[name]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(TabgradError) as caught:
        read_script(path, "train")
    assert str(caught.value).startswith(f"train: {message.format(path)}")


def test_files_that_are_no_files_are_refused(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path, "found a folder"),
        (tmp_path / "absent.py", "found none"),
        (tmp_path / ("a" * 300), "File name too long"),
        (Path("/dev/zero"), "at most 64 MiB"),
    ):
        with pytest.raises(TabgradError, match=f"train: expected a script .*{message}"):
            read_script(path, "train")
    with pytest.raises(TabgradError, match="expected a file to write, got the folder"):
        TraceFile(tmp_path)
    with pytest.raises(TabgradError, match="expected a file in a folder that exists"):
        TraceFile(tmp_path / "absent" / "t.json")


def test_scripts_come_through_pipes_too_and_a_marked_one_runs(tmp_path: Path) -> None:
    (tmp_path / "marked.py").write_bytes(SCRIPTS["marked.py"][0])
    status, out, errors = shell('echo "print(1)" | "$@" train /dev/stdin && "$@" train marked.py', tmp_path)
    assert (status, out) == (0, "1\né\n2\n"), errors


def test_a_trace_into_a_device_is_refused_before_training(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(PROFILED)
    train = '"$@" train --device reference --profile --trace /dev/full script.py'
    status, out, errors = shell(train, tmp_path)
    assert (status, out) == (1, "")
    assert errors == "train --trace: expected a regular file to write, got /dev/full; name another one\n"


def test_wrong_settings_of_tuning_are_told_of_before_the_script_runs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('ran')")
    done = tabgrad("train", tmp_path / "script.py", "--device", "reference", env={"TABGRAD_TUNING": "garbage"})
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == (
        b"TABGRAD_TUNING: expected off, background or before, with :SECONDS if need be, got 'garbage'\n"
    )


def test_the_reader_of_the_output_is_gone(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text("for i in range(100_000):\n    print(i)")
    (tmp_path / "script.py").write_text(TRAINING)
    first = "| head -1; exit ${PIPESTATUS[0]}"
    status, out, errors = shell(f'"$@" train many.py --device reference {first}', tmp_path)
    assert (status, out) == (1, "0\n")
    assert errors == "tabgrad: the reader of the script's output is gone, so the script was ended\n"
    status, out, errors = shell(f'"$@" explain script.py --device reference {first}', tmp_path, PYTHONUNBUFFERED="1")
    assert (out.count("\n"), errors) == (1, "")
    status, _, errors = shell('"$@" --help > /dev/full', tmp_path)
    assert (status, errors) == (1, "tabgrad: expected to write the output, got: No space left on device\n")


def test_a_script_may_leave_its_working_directory_and_close_its_streams(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import sys\nprint('ran')\nsys.stdout.close()")
    (tmp_path / "gone").mkdir()
    script = tmp_path / "script.py"
    status, out, errors = shell(
        f'cd gone && rmdir ../gone && "$@" train {script} --device reference && "$@" train {script} --device web',
        tmp_path,
    )
    assert (status, out) == (1, "ran\n"), errors
    assert "train --device web: expected a working directory that exists, got one that was deleted" in errors
    assert "Traceback" not in errors


def test_unusual_surroundings(tmp_path: Path) -> None:
    """Settings of terminal and user, closed streams, a read-only folder."""
    script = tmp_path / "script.py"
    script.write_text(TRAINING)
    plain: dict[str, str | None] = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "TERM": "dumb", "HOME": None}
    status, out, errors = shell(
        f'cd /proc && "$@" train --help && "$@" explain {script} --device reference', tmp_path, **plain
    )
    assert status == 0, errors
    assert out.isascii()
    assert errors == ""
    closed = f'"$@" train {script} --device reference <&- >&- && "$@" explain {script} 2>&- <&- >&-'
    assert shell(closed, tmp_path, FORCE_COLOR="1", NO_COLOR="1") == (0, "", "")
