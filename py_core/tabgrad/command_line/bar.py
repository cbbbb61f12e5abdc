"""A progress bar on the last line of a terminal during a run; printed text goes above it."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column

_REDRAW_S = 0.1
_PROCESS_EVENTS = frozenset({"subprocess.Popen", "os.system", "os.posix_spawn", "os.fork", "os.forkpty", "pty.spawn"})


class Bar:
    """The bar: drawn while it has fields and the cursor is at the beginning of a line.

    Inside a ``with`` block, Python's output to a terminal goes above the bar, byte for byte. A child process writes
    to the terminal directly, so the bar is removed before one starts, until the next :meth:`update`.
    If ``console`` is not a terminal, nothing is drawn and no stream is replaced.
    """

    def __init__(self, console: Console) -> None:
        self.enabled = console.is_interactive and console.file.isatty()  # with FORCE_COLOR, a pipe is interactive too
        self._progress = Progress(
            SpinnerColumn(table_column=_column()),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30, table_column=_column()),
            MofNCompleteColumn(table_column=_column()),
            TextColumn("{task.fields[numbers]}", markup=False),
            TimeRemainingColumn(table_column=_column()),
            console=console,
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            disable=not self.enabled,
        )
        self._task: TaskID | None = None
        self._lock = threading.RLock()
        self._drawn = False
        self._held = False  # while a child process writes
        self._at_line_start = True
        self._over = threading.Event()
        self._ticker: threading.Thread | None = None

    def update(self, **fields: Any) -> None:
        """Show these fields from the next redraw on."""
        with self._lock:
            self._held = False
            if self._task is None:
                self._task = self._progress.add_task(
                    fields.get("description", ""), total=fields.get("total"), numbers=""
                )
            self._progress.update(self._task, **fields)
            if self.enabled and self._ticker is None:
                self._ticker = threading.Thread(target=self._redraw_now_and_then, name="tabgrad bar", daemon=True)
                self._ticker.start()

    def remove(self) -> None:
        """Show nothing until the next :meth:`update`."""
        with self._lock:
            self._hide()
            if self._task is not None:
                self._progress.remove_task(self._task)
                self._task = None

    def above(self, write: Callable[[], int], data: bytes = b"") -> int:
        """Remove the bar, write ``data`` with ``write``, and draw the bar again below it."""
        with self._lock:
            self._hide()
            if data:
                self._at_line_start = data.endswith(b"\n")
            return write()

    @contextmanager
    def line(self) -> Iterator[None]:
        """A context in which the caller prints whole lines on the bar's console."""
        with self._lock:
            self._hide()
            if self.enabled and not self._at_line_start:
                self._progress.console.line()
                self._at_line_start = True
            yield

    @contextmanager
    def shown(self) -> Iterator[None]:
        """A context in which the bar can be drawn, and streams to a terminal write above it."""
        if not self.enabled:
            yield
            return
        _HOOKS.watch(self)
        streams = {name: _around(getattr(sys, name), self) for name in ("stdout", "stderr")}
        before = {name: getattr(sys, name) for name in streams}
        for name, stream in streams.items():
            setattr(sys, name, stream)
        try:
            yield
        finally:
            _HOOKS.watch(None)
            self._over.set()
            with suppress(OSError, ValueError):
                self.remove()
            for name, stream in streams.items():
                if stream is not before[name]:
                    with suppress(OSError, ValueError):
                        stream.flush()
                if getattr(sys, name) is stream:
                    setattr(sys, name, before[name])

    def before_process(self) -> None:
        """Hide the bar: a child process is about to start."""
        with self._lock, suppress(OSError):
            self._hide()
            self._held = True

    def in_fork(self) -> None:
        """After a fork: the copy has no drawing thread, and no thread that could release the lock."""
        self._lock = threading.RLock()
        self._drawn = False

    def _hide(self) -> None:
        if self._drawn:
            self._drawn = False
            self._progress.stop()

    def _redraw_now_and_then(self) -> None:
        while not self._over.wait(_REDRAW_S):
            with self._lock:
                if self._over.is_set():
                    return
                try:
                    self._draw()
                except OSError:  # the terminal was closed
                    return

    def _draw(self) -> None:
        if self._drawn:
            self._progress.refresh()
        elif self._task is not None and self._at_line_start and not self._held:
            self._drawn = True
            self._progress.start()


class _AboveBar(io.BufferedIOBase):
    """A terminal's binary stream whose writes go above the bar, at once."""

    def __init__(self, raw: Any, bar: Bar) -> None:
        self._raw = raw
        self._bar = bar

    def write(self, data: Any) -> int:
        """See :meth:`io.BufferedIOBase.write`."""

        def write() -> int:
            written: int = self._raw.write(data)
            self._raw.flush()  # before the bar is drawn again
            return written

        return self._bar.above(write, bytes(data[-1:]) if len(data) else b"")

    def flush(self) -> None:
        """See :meth:`io.IOBase.flush`."""
        self._raw.flush()

    def writable(self) -> bool:
        """True."""
        return True

    def fileno(self) -> int:
        """As the terminal's stream."""
        number: int = self._raw.fileno()
        return number

    def isatty(self) -> bool:
        """True."""
        return True

    @property
    def mode(self) -> str:
        """The mode of a file opened for writing."""
        return "wb"

    @property
    def name(self) -> Any:
        """As the terminal's stream."""
        return self._raw.name

    @property
    def raw(self) -> Any:
        """The stream itself, as a buffered stream has one."""
        return self

    def close(self) -> None:
        """Do nothing: the terminal stays open."""


def _around(stream: Any, bar: Bar) -> Any:
    """A stream that writes above the bar if ``stream`` writes to a terminal, else ``stream``."""
    raw = getattr(stream, "buffer", None)
    try:
        if raw is None or not stream.isatty():
            return stream
        stream.flush()
    except (OSError, ValueError):
        return stream
    around: TextIO = io.TextIOWrapper(
        _AboveBar(raw, bar),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    around.mode = "w"  # type: ignore[misc]
    return around


class _ProcessHooks:
    """Notifies a bar of child processes that start."""

    def __init__(self) -> None:
        self._bar: Bar | None = None
        self._installed = False

    def watch(self, bar: Bar | None) -> None:
        """Notify this bar from now on."""
        self._bar = bar
        if not self._installed:
            self._installed = True
            sys.addaudithook(self._on_audit)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self._on_fork)

    def _on_audit(self, event: str, _: Any) -> None:
        if event in _PROCESS_EVENTS and self._bar is not None:
            self._bar.before_process()

    def _on_fork(self) -> None:
        if self._bar is not None:
            self._bar.in_fork()


_HOOKS = _ProcessHooks()
"""The one of the process: the interpreter's hooks cannot be removed, so they are added once."""


def _column() -> Column:
    return Column(no_wrap=True)  # removing the bar clears exactly one line
