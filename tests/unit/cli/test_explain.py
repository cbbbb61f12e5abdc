import json

import pytest

from tabgrad.program import Program
from unit.cli.forked import forked

TRAINER = """
import numpy as np
import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer
x = np.zeros((10, 3), np.float32)
data = TensorDataset(x, x[:, :1])
model = nn.Linear(3, 1)
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1))
print("before")
await trainer.fit(DataLoader(data, batch_size=4), DataLoader(data, batch_size=10), epochs=3)
print("never")
"""
LOOP = """
import numpy as np
import tabgrad as tg
from tabgrad import nn, optim
model = nn.Linear(3, 1)
optimizer = optim.SGD(model.parameters(), lr=0.1)
def step(x, y):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss
step = {how}(step)
@tg.compile
def evaluate(x):
    with tg.no_grad():
        return model(x).sum()
for epoch in range(3):
    for n in range(1000):
        try:
            loss = step(tg.zeros(4, 3), tg.ones(4, 1))
        except Exception:
            pass
    print("epoch", evaluate(tg.zeros(2, 3)).item())
"""


def explain(tmp_path, source, *options):
    script = tmp_path / "script.py"
    script.write_text(source)
    return forked("explain", script, *options, folder=tmp_path)


def test_explain_stops_before_training(tmp_path):
    done = explain(tmp_path, TRAINER, "--device", "reference")
    assert done.returncode == 0, done.stderr
    first, *table = done.stdout.splitlines()
    assert first == "before"
    assert "never" not in done.stdout
    assert table[0].startswith("train: ")
    assert "for gpu" in table[0]
    assert all(len(line) <= 100 for line in table)
    assert "must live: parameters" in done.stdout


@pytest.mark.parametrize("how", ["tg.compile", ""])
def test_explain_of_a_loop_of_ones_own(tmp_path, how):
    done = explain(tmp_path, LOOP.format(how=how), "--device", "reference", "--json")
    assert done.returncode == 0, done.stderr
    program = json.loads(done.stdout)
    assert program["name"] == ("step" if how else "eager")
    assert program["kernels"][0]["label"].startswith("matmul [1, 4, 1]")
    assert any(b["role"] == "state" for b in program["buffers"])


def test_all_lists_the_other_programs_too(tmp_path):
    done = explain(tmp_path, TRAINER, "--device", "reference", "--all", "--json")
    programs = json.loads(done.stdout.splitlines()[-1])
    assert [p["name"] for p in programs] == ["train", "train", "validate", "predict"]  # a last batch is smaller
    script = LOOP.format(how="tg.compile").replace("range(1000)", "range(2)").replace("range(3)", "range(99)")
    done = explain(tmp_path, script, "--device", "reference", "--all", "--json")
    assert [p["name"] for p in json.loads(done.stdout.splitlines()[-1]) if p["name"] != "eager"] == ["step", "evaluate"]
    assert 1 <= done.stdout.count("epoch") < 99


def test_wgsl_prints_one_kernel(tmp_path):
    done = explain(tmp_path, TRAINER, "--device", "reference", "--for", "software", "--wgsl", "3")
    assert "// kernel 3: matmul" in done.stdout  # the first ones gather a batch
    assert "fn main(" in done.stdout
    done = explain(tmp_path, TRAINER, "--device", "reference", "--wgsl", "99")
    assert done.returncode == 1
    assert "expected a kernel from 0 to" in done.stderr


def test_a_script_that_trains_nothing_is_refused(tmp_path):
    done = explain(tmp_path, "import tabgrad as tg\nprint(tg.ones(3).sum().item())", "--device", "reference")
    assert done.returncode == 1
    assert "expected a script that trains, got one that ended after compiling 1 programs" in done.stderr
    assert "Traceback" not in done.stderr
    done = explain(tmp_path, "raise KeyError('x')", "--device", "reference")
    assert done.returncode == 1
    assert "KeyError: 'x'" in done.stderr


def test_program_is_printed_as_json_for_other_processes(tmp_path):
    done = explain(tmp_path, TRAINER, "--device", "reference", "--for", "software", "--program")
    assert done.returncode == 0, done.stderr
    program = Program.from_json(done.stdout.splitlines()[-1])
    assert {b.role for b in program.buffers} == {"input", "state", "scratch"}
    assert "float32" in program.scalars  # the learning rate
    assert all(source.startswith("// ") for source in program.shaders)
    assert all(d.instructions for d in program.dispatches)
    done = explain(tmp_path, TRAINER, "--device", "reference", "--program", "--all")
    assert (done.returncode, done.stderr.split(";")[0]) == (1, "explain --program: expected neither --all nor --wgsl")
