"""The command's own consoles: tables on the standard output, progress and errors on the standard error."""

from __future__ import annotations

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
    """The standard output. Characters that it cannot encode are replaced.

    Args:
        wide: as wide as a sheet may be, where no terminal says how wide it is.
    """
    plain_output()
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return _Output(width=WIDTH if wide and not is_terminal else None)


def plain_output() -> None:
    """Let the standard output replace characters that it cannot encode; scripts' own output is not concerned."""
    with suppress(AttributeError, OSError, ValueError):  # it is closed, or no file
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]


def progress() -> Console:
    """The standard error, as it is now: a script may replace ``sys.stderr``."""
    return _Progress(file=sys.stderr, stderr=True)


def tell(message: object) -> None:
    """A line on the standard error, if there is one and somebody reads it."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(message, file=sys.stderr)
