import json
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tabgrad import cli
from tabgrad.command_line import checkout
from tabgrad.session import current
from tabgrad.tuner import TunerRegistry
from unit.cli.command import tabgrad
from unit.cli.forked import forked

runner = CliRunner()


def train(tmp_path, source, *options):
    """Run a script with the command in a separate process; returns its output and status."""
    script = tmp_path / "script.py"
    script.write_text(source)
    return forked("train", script, *options, folder=tmp_path)


def test_train_runs_top_level_await_and_passes_arguments_on(tmp_path):
    (tmp_path / "neighbour.py").write_text("word = 'found'")
    source = "import asyncio, sys, neighbour\nawait asyncio.sleep(0)\nprint(__name__, sys.argv[1:], neighbour.word)"
    done = train(tmp_path, source, "--device", "reference", "--steps", "3")
    assert done.stdout == "__main__ ['--steps', '3'] found\n"
    assert done.returncode == 0


def test_train_shows_a_scripts_own_lines_only(tmp_path):
    source = "import tabgrad as tg\n\ndef broken():\n    return tg.zeros(2) + tg.zeros(3)\n\nbroken()\n"
    done = train(tmp_path, source, "--device", "reference")
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if "File " in line]
    assert [line.split(", ", 1)[1] for line in lines] == ["line 6, in <module>", "line 4, in broken"]
    assert "return tg.zeros(2) + tg.zeros(3)" in done.stderr
    assert "ShapeError" in done.stderr
    full = train(tmp_path, source, "--device", "reference", "--full-traceback")
    assert full.returncode == 1
    assert "_broadcast.py" in full.stderr


def test_train_shows_a_syntax_error_with_its_line(tmp_path):
    done = train(tmp_path, "x = 1\ny = = 2\n", "--device", "reference")
    assert done.returncode == 1
    assert "line 2\n" in done.stderr
    assert "SyntaxError" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("code", "status"), [("3", 3), ("", 0), ("'no data'", 1)])
def test_train_ends_with_the_scripts_status(tmp_path, code, status):
    done = train(tmp_path, f"import sys\nsys.exit({code})", "--device", "reference")
    assert done.returncode == status
    assert ("no data" in done.stderr) == (status == 1)


def test_train_names_a_missing_script(tmp_path):
    result = runner.invoke(cli.app, ["train", str(tmp_path / "nothing.py")])
    assert result.exit_code == 1
    assert "expected a script at" in result.stderr


def test_train_on_the_web_runs_the_node_harness(tmp_path, monkeypatch):
    script = tmp_path / "script.py"
    script.write_text("")
    commands = []
    monkeypatch.setattr(checkout, "find", lambda file: Path("/checkout") / file)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(cli, "_run", lambda command: commands.append(command) or 7)
    result = runner.invoke(cli.app, ["train", str(script), "--device", "web", "--epochs", "2"])
    assert result.exit_code == 7
    assert commands == [["/bin/node", "/checkout/web/node/run.mjs", "--device", "web", str(script), "--epochs", "2"]]


def test_train_on_the_web_passes_the_profile_on(tmp_path, monkeypatch):
    script = tmp_path / "script.py"
    script.write_text("")
    commands = []
    monkeypatch.setattr(checkout, "find", lambda file: Path("/checkout") / file)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(cli, "_run", lambda command: commands.append(command) or 0)
    runner.invoke(cli.app, ["train", str(script), "--device", "web", "--profile", "--trace", "t.json", "--x"])
    (command,) = commands
    assert command[2:] == [
        "--device", "web", "--profile", "--profile-steps", "16", "--trace", "t.json", str(script), "--x",
    ]  # fmt: skip


PROFILED = """
import numpy as np
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer
x = np.zeros((12, 3), np.float32)
model = nn.Linear(3, 1)
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1))
history = await trainer.fit(DataLoader(TensorDataset(x, x[:, :1]), batch_size=4), epochs=4)
print(len(history["train"]))
"""


def test_train_profiles_and_writes_a_trace(tmp_path):
    done = train(
        tmp_path, PROFILED, "--device", "reference", "--profile", "--profile-steps", "3", "--trace", "trace.json"
    )
    assert (done.returncode, done.stdout) == (0, "12\n"), done.stderr
    assert "3 × train: " in done.stderr
    assert "matmul [1, 4, 1]" in done.stderr
    names = {e["name"] for e in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
    assert names >= {"replay", "submit"}
    done = train(tmp_path, PROFILED, "--device", "reference", "--trace", "trace.json")
    assert (done.returncode, done.stderr) == (1, "train --trace: expected --profile, too; a trace is a profile's\n")


def test_train_goes_on_without_a_trace_that_cannot_be_written(tmp_path):
    script = f"import os\nos.mkdir('trace.json')\n{PROFILED}"
    done = train(tmp_path, script, "--device", "reference", "--profile", "--trace", "trace.json")
    assert (done.returncode, done.stdout) == (1, "12\n"), done.stderr
    assert " × train: " in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "trace.json" in line]
    assert line.startswith("train --trace: expected a regular file at ")
    assert line.endswith("trace.json, got a folder; name another file")


