"""What a script prints in Node: all of it, in order, whoever reads it and however slowly."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from node.harness import RUN, prepared, run_in_node

COUNT = 100_000
MANY = f"""import sys, time
start = time.perf_counter()
for i in range({COUNT}):
    print(i)
print("unfinished", end="")
print(time.perf_counter() - start, file=sys.stderr)
"""


def write(folder: Path, source: str) -> Path:
    script = folder / "script.py"
    script.write_text(source)
    return script


def start(script: Path) -> subprocess.Popen[bytes]:
    command = [prepared(), RUN, "--device", "reference", script]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_many_lines_are_complete_and_quick(tmp_path: Path) -> None:
    done = run_in_node("--device", "reference", write(tmp_path, MANY), is_short=False)
    assert done.status == 0, done.stderr
    assert done.stdout == "".join(f"{i}\n" for i in range(COUNT)) + "unfinished"
    assert float(done.stderr.splitlines()[-1]) < 10


def test_slow_reader_gets_all(tmp_path: Path) -> None:
    with start(write(tmp_path, MANY)) as node:
        assert node.stdout is not None
        time.sleep(3)  # Python has started, and the pipe is full
        assert node.stdout.read().splitlines()[-2:] == [b"%d" % (COUNT - 1), b"unfinished"]
        assert node.wait(timeout=60) == 0


def test_reader_that_goes_away_ends_the_run_quietly(tmp_path: Path) -> None:
    with start(write(tmp_path, "while True: print('endless')")) as node:
        assert node.stdout is not None
        assert node.stderr is not None
        assert node.stdout.readline() == b"endless\n"
        node.stdout.close()
        assert node.wait(timeout=60) == 141  # as a shell reports SIGPIPE
        assert b"Error" not in node.stderr.read()


def test_streams_and_events_keep_their_order_and_answer_what_scripts_ask(tmp_path: Path) -> None:
    source = """import sys
from tabgrad.train import events
assert not sys.stdout.isatty() and not sys.stderr.isatty()
assert (sys.stdout.fileno(), sys.stderr.fileno()) == (1, 2)
for i in range(200):
    print(".", end="", flush=True)
    events.emit({"type": "pong", "id": i, "step": 0})
sys.stdout.buffer.write("ü\\n".encode()); sys.stdout.flush()
"""
    done = run_in_node("--events", "--device", "reference", write(tmp_path, source))
    assert done.status == 0, done.stderr
    pongs = [line for line in done.stdout.splitlines() if "pong" in line]
    assert pongs == [f'.{{"type":"pong","id":{i},"step":0}}' for i in range(200)]
    assert done.stdout.endswith("ü\n")
