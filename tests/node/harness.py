"""Runs a script through ``web/node/run.mjs``: Python in wasm, WebGPU by Dawn."""

from __future__ import annotations

import functools
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bundle
import environment
from paths import ROOT

RUN = ROOT / "web" / "node" / "run.mjs"
HERE = Path(__file__).parent
TIMEOUT_S = 300  # a hang, not a slow machine


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a run ended, and what it wrote."""

    status: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        """The last line that the script printed.

        Raises:
            AssertionError: it failed before; the message is what it wrote.
        """
        assert self.status == 0, f"node exited with {self.status}\n{self.stdout}\n{self.stderr}"
        return json.loads(self.stdout.splitlines()[-1])

    def events(self) -> list[dict[str, Any]]:
        """What tabgrad reported, of a run with ``--events``."""
        return [json.loads(line) for line in self.stdout.splitlines() if line.startswith("{")]


@functools.cache
def prepared() -> str:
    """The path of ``node``, once the Pyodide bundle and the npm packages are there.

    Raises:
        BuildError: they are missing and cannot be made.
    """
    environment.node_modules()
    bundle.ensure()
    return environment.node()


def run_in_node(*arguments: str | Path, cwd: Path = ROOT) -> Outcome:
    """Run ``node web/node/run.mjs ARGUMENTS``; the script sees its own folder and ``cwd``."""
    done = subprocess.run(
        [prepared(), RUN, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Outcome(status=done.returncode, stdout=done.stdout, stderr=done.stderr)


def run_here(name: str, *arguments: str | Path) -> Outcome:
    """Run a script of this folder on WebGPU, in the checkout's folder."""
    return run_in_node("--device", "web", HERE / name, *arguments)