def test_train_on_the_web_says_what_is_missing(tmp_path, monkeypatch):
    script = tmp_path / "script.py"
    script.write_text("")
    monkeypatch.setattr(checkout, "find", lambda file: None)
    result = runner.invoke(cli.app, ["train", str(script), "--device", "web"])
    assert result.exit_code == 1
    assert "clone tabgrad's repository" in result.stderr
    monkeypatch.setattr(checkout, "find", lambda file: Path("/checkout") / file)
    monkeypatch.setattr("shutil.which", lambda name: None)
    result = runner.invoke(cli.app, ["train", str(script), "--device", "web"])
    assert "install Node 20 or newer" in result.stderr


def test_serve_runs_the_checkouts_script(monkeypatch):
    commands = []
    monkeypatch.setattr(checkout, "find", lambda file: Path("/checkout") / file)
    monkeypatch.setattr(cli, "_run", lambda command: commands.append(command) or 0)
    assert runner.invoke(cli.app, ["serve", "--out", "site"]).exit_code == 0
    assert commands == [[sys.executable, "/checkout/build_scripts/serve.py", "--out", "site"]]


def test_serve_without_a_checkout_says_where_to_get_it(monkeypatch):
    monkeypatch.setattr(checkout, "find", lambda file: None)
    result = runner.invoke(cli.app, ["serve"])
    assert result.exit_code == 1
    assert "clone tabgrad's repository and run the command inside the clone" in result.stderr


def test_doctor_lists_everything_and_succeeds(monkeypatch):
    from tabgrad.command_line import doctor

    monkeypatch.setattr(
        doctor,
        "checks",
        lambda: iter(
            [
                doctor.Check(name="Python", state="ok", found="3.11"),
                doctor.Check(name="Node", state="missing", found="not found", remedy="install Node"),
            ]
        ),
    )
    result = runner.invoke(cli.app, ["doctor"])
    assert result.exit_code == 0
    assert "install Node" in result.stdout
    assert "1 missing" in result.stdout


def test_checkout_is_found_around_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "py_core" / "tabgrad").mkdir(parents=True)
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "run.mjs").write_text("")
    (tmp_path / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "down")
    assert checkout.find("web/run.mjs") == tmp_path / "web" / "run.mjs"
    assert checkout.find("web/other.mjs") is None


def winners_file(path):
    from tabgrad.compiler.variant import Measured, variant
    from tabgrad.devices.base import AdapterInfo, Limits
    from tabgrad.tuner import winners

    info = AdapterInfo(name="A GPU", vendor="v", backend="b", kind="gpu")
    found = winners.winner(Measured(variant("elementwise/map", workgroup=256), "0f"), "add [2]", 1.0, 0.5)
    entry = winners.entry_of(info, {"key": found})
    path.write_text(winners.to_text({**winners.empty(), "adapters": {winners.adapter_id(info, Limits()): entry}}))


def test_tune_imports_shows_exports_and_clears(tmp_path, monkeypatch):
    monkeypatch.setenv("TABGRAD_CACHE", str(tmp_path / "cache"))
    tuners = current().own(TunerRegistry)
    tuners.store = None  # the one of the environment
    winners_file(tmp_path / "in.json")
    assert "nothing has been measured" in runner.invoke(cli.app, ["tune", "show"]).output
    assert runner.invoke(cli.app, ["tune", "import", str(tmp_path / "in.json")]).output == "1 winners imported\n"
    shown = runner.invoke(cli.app, ["tune", "show"], env={"COLUMNS": "200"}).output
    assert "A GPU" in shown
    assert "elementwise/map workgroup=256" in shown
    assert runner.invoke(cli.app, ["tune", "export", str(tmp_path / "out.json")]).exit_code == 0
    assert (tmp_path / "out.json").read_text() == (tmp_path / "in.json").read_text()
    assert runner.invoke(cli.app, ["tune", "clear"]).output == "1 winners forgotten\n"
    assert "nothing has been measured" in runner.invoke(cli.app, ["tune", "show"]).output
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("no/out.json", "its folder does not exist"), ("pipe", "got a FIFO or pipe")):
        refused = runner.invoke(cli.app, ["tune", "export", str(tmp_path / name)])
        assert refused.exit_code == 1
        assert refused.output.startswith("tune export: expected ")
        assert message in refused.output and refused.output.count("\n") == 1
    (tmp_path / "bad.json").write_text("{}")
    refused = runner.invoke(cli.app, ["tune", "import", str(tmp_path / "bad.json")])
    assert refused.exit_code == 1
    tuners.store = None


def test_train_takes_how_kernels_are_tuned(tmp_path):
    source = "import tabgrad as tg\nprint(tg.tuning())"
    done = train(tmp_path, source, "--device", "reference", "--tuning", "before:5")
    assert done.stdout == "Tuning(mode='before', budget_s=5.0)\n"
    refused = train(tmp_path, source, "--device", "reference", "--tuning", "never")
    assert refused.returncode == 1
    assert "train --tuning: expected off, background or before" in refused.stderr


def test_train_as_torch_runs_a_script_of_pytorchs(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import torch\nfrom torch import nn\nprint(torch.__name__, nn.Linear(2, 1)(torch.ones(3, 2)).shape)\n"
        "print(torch.manual_seed(0) is torch.default_generator, torch.randperm(5).tolist())"
    )
    done = tabgrad("train", "--device", "reference", "--as-torch", "--torch-rng", script)
    assert (done.returncode, done.stdout) == (0, b"tabgrad torch.Size([3, 1])\nTrue [4, 0, 1, 3, 2]\n"), done.stderr
