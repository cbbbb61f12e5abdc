"""One Python in Node for many scripts: a start of Node and Pyodide takes seconds of a processor."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

from node.harness import HERE, JSPI, TIMEOUT_S, Outcome, prepared
from paths import ROOT


class OnePython:
    """Python in wasm over Dawn, which runs scripts one after the other; a new one is started if it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, script: str, *arguments: str | Path, device: str = "web") -> Outcome:
        """Run a script of this folder, in the checkout's folder and with a time limit of its own.

        Modules that earlier scripts imported stay. What is counted over the life of a process (the executor's
        counters) is to be compared with what was before.
        """
        if self._process is None or self._process.poll() is not None:
            command = [prepared(), JSPI, HERE / "scripts_in_node.mjs", ROOT]
            self._process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        limit = threading.Timer(TIMEOUT_S, process.kill)
        limit.start()
        try:
            asked = {"script": str(HERE / script), "arguments": list(map(str, arguments)), "device": device}
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        finally:
            limit.cancel()
        assert answer, f"{script}: Node ended with status {process.wait()}, or was ended after {TIMEOUT_S} s"
        return Outcome(**json.loads(answer))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate(timeout=TIMEOUT_S)
