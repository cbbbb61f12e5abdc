"""The benchmarks run in Node, and from a packed folder that knows nothing of the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from node.harness import TIMEOUT_S, prepared
from paths import ROOT


def reports(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def check(found: list[dict[str, Any]]) -> None:
    assert [(r["name"], r["device"], r["check"]) for r in found] == [("mlp", "web", "ok"), ("sum", "web", "ok")]
    for report in found:
        assert report["objects_created"] == 0
        assert report["submits"] == 1
        assert report["crossings"] == 1


def test_command_runs_in_node(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "tests" / "bench" / "run.py", "--on", "node", "--node", prepared()]
    chosen = ["mlp", "bandwidth", "--scale", "small", "--match", "sum", "--json", tmp_path / "lines"]
    done = subprocess.run([*command, *chosen], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    check(reports(tmp_path / "lines"))


def test_packed_folder_runs_alone(tmp_path: Path) -> None:
    folder = tmp_path / "packed"
    pack = [sys.executable, ROOT / "tests" / "bench" / "pack.py", folder]
    done = subprocess.run(pack, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    node = str(Path(prepared()).parent)
    kept = {name: os.environ[name] for name in ("VK_DRIVER_FILES", "LD_LIBRARY_PATH") if name in os.environ}
    done = subprocess.run(
        ["sh", folder / "bench.sh", "--scale", "small", "--match", "sum"],
        cwd=tmp_path,
        env={"PATH": f"{node}:/usr/bin:/bin", "NAMES": "mlp bandwidth", "TABGRAD_TUNING": "off", **kept},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    check(reports(folder / "results.jsonl"))
