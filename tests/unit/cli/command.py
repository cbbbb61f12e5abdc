"""The command ``tabgrad`` in a separate process: on pipes, files, or a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tabgrad import cli

COMMAND = (sys.executable, "-c", "from tabgrad.cli import main; main()")
TIMEOUT_S = 120  # a hang, not a slow machine


def environment(**changes: str | None) -> dict[str, str]:
    """This process's environment with changes; ``None`` removes a variable."""
    package = str(Path(cli.__file__).resolve().parents[1])
    merged = {**os.environ, "PYTHONPATH": package, **changes}
    return {name: value for name, value in merged.items() if value is not None}


def tabgrad(*arguments: str | Path, env: dict[str, str | None] | None = None, **options: Any) -> Any:
    """Run the command; returns its output as bytes."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": TIMEOUT_S, **options}
    return subprocess.run([*COMMAND, *arguments], env=environment(**env or {}), check=False, **options)


class Terminal:
    """A terminal on which the command runs; ``stdout`` goes to a file if one is given."""

    def __init__(
        self,
        arguments: Sequence[str | Path],
        *,
        stdout: int | None = None,
        env: dict[str, str | None] | None = None,
        size: tuple[int, int] = (24, 100),
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        changes: dict[str, str | None] = {"TERM": "xterm", "COLUMNS": None, "LINES": None, **(env or {})}
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=slave,
            stdout=slave if stdout is None else stdout,
            stderr=slave,
            env=environment(**changes),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(2, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.received = b""

    def read_until(self, seen: Callable[[bytes], bool]) -> bytes:
        """Read until the condition holds for all output so far, or the command has ended."""
        deadline = time.monotonic() + TIMEOUT_S
        while not seen(self.received):
            assert time.monotonic() < deadline, self.received
            if not select.select([self._master], [], [], 1)[0]:
                continue
            try:
                data = os.read(self._master, 65536)
            except OSError:  # no process has it open any more
                break
            if not data:
                break
            self.received += data
        return self.received

    def hang_up(self) -> None:
        """Close the terminal; its processes get SIGHUP."""
        os.close(self._master)
        self._master = -1

    def finish(self) -> tuple[int, bytes]:
        """Wait for the end; returns the status and all output to the terminal."""
        if self._master >= 0:
            self.read_until(lambda _: False)
            os.close(self._master)
        return self.process.wait(TIMEOUT_S), self.received


_SEQUENCE = re.compile(rb"\x1b\[(\??[\d;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+")


def screen(received: bytes) -> list[str]:
    """The screen of a terminal of any height after this output; supports what a progress bar uses."""
    lines: list[str] = [""]
    row = column = 0
    for match in _SEQUENCE.finditer(received):
        arguments, kind = match[1], match[2]
        if match[0] == b"\r":
            column = 0
        elif match[0] == b"\n":  # the driver turns it into "\r\n"
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif kind is None:
            text = match[0].decode(errors="replace")
            old = lines[row].ljust(column)
            lines[row] = old[:column] + text + old[column + len(text) :]
            column += len(text)
        elif kind == b"A":
            row -= int(arguments or 1)
        elif kind == b"K":
            assert arguments == b"2", match[0]
            lines[row] = ""
        else:
            assert kind in b"mhl", match[0]
    return [line.rstrip() for line in lines]
