"""Interrupts of a script without a running trainer: like Ctrl+C, but never inside tabgrad's code."""

from __future__ import annotations

import asyncio
import inspect
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

# An exception inside these could leave a table incomplete for the next script.
_UNDISTURBED = (str(Path(__file__).parent), str(Path(asyncio.__file__).parent), "<frozen importlib")


class _Script:
    """The current script: its task, and the file name of its frames."""

    def __init__(self, task: asyncio.Task[Any], filename: str) -> None:
        self.task, self.filename = task, filename
        self.interrupted = False


class Interrupts:
    """The interpreter's handler of interrupts while it runs scripts.

    Args:
        signal_again: requests another interrupt after some more Python instructions.
    """

    def __init__(self, signal_again: Callable[[], object]) -> None:
        self._script: _Script | None = None
        self._signal_again = signal_again
        signal.signal(signal.SIGINT, self._handle)

    @contextmanager
    def interruptible(self, filename: str) -> Iterator[None]:
        """A context in which the current task runs the script ``filename``; an interrupt ends it without an error."""
        task = asyncio.current_task()
        assert task is not None, "a script runs in a task"
        script = self._script = _Script(task, filename)
        try:
            yield
        except (KeyboardInterrupt, asyncio.CancelledError):
            if not script.interrupted:
                raise
            while task.cancelling():
                task.uncancel()  # otherwise the next await after the script would raise
        finally:
            self._script = None
            sys.settrace(None)

    def interrupt(self) -> None:
        """Interrupt the script, if there is one."""
        script = self._script
        if script is None:
            return
        if inspect.getcoroutinestate(script.task.get_coro()) == inspect.CORO_SUSPENDED:  # type: ignore[arg-type]
            script.interrupted = True
            script.task.cancel()
        else:  # suspended inside a call, such as item()
            self._signal_again()

    def _handle(self, signum: int, frame: FrameType | None) -> None:
        """Python's handler of SIGINT: raises in the script's code, or in code it calls outside of tabgrad."""
        script = self._script
        if script is None:
            return
        undisturbed = False
        while frame is not None and frame.f_code.co_filename != script.filename:
            undisturbed = undisturbed or frame.f_code.co_filename.startswith(_UNDISTURBED)
            frame = frame.f_back
        if frame is None:  # the event loop, or a task of tabgrad's
            self._signal_again()
        elif undisturbed:
            frame.f_trace = self._raise_at_line
            sys.settrace(lambda *_: None)
        else:
            _raise(script)

    def _raise_at_line(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any]:
        """A trace function, called when a call from the script's frame has returned."""
        if event == "line" and self._script is not None:
            sys.settrace(None)
            _raise(self._script)
        return self._raise_at_line


def _raise(script: _Script) -> None:
    script.interrupted = True
    if asyncio.current_task() is script.task:
        raise KeyboardInterrupt
    script.task.cancel()
    raise asyncio.CancelledError  # ends another task of the script without a report
