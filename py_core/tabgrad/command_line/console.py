"""The command's own consoles: tables on the standard output, progress and errors on the standard error."""

from __future__ import annotations

import io
import sys
from contextlib import suppress

from rich.console import Console

from tabgrad.sheet import WIDTH


class _Output(Console):
    def on_broken_pipe(self) -> None:
        raise  # the current BrokenPipeError: it ends the command


class _Progress(Console):
    def on_broken_pipe(self) -> None:
        self.quiet = True  # the reader of the progress is gone; the run continues


def output(*, wide: bool = False) -> Console:
    """The standard output.

    Args:
        wide: use the widest layout where the terminal's width is unknown.
    """
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return _Output(width=WIDTH if wide and not is_terminal else None)


_ERRORS = getattr(sys.stdout, "errors", "strict")
"""The standard output's error handler for encoding before the command changes it."""


def encode_all(on: bool = True) -> None:
    """Make the standard output replace characters that it cannot encode, or restore it for a script's output."""
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper) and not stream.closed:
        with suppress(OSError):
            stream.reconfigure(errors="replace" if on else _ERRORS)


def progress() -> Console:
    """A console on the current ``sys.stderr``, which a script may replace."""
    return _Progress(file=sys.stderr, stderr=True)


def tell(message: object) -> None:
    """Print a line on the standard error, if it is open and has a reader."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(message, file=sys.stderr)
