"""Scripts that end oddly, in Node: each is told in a sentence, and the next one trains."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import endings
from daily import daily_random, of_today
from node.harness import HERE, JSPI, prepared, run_in_node
from web import scripts

COMBINATIONS = 8  # of each day


def run_all(tried: list[endings.Ending]) -> list[dict[str, Any]]:
    """Run scripts one after the other in one process; how each ended."""
    given = {"scripts": [{"source": e.source} for e in tried], "training": scripts.training(epochs=2)}
    done = subprocess.run(
        [prepared(), JSPI, HERE / "endings_in_node.mjs"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_ending_is_told_and_the_next_script_trains() -> None:
    rng = daily_random("endings in node")
    kept = of_today("endings in node", endings.of("node"), 2)
    combined = [endings.combination(rng, host="node") for _ in range(COMBINATIONS)]
    tried = [*combined, *kept]
    results = run_all(tried)
    assert len(results) == len(tried)
    for ending, result in zip(tried, results, strict=True):
        about = f"{ending}\n{ending.source}\n{result}"
        assert result["again"] == (None if ending.is_gone else 0), about
        if ending.status >= 0:
            assert result["status"] == ending.status, about
            told = f"{result['said']}\nthe script ended itself with exit status {result['status']}"
            assert re.search(ending.said, told), about


def test_process_ends_with_the_scripts_status_and_goes_on_after_what_nothing_caught(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import asyncio, js, sys\nasync def left(): await asyncio.sleep(60)\nasyncio.ensure_future(left())\n"
        "from pyodide.ffi import create_once_callable\ndef late(): raise ValueError('late')\n"
        "js.setTimeout(create_once_callable(late), 1)\nawait asyncio.sleep(0.05)\nprint('on')\n"
        "sys.exit(3)"
    )
    done = run_in_node("--device", "reference", script)
    assert (done.status, done.stdout) == (3, "on\n")
    lines = done.stderr.splitlines()
    assert lines[0] == "an error in a callback or a promise, which nothing caught; what runs goes on: "
    assert lines[-1] == "ValueError: late"


def test_crash_is_a_sentence_and_where(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os\n\ndef f():\n    os.abort()\n\nf()")
    done = run_in_node("--device", "reference", script)
    assert (done.status, done.stdout) == (134, "")
    assert done.stderr == (
        f'Traceback (most recent call last):\n  File "{script}", line 6, in <module>\n'
        f'  File "{script}", line 4, in f\nrun.mjs: Python was aborted\n'
    )


def test_script_that_waits_for_nothing_ends(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import asyncio\nawait asyncio.Future()")
    done = run_in_node("--device", "reference", script)
    assert (done.status, done.stdout) == (1, "")
    assert done.stderr == "run.mjs: the script awaits something that nothing will ever bring about\n"
