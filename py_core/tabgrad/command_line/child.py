"""Running another program in the foreground, in place of this one."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from types import FrameType

from tabgrad.command_line.ending import REQUESTS

PARENT_VARIABLE = "TABGRAD_PARENT"  # this process's id: a child whose parent has another id was orphaned


def run(command: Sequence[str]) -> int:
    """Run a program; returns its exit status, or 128 + the number of the signal that ended it.

    The program handles Ctrl+C, which the terminal sends to it too. SIGTERM and SIGHUP are forwarded.
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
        if received:  # before the process existed
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
