"""The command ``tabgrad``: serve the page, look at this machine, train a script."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tabgrad.command_line import checkout
from tabgrad.errors import TabgradError

app = typer.Typer(
    help="Train neural networks in Python, on WebGPU: in a browser tab, in Node, or here.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
tune = typer.Typer(help="What kernel tuning found on this machine: show, export, import, clear.", no_args_is_help=True)
app.add_typer(tune, name="tune")
_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}
_MARKS = {"ok": "[green]ok[/]", "missing": "[red]missing[/]", "optional": "[yellow]optional[/]"}


class DeviceName(enum.StrEnum):
    """Where a script trains."""

    AUTO = "auto"
    WEB = "web"
    NATIVE = "native"
    REFERENCE = "reference"


@app.command(context_settings=_PASS_ON)
def serve(context: typer.Context) -> None:
    """Build the page and serve it on localhost; arguments go to build_scripts/serve.py (try --help)."""
    script = checkout.find("build_scripts/serve.py")
    if script is None:
        _fail(f"serve: expected build_scripts/serve.py, found none; {checkout.HOW_TO_GET}")
    raise typer.Exit(_run([sys.executable, str(script), *context.args]))


@app.command()
def doctor() -> None:
    """Say what this machine has, what is missing, and how to get it."""
    from tabgrad.command_line.doctor import checks

    table = Table("", "part", "found", "how to get it", show_lines=True)
    missing = 0
    for check in checks():
        missing += check.state == "missing"
        table.add_row(_MARKS[check.state], check.name, escape(check.found), escape(check.remedy))
    console = Console()
    console.print(table)
    console.print(f"{missing} missing; the NumPy reference device always works." if missing else "Everything is there.")


@app.command(context_settings=_PASS_ON)
def train(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="A training script; may use await at its top level.")],
    device: Annotated[
        DeviceName, typer.Option(help="auto: a GPU adapter here, else NumPy. web: WebGPU in Node.")
    ] = DeviceName.AUTO,
    tuning: Annotated[
        str | None,
        typer.Option(
            metavar="MODE[:SECONDS]",
            help="When kernels are tuned: background (between steps), before (the first step), or off.",
        ),
    ] = None,
    full_traceback: Annotated[bool, typer.Option(help="Show tabgrad's own lines in a script's error too.")] = False,
) -> None:
    """Run SCRIPT with a progress bar and a summary; what follows its name is passed on to it."""
    if not script.is_file():
        _fail(f"train: expected a script at {script}, found none")
    if device is DeviceName.WEB:
        raise typer.Exit(_train_in_node(script, tuning, context.args))
    raise typer.Exit(_train_here(script, device.value, tuning, context.args, full_traceback))


@tune.command()
def show() -> None:
    """List the fastest variants that were found, per adapter."""
    from tabgrad.compiler.tuner import manage

    table = Table("adapter", "kernel", "variant", "ms", "heuristic's ms", "found")
    for adapter, current, winner in manage.held():
        numbers = (f"{winner.ms:.3g}", f"{winner.heuristic_ms:.3g}") if winner.ms else ("too short", "to tell")
        found = winner.found if current else f"{winner.found}, by another version: not used"
        table.add_row(escape(adapter), escape(winner.kernel), escape(str(winner.variant)), *numbers, found)
    if table.row_count:
        Console().print(table)
    else:
        print("nothing has been measured yet; tabgrad train --tuning before SCRIPT.py measures")


@tune.command("export")
def export_winners(file: Annotated[Path, typer.Argument(help="The JSON file to write.")]) -> None:
    """Write all winners to one FILE, for other machines with such a GPU."""
    from tabgrad.compiler.tuner import manage

    try:
        file.write_text(manage.export_text(), encoding="utf-8")
    except OSError as error:
        _fail(f"tune export: {error}")


@tune.command("import")
def import_winners(
    file: Annotated[Path, typer.Argument(help="A JSON file that tune export, or the page, wrote.")],
) -> None:
    """Use the winners of FILE, too."""
    from tabgrad.compiler.tuner import manage

    try:
        print(f"{manage.import_text(file.read_text(encoding='utf-8'), str(file))} winners imported")
    except (OSError, UnicodeDecodeError, TabgradError) as error:
        _fail(f"tune import: {error}")


@tune.command()
def clear() -> None:
    """Forget all winners; kernels are then measured anew."""
    from tabgrad.compiler.tuner import manage

    print(f"{manage.clear()} winners forgotten")


def _train_in_node(script: Path, tuning: str | None, arguments: list[str]) -> int:
    harness = checkout.find("web/node/run.mjs")
    if harness is None:
        _fail(f"train --device web: expected web/node/run.mjs, found none; {checkout.HOW_TO_GET}")
    node = shutil.which("node")
    if node is None:
        _fail("train --device web: expected the program node, found none; install Node 20 or newer")
    options = [] if tuning is None else ["--tuning", tuning]
    return _run([node, str(harness), "--device", "web", *options, str(script), *arguments])


def _train_here(script: Path, device: str, tuning: str | None, arguments: list[str], full_traceback: bool) -> int:
    import tabgrad
    from tabgrad.command_line.progress import RunDisplay
    from tabgrad.command_line.script_error import script_traceback
    from tabgrad.compiler import tuner
    from tabgrad.script import run_script
    from tabgrad.train import events

    path = script.resolve()
    console = Console(stderr=True)
    try:
        if tuning is not None:
            setting = tuner.parse(tuning, "train --tuning")
            tabgrad.tuning(setting.mode, budget_s=setting.budget_s)
        tabgrad.device(device)  # type: ignore[arg-type]  # an enumeration keeps it to the names
    except TabgradError as error:
        _fail(str(error))
    sys.path.insert(0, str(path.parent))  # as `python SCRIPT.py` does, so that it finds its neighbours
    with RunDisplay(console) as display, _stopping(display, console):
        events.set_sink(display.show)
        try:
            asyncio.run(run_script(path.read_text(encoding="utf-8"), filename=str(path), argv=arguments))
        except SystemExit as request:
            return _exit_code(request)
        except KeyboardInterrupt:
            return 130
        except BaseException as error:  # noqa: BLE001 - a script may raise anything, and all of it is shown
            if full_traceback:
                console.print_exception()
            else:
                text = script_traceback(error, str(path.parent))
                console.print(text, style="red", highlight=False, markup=False, soft_wrap=True)
            return 1
        finally:
            events.set_sink(None)
    return 0


@contextlib.contextmanager
def _stopping(display: Any, console: Console) -> Iterator[None]:
    """Within: the first Ctrl+C during a fit stops it after its step, any other one ends the program."""
    from tabgrad.train import control

    asked = False

    def on_interrupt(*_: object) -> None:
        nonlocal asked
        if asked or not display.running:
            raise KeyboardInterrupt
        asked = True
        console.print("stopping after this step; press Ctrl+C again to leave at once")
        control.deliver({"type": "stop"})

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _exit_code(request: SystemExit) -> int:
    if request.code is None or isinstance(request.code, int):
        return request.code or 0
    print(request.code, file=sys.stderr)  # sys.exit("message"), as the interpreter treats it
    return 1


def _run(command: list[str]) -> int:
    """Run a program in the foreground; Ctrl+C is its to handle."""
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # the program got the signal too


def _fail(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    raise typer.Exit(1)


def main() -> None:
    """Entry point of the command."""
    app()
