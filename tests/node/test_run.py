"""``run.mjs`` and ``tabgrad train --device web``: what they print, and how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from node.harness import run_in_node

TINY = """
import sys
import numpy as np
import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer
import neighbour

tg.manual_seed(0)
x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(12, 1)
data = TensorDataset(x, 3 * x)
model = nn.Linear(1, 1)
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1))
history = await trainer.fit(DataLoader(data, batch_size=4), DataLoader(data, batch_size=12), epochs=3)
print(tg.current_session().device.name, sys.argv[1:], neighbour.word, len(history["train"]))
print("final", tg.tensor(2.5).item())
"""


def write(folder: Path, source: str) -> Path:
    script = folder / "script.py"
    script.write_text(source)
    return script


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A script that trains for nine steps and imports a module beside it."""
    (tmp_path / "neighbour.py").write_text("word = 'found'")
    return write(tmp_path, TINY)


def test_script_trains_and_sees_its_arguments_and_neighbours(tiny: Path) -> None:
    done = run_in_node("--device", "web", tiny, "--epochs", "3", cwd=tiny.parent, is_short=False)
    assert (done.status, done.stdout) == (0, "web ['--epochs', '3'] found 9\nfinal 2.5\n"), done.stderr
    assert "device web: " in done.stderr
    assert "epoch 3/3  validation loss" in done.stderr
    assert "finished at step 9" in done.stderr


def test_events_are_json_lines(tiny: Path) -> None:
    done = run_in_node("--events", "--device", "reference", tiny)
    events = done.events()
    assert events[0]["device"] == "reference"
    assert {event["type"] for event in events} >= {"device", "fit_start", "status", "state", "metrics", "validation"}
    points = [point for event in events if event["type"] == "metrics" for point in event["points"]]
    assert [point["step"] for point in points] == list(range(1, 10))
    assert points[-1]["loss"] < points[0]["loss"]
    assert [event["state"] for event in events if event["type"] == "state"] == ["running", "finished"]


def test_command_trains_in_node(tiny: Path) -> None:
    main = "from tabgrad.cli import main; main()"
    command = [sys.executable, "-c", main, "train", "--device", "web", tiny, "once"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "web ['once'] found 9\nfinal 2.5\n"), done.stderr


def test_script_error_shows_its_own_lines_and_fails(tmp_path: Path) -> None:
    source = "import tabgrad as tg\n\ndef broken():\n    return tg.zeros(2) + tg.zeros(3)\n\nbroken()\n"
    script = write(tmp_path, source)
    done = run_in_node("--device", "reference", script)
    assert done.status == 1
    assert done.stdout == ""
    traceback = done.stderr.splitlines()
    assert f'  File "{script}", line 6, in <module>' in traceback
    assert f'  File "{script}", line 4, in broken' in traceback
    assert "    return tg.zeros(2) + tg.zeros(3)" in traceback
    assert traceback[-1].startswith("tabgrad.errors.ShapeError: ")


def test_syntax_error_names_its_line(tmp_path: Path) -> None:
    script = write(tmp_path, "x = 1\ny = = 2\n")
    done = run_in_node("--device", "reference", script)
    assert done.status == 1
    assert f'File "{script}", line 2' in done.stderr
    assert "SyntaxError" in done.stderr


def test_script_that_exits_with_a_message_fails_and_says_it(tmp_path: Path) -> None:
    done = run_in_node("--device", "reference", write(tmp_path, "import sys\nsys.exit('no data')"))
    assert (done.status, done.stdout, done.stderr) == (1, "", "no data\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "run.mjs: expected a script\nusage: "),
        (["--device", "gpu", "x.py"], 'run.mjs: --device: expected auto, web, reference, got "gpu"'),
        (["--fast", "x.py"], "run.mjs: unknown option --fast"),
        (["--trace", "t.json", "x.py"], "run.mjs: --trace: expected --profile, too"),
        (["--profile", "--profile-steps", "0", "x.py"], "run.mjs: --profile-steps: expected a number of steps"),
        (["nowhere.py"], "run.mjs: cannot read "),
    ],
)
def test_wrong_arguments_are_refused_in_a_sentence(arguments: list[str], said: str) -> None:
    done = run_in_node(*arguments)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith(said)


def test_scripts_that_are_no_text_are_refused_and_a_marked_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.py"
    for data, said in (
        (
            b'print("\xe9")',
            f"run.mjs: expected a script in UTF-8, got {script} in another encoding; save it as UTF-8\n",
        ),
        (b"x = 1\n\0", f"run.mjs: expected a script in Python, got {script} with a zero byte; save it as UTF-8 text\n"),
    ):
        script.write_bytes(data)
        done = run_in_node("--device", "reference", script)
        assert (done.status, done.stdout, done.stderr) == (2, "", said)
    done = run_in_node("--device", "reference", tmp_path)
    assert (done.status, done.stderr) == (2, f"run.mjs: cannot read {tmp_path}: it is a folder\n")
    (tmp_path / "cache" / "tuning.json").mkdir(parents=True)
    monkeypatch.setenv("TABGRAD_CACHE", str(tmp_path / "cache"))
    script.write_bytes(b'\xef\xbb\xbfprint("\xc3\xa9")\r\n')
    done = run_in_node("--device", "reference", script)
    assert (done.status, done.stdout) == (0, "é\n"), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("winners of kernel tuning last as long as this process: EISDIR")
    (tmp_path / "cache" / "tuning.json").rmdir()
    (tmp_path / "cache" / "tuning.json").write_text("[" * 2_000_000)  # Python in wasm dies of a parser's recursion
    done = run_in_node("--device", "reference", script)
    assert (done.status, done.stdout) == (0, "é\n"), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("the kept winners of kernel tuning: expected winners of kernel tuning in the form")
    assert line.endswith("it is nested more than 16 deep); kernels are measured again")
    monkeypatch.setenv("TABGRAD_TUNING", "garbage")
    done = run_in_node("--device", "reference", script)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("run.mjs: TABGRAD_TUNING: expected off, background or before")


def test_missing_bundle_says_how_to_make_it(tmp_path: Path) -> None:
    done = run_in_node("--bundle", tmp_path, write(tmp_path, ""))
    assert done.status == 2
    assert "manifest.json is missing; make it with: python3 build_scripts/bundle.py" in done.stderr


def test_help() -> None:
    done = run_in_node("--help")
    assert done.status == 0
    assert done.stdout.startswith("usage: node web/node/run.mjs [options] SCRIPT.py")


def test_profile_prints_a_table_and_writes_a_trace(tiny: Path) -> None:
    trace = tiny.parent / "trace.json"
    done = run_in_node("--device", "web", "--profile", "--profile-steps", "3", "--trace", trace, tiny)
    assert done.status == 0, done.stderr
    assert "3 × train: " in done.stderr
    assert "GFLOP/s" in done.stderr
    events = json.loads(trace.read_text())["traceEvents"]
    assert {e["cat"] for e in events if "cat" in e} == {"host", "kernel"}
