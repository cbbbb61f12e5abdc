"""The command ``tabgrad`` in processes of its own, forked off one that has imported it: imports are most of a start.

For tests of what the command does; those of how it starts, of its streams and of signals start it as users do.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from unit.cli.command import TIMEOUT_S, environment

_FORKING = """
import json, os, sys
from tabgrad.cli import main

for line in sys.stdin:
    asked = json.loads(line)
    if (child := os.fork()) == 0:
        break  # on to the command
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit(0)

for number, path, mode in ((0, os.devnull, "r"), (1, asked["stdout"], "w"), (2, asked["stderr"], "w")):
    with open(path, mode) as file:
        os.dup2(file.fileno(), number)
sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
os.environ.clear()
os.environ.update(asked["environment"])
os.chdir(asked["folder"])
sys.argv = ["tabgrad", *asked["arguments"]]
main()
"""


class _Forking:
    """The process that has imported the command."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", _FORKING]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=environment(), start_new_session=True, **pipes)

    def run(self, asked: dict[str, Any]) -> int:
        """The status of a child's end."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        limit = threading.Timer(TIMEOUT_S, process.kill)
        limit.start()
        try:
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        finally:
            limit.cancel()
        assert answer, f"the process that forks ended, or was ended after {TIMEOUT_S} s"
        return int(answer)

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=TIMEOUT_S)


@functools.cache
def _forking() -> _Forking:
    return _Forking()


def close() -> None:
    """End the process that forks, if it was started."""
    if _forking.cache_info().currsize:
        _forking().close()
        _forking.cache_clear()


def forked(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder; its output and status."""
    with tempfile.TemporaryDirectory() as name:
        files = {stream: Path(name) / stream for stream in ("stdout", "stderr")}
        for file in files.values():
            file.touch()
        texts = list(map(str, arguments))
        status = _forking().run(
            {
                "arguments": texts,
                "folder": str(folder),
                "environment": environment(),
                **{stream: str(file) for stream, file in files.items()},
            }
        )
        said = {stream: file.read_text(encoding="utf-8") for stream, file in files.items()}
    return subprocess.CompletedProcess(texts, status, **said)
