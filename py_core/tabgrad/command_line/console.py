"""The command's own consoles: tables on the standard output, progress and errors on the standard error."""

from __future__ import annotations

import io
import sys
from contextlib import suppress

from rich.console import Console

from tabgrad.sheet import WIDTH


class _Output(Console):
    def on_broken_pipe(self) -> None:
        raise  # the BrokenPipeError that is being handled: it ends the command


class _Progress(Console):
    def on_broken_pipe(self) -> None:
        self.quiet = True  # nobody reads of the progress any more; the run goes on


def output(*, wide: bool = False) -> Console:
    """The standard output.

    Args:
        wide: as wide as a sheet may be, where no terminal says how wide it is.
    """
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return _Output(width=WIDTH if wide and not is_terminal else None)


_ERRORS = getattr(sys.stdout, "errors", "strict")
"""What the standard output does by itself with characters that it cannot encode, before the command begins."""


def encode_all(on: bool = True) -> None:
    """Let the standard output replace characters that it cannot encode; or no longer, for a script's own output."""
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper) and not stream.closed:
        with suppress(OSError):
            stream.reconfigure(errors="replace" if on else _ERRORS)


def progress() -> Console:
    """The standard error, as it is now: a script may replace ``sys.stderr``."""
    return _Progress(file=sys.stderr, stderr=True)


def tell(message: object) -> None:
    """A line on the standard error, if there is one and somebody reads it."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(message, file=sys.stderr)
