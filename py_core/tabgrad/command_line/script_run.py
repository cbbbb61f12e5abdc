"""Running a script in this process: its device, its errors, and the exit status."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from tabgrad.command_line import console, streams
from tabgrad.command_line.ending import ending_on_signals
from tabgrad.command_line.progress import RunDisplay
from tabgrad.command_line.trace_file import TraceFile
from tabgrad.errors import TabgradError


def train_here(source: str, name: str, arguments: Sequence[str], profile_steps: int, trace: TraceFile | None) -> None:
    """Run a script with a display of its training.

    Raises:
        BaseException: what the script raises.
    """
    from tabgrad.script import run_script
    from tabgrad.train import events

    with RunDisplay(console.progress()) as display, ending_on_signals(display):
        events.set_sink(display.show if trace is None else trace.writing(display.show, display.say))
        try:
            work: Coroutine[Any, Any, Any] = run_script(source, filename=name, argv=arguments)
            if profile_steps:
                from tabgrad.profiler import profiled

                work = profiled(work, events.emit, profile_steps)
            asyncio.run(work)
        finally:
            events.set_sink(None)


@contextlib.contextmanager
def errors_shown(
    script: Path,
    device: str,
    *,
    full_traceback: bool = False,
    tuning: str | None = None,
    as_torch: bool = False,
    torch_rng: bool = False,
) -> Iterator[str]:
    """A context in which a script runs on a device; an error is shown and ends the command, as in the interpreter.

    Yields the script's name for tracebacks.
    """
    import tabgrad
    from tabgrad import compat
    from tabgrad.command_line.script_error import script_traceback
    from tabgrad.tuner import parse

    try:
        tabgrad.tuning()  # raises here if the environment variable is wrong, not during the run
        if tuning is not None:
            setting = parse(tuning, "train --tuning")
            tabgrad.tuning(setting.mode, budget_s=setting.budget_s)
        tabgrad.set_default_device(device)
        if as_torch:
            compat.install_as_torch()
        if torch_rng:
            compat.torch_rng()
    except TabgradError as error:
        console.tell(error)
        raise typer.Exit(1) from None
    path = script.resolve() if script.is_file() else script.absolute()  # the resolved name of a pipe says nothing
    folder = str(path.parent)
    sys.path.insert(0, folder)  # as `python SCRIPT.py` does, so that it finds its neighbours
    console.encode_all(False)
    try:
        yield str(path)
    except SystemExit as request:
        raise typer.Exit(_exit_code(request)) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except BaseException as error:  # noqa: BLE001 - every error of a script is shown
        if isinstance(error, BrokenPipeError) and streams.reader_is_gone():
            console.tell("tabgrad: the reader of the script's output is gone, so the script was ended")
            raise typer.Exit(1) from None
        screen = console.progress()
        if full_traceback:
            screen.print_exception()
        else:
            text = script_traceback(error, folder)
            screen.print(text, style="red", highlight=False, markup=False, soft_wrap=True)
        raise typer.Exit(1) from None
    finally:
        console.encode_all()


def _exit_code(request: SystemExit) -> int:
    if request.code is None or isinstance(request.code, int):
        return request.code or 0
    console.tell(request.code)  # sys.exit("message"), as the interpreter treats it
    return 1
