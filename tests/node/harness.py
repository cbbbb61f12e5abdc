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
JSPI = "--experimental-wasm-stack-switching"  # of Node below 24; later ones take it, too

# Of V8: code that a short script runs once is neither compiled ahead nor optimized, which a start spends most time on.
SHORT = ("--wasm-lazy-compilation", "--no-wasm-dynamic-tiering", "--no-wasm-tier-up")


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


@functools.cache
def short_flags() -> tuple[str, ...]:
    """Node's flags for scripts that are soon over; none for a Node that does not have them."""
    tried = subprocess.run([prepared(), *SHORT, "--eval", ""], capture_output=True, check=False)
    return SHORT if tried.returncode == 0 else ()


def run_in_node(*arguments: str | Path, cwd: Path = ROOT, is_short: bool = True) -> Outcome:
    """Run ``node web/node/run.mjs ARGUMENTS``; the script sees its own folder and ``cwd``.

    ``is_short``: it computes for a second or two; a longer one is better compiled as for users.
    """
    done = subprocess.run(
        [prepared(), *(short_flags() if is_short else ()), RUN, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT_S,
        check=False,
    )
    return Outcome(status=done.returncode, stdout=done.stdout, stderr=done.stderr)
