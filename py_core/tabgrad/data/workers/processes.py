"""Workers as processes, natively. Each is a Python of its own that has not run the script."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
import weakref
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait

import numpy as np

from tabgrad.data.workers.crew import Crew, Heard
from tabgrad.data.workers.packed import Packed
from tabgrad.session import Session, current

MOST_IDLE = 8
PATIENCE_S = 1.0  # for a process that has closed its connection to end


class _Process:
    """A process, connected by a pair of sockets. It ends when its connection does."""

    def __init__(self) -> None:
        self.connection, theirs = Pipe()
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tabgrad.data.workers.process", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
            )

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()

    def why(self) -> str:
        """How it ended, as a clause."""
        self.connection.close()
        try:
            status = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            return "it closed its connection"
        return f"it ended by {signal.Signals(-status).name}" if status < 0 else f"it ended with status {status}"


class _Idle:
    """A session's processes that wait for a loader."""

    def __init__(self, _: Session) -> None:
        self._processes: list[_Process] = []
        weakref.finalize(self, _end_all, self._processes)

    def take(self) -> _Process:
        """One of them, or a new one."""
        while self._processes:
            process = self._processes.pop()
            if process.is_alive():
                return process
            process.end()
        return _Process()

    def keep(self, process: _Process) -> None:
        """Keep one, of which there may be some."""
        self._processes.append(process)
        if len(self._processes) > MOST_IDLE:
            self._processes.pop(0).end()


def _end_all(processes: list[_Process]) -> None:
    for process in processes:
        process.end()


class Processes(Crew):
    """A process for each worker."""

    def __init__(self) -> None:
        self._idle = current().own(_Idle)
        self._processes: dict[int, _Process] = {}

    def start(self, number: int) -> None:
        self.end(number)
        self._processes[number] = self._idle.take()

    def send(self, number: int, message: Packed) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it is gone, which `hear` tells
            send(self._processes[number].connection, message)

    def hear(self, timeout_s: float | None) -> Heard | None:
        numbers = {id(p.connection): n for n, p in self._processes.items() if not p.connection.closed}
        ready = wait([self._processes[n].connection for n in numbers.values()], timeout_s)
        if not ready:
            return None
        number = numbers[id(ready[0])]
        try:
            return Heard(number, receive(self._processes[number].connection))
        except (EOFError, ConnectionResetError):
            return Heard(number, None, self._processes[number].why())

    async def hear_async(self, timeout_s: float | None) -> Heard | None:
        end = None if timeout_s is None else time.monotonic() + timeout_s
        loop = asyncio.get_running_loop()
        while (heard := self.hear(0)) is None and (end is None or time.monotonic() < end):
            anything = asyncio.Event()
            watched = [p.connection.fileno() for p in self._processes.values() if not p.connection.closed]
            for fd in watched:
                loop.add_reader(fd, anything.set)
            try:
                await asyncio.wait_for(anything.wait(), None if end is None else max(0.0, end - time.monotonic()))
            except TimeoutError:
                pass
            finally:
                for fd in watched:
                    loop.remove_reader(fd)
        return heard

    def release(self, number: int) -> None:
        self._idle.keep(self._processes.pop(number))

    def end(self, number: int) -> None:
        process = self._processes.pop(number, None)
        if process is not None:
            process.end()


def send(connection: Connection, message: Packed) -> None:
    """One message, and the arrays behind it."""
    connection.send_bytes(np.array([len(message.data), *map(len, message.buffers)], np.int64).tobytes())
    for part in (message.data, *message.buffers):
        if len(part):
            connection.send_bytes(part)


def receive(connection: Connection) -> Packed:
    """What :func:`send` sent.

    Raises:
        EOFError: the other end is gone.
    """
    parts = []
    for size in np.frombuffer(connection.recv_bytes(), np.int64):
        part = bytearray(size)  # written to in place
        if size:
            connection.recv_bytes_into(part)
        parts.append(part)
    return Packed(bytes(parts[0]), parts[1:])


__all__ = ["Processes", "receive", "send"]
