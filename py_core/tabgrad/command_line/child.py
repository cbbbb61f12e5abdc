"""Running another program in the foreground, in this one's place."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from types import FrameType

from tabgrad.command_line.ending import REQUESTS

PARENT_VARIABLE = "TABGRAD_PARENT"  # its process id: whoever finds another one to be its parent has lost this program


def run(command: Sequence[str]) -> int:
    """Run a program to its end; returns its status, 128 + the number of the signal that ended it.

    Ctrl+C is its to handle: the terminal sends it the signal, too. SIGTERM and SIGHUP are passed on to it.
    """
    received = 0
    process: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, _: FrameType | None) -> None:
        nonlocal received
        received = number
        if process is not None:
            process.send_signal(number)

    before = {n: signal.signal(n, pass_on) for n in REQUESTS if signal.getsignal(n) is signal.SIG_DFL}
    try:
        process = subprocess.Popen(command, env={**os.environ, PARENT_VARIABLE: str(os.getpid())})
        if received:  # before there was a process to pass it on to
            process.send_signal(received)
        status = _wait(process)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if received:
        return 128 + received
    return status if status >= 0 else 128 - status


def _wait(process: subprocess.Popen[bytes]) -> int:
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # the program got the signal too
