"""Runs benchmarks in Node, natively and in the page, each in a process of its own, and prints a table.

    python3 tests/bench/run.py                                   # everything, in Node and natively
    python3 tests/bench/run.py mlp gemm --on node --json lines.jsonl
    python3 tests/bench/run.py --scale small                     # sizes that a software adapter manages
    python3 tests/bench/run.py plain fit --on page --gpu         # in Chromium, on the machine's GPU

Needs Node for ``--on node``, a Python with this package's dependencies for ``--on native`` and ``--on reference``, and
Chromium and Playwright for ``--on page``; this command itself needs nothing but Python. Ends with status 1 where a
benchmark failed or computed something wrong; never because of time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import catalog
from bench.table import Table

ROOT = Path(__file__).resolve().parents[2]
DEVICES = ("node", "native", "reference", "page")
SCRIPT = ROOT / "tests" / "bench" / "here.py"
DRIVER_CACHES = ("__GL_SHADER_DISK_CACHE_PATH", "MESA_SHADER_CACHE_DIR")  # where NVIDIA's and Mesa's keep kernels
_NATIVE = "from tabgrad.cli import main; main()"


def command(device: str, python: str, node: str) -> list[str]:
    """What runs ``here.py`` on a device; its arguments follow."""
    if device == "page":
        return [python, str(SCRIPT.with_name("in_page.py"))]
    if device == "node":
        return [node, str(ROOT / "web" / "node" / "run.mjs"), "--device", "web", str(SCRIPT)]
    return [python, "-c", _NATIVE, "train", "--device", device, str(SCRIPT)]


def reports(words: list[str], timeout_s: float) -> Iterator[dict[str, Any]]:
    """What a process reports as it runs.

    Raises:
        RuntimeError: it failed or took too long; says how it ended.
    """
    path = os.pathsep.join([str(ROOT / "py_core"), *filter(None, [os.environ.get("PYTHONPATH")])])
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors, tempfile.TemporaryDirectory() as empty:
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env={**os.environ, **dict.fromkeys(DRIVER_CACHES, empty), "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
        )
        assert process.stdout is not None
        late = threading.Event()
        timer = threading.Timer(timeout_s, lambda: (late.set(), process.kill()))
        timer.start()
        try:
            for line in process.stdout:
                if line.startswith("{"):
                    yield json.loads(line)
            status = process.wait()
        finally:
            timer.cancel()
            process.kill()
            process.stdout.close()
            process.wait()
        if late.is_set():
            raise RuntimeError(f"took more than {timeout_s:g} s")
        if status:
            errors.seek(0)
            said = errors.read().strip().splitlines()
            raise RuntimeError(f"ended with status {status}: {said[-1] if said else 'it said nothing'}")


def commit() -> str:
    """Which sources these are: the file COMMIT of a packed folder, or what git says."""
    packed = ROOT / "COMMIT"
    if packed.is_file():
        return packed.read_text().strip()
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def prepare_node() -> None:
    """Make the Pyodide bundle from the sources as they are now; a packed folder carries its own.

    Raises:
        subprocess.CalledProcessError: it cannot be made.
    """
    script = ROOT / "build_scripts" / "bundle.py"
    if script.is_file():
        subprocess.run([sys.executable, script], check=True, stdout=sys.stderr)


def default_python() -> str:
    """The checkout's environment with all dependencies, or the Python that runs this."""
    made = ROOT / "build" / "venv-test" / "bin" / "python"
    return str(made) if made.exists() else sys.executable


def main() -> int:
    """Parse the command line, run, print; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ", ".join(catalog.NAMES)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {names} (default: all)")
    parser.add_argument("--on", action="append", choices=DEVICES, help="may be repeated (default: node, native)")
    parser.add_argument("--scale", choices=catalog.SCALES, default="full")
    parser.add_argument("--match", default="", help="only kernels whose name contains this, such as 'gemm 1024'")
    parser.add_argument("--json", metavar="FILE", type=Path, help="append one line for each report")
    parser.add_argument("--timeout", type=float, default=900, metavar="SECONDS", help="for each name (default: 900)")
    parser.add_argument("--python", default=default_python(), help="for native and reference")
    parser.add_argument("--node", default="node")
    parser.add_argument("--gpu", action="store_true", help="in the page: the machine's GPU, not the software adapter")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(catalog.NAMES))
    if unknown:
        parser.error(f"expected names of {names}, got {', '.join(unknown)}")
    devices = options.on or ["node", "native"]
    if "node" in devices:
        prepare_node()
    arguments = ["--scale", options.scale, "--match", options.match, "--json", "-"]
    table, sources, wrong = Table(lambda line: print(line, flush=True)), commit(), 0

    def show(report: dict[str, Any]) -> None:
        nonlocal wrong
        wrong += report["check"] != "ok"
        table.add(report)
        if options.json:
            with options.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**report, "commit": sources}, ensure_ascii=False) + "\n")

    for device in devices:
        for name in options.names or catalog.NAMES:
            words = [*command(device, options.python, options.node), name, *arguments]
            words += ["--gpu"] if device == "page" and options.gpu else []
            try:
                for report in reports(words, options.timeout):
                    show(report)
            except (OSError, RuntimeError) as error:
                show({"kind": "failed", "name": name, "device": device, "scale": options.scale, "check": str(error)})
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
