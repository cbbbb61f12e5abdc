"""The command ``tabgrad``: serve the page, look at this machine, train a script."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.markup import escape
from rich.table import Table

from tabgrad.command_line import checkout, console, streams
from tabgrad.command_line.child import run as _run
from tabgrad.command_line.script_file import check_script, read_script
from tabgrad.devices import BACKENDS, KINDS
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


class TargetName(enum.StrEnum):
    """The kind of adapter that kernels are compiled for."""

    GPU = "gpu"
    SOFTWARE = "software"


def _device_kind(name: str) -> str:
    """The name of a kind of device, checked."""
    if name not in KINDS:
        raise typer.BadParameter(f"expected one of {', '.join(KINDS)}, got {name!r}")
    return name


def _in_node(device: str) -> bool:
    """Whether a device exists only where Python runs in wasm, which is in Node here."""
    return device in BACKENDS and BACKENDS[device].platform == "wasm"


_DEVICES = "|".join(KINDS)


@app.command(context_settings=_PASS_ON)
def serve(context: typer.Context) -> None:
    """Build the page and serve it on localhost; arguments are passed to build_scripts/serve.py (see --help)."""
    script = checkout.find("build_scripts/serve.py")
    if script is None:
        _fail(f"serve: expected build_scripts/serve.py, found none; {checkout.HOW_TO_GET}")
    raise typer.Exit(_run([sys.executable, str(script), *context.args]))


@app.command()
def doctor() -> None:
    """Report what is installed on this machine, what is missing, and how to get it."""
    from tabgrad.command_line.doctor import checks

    table = Table("", "part", "found", "how to get it", show_lines=True)
    missing = 0
    for check in checks():
        missing += check.state == "missing"
        table.add_row(_MARKS[check.state], check.name, escape(check.found), escape(check.remedy))
    screen = console.output()
    screen.print(table)
    screen.print(f"{missing} missing; the NumPy reference device always works." if missing else "Everything is there.")


@app.command(context_settings=_PASS_ON)
def train(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="A training script; may use await at its top level.")],
    device: Annotated[
        str,
        typer.Option(
            parser=_device_kind, metavar=_DEVICES, help="auto: a GPU adapter here, else NumPy. web: WebGPU in Node."
        ),
    ] = "auto",
    tuning: Annotated[
        str | None,
        typer.Option(
            metavar="MODE[:SECONDS]",
            help="When kernels are tuned: background (between steps), before (the first step), or off.",
        ),
    ] = None,
    as_torch: Annotated[
        bool, typer.Option("--as-torch", help="Run a script written for PyTorch: import torch means tabgrad.")
    ] = False,
    torch_rng: Annotated[
        bool, typer.Option("--torch-rng", help="One seed gives PyTorch's random numbers, to compare a run with it.")
    ] = False,
    full_traceback: Annotated[bool, typer.Option(help="Show tabgrad's own lines in a script's error too.")] = False,
    profile: Annotated[
        bool, typer.Option("--profile", help="Time the kernels of its first steps, and print a table.")
    ] = False,
    profile_steps: Annotated[int, typer.Option(metavar="N", min=1, help="How many steps to profile.")] = 16,
    trace: Annotated[Path | None, typer.Option(help="Write the profile for ui.perfetto.dev to this file.")] = None,
) -> None:
    """Run SCRIPT with a progress bar and a summary; what follows its name is passed on to it."""
    from tabgrad.command_line.trace_file import TraceFile

    if trace is not None and not profile:
        _fail("train --trace: expected --profile, too; a trace is a profile's")
    try:
        trace_file = None if trace is None else TraceFile(trace)
        if not _in_node(device):
            source = read_script(script, "train")
        else:
            check_script(script, "train")
    except TabgradError as error:
        _fail(str(error))
    if _in_node(device):
        options = ["--profile", "--profile-steps", str(profile_steps)] if profile else []
        options += ["--trace", str(trace)] if trace is not None else []
        options += ["--tuning", tuning] if tuning is not None else []
        options += ["--as-torch"] if as_torch else []
        options += ["--torch-rng"] if torch_rng else []
        raise typer.Exit(_train_in_node(device, script, context.args, options))
    from tabgrad.command_line.script_run import errors_shown, train_here

    shown = errors_shown(
        script, device, full_traceback=full_traceback, tuning=tuning, as_torch=as_torch, torch_rng=torch_rng
    )
    with shown as name:
        train_here(source, name, context.args, profile_steps if profile else 0, trace_file)
    if trace_file is not None and trace_file.problem is not None:
        _fail(trace_file.problem)


@tune.command()
def show() -> None:
    """List the fastest variants found, per adapter."""
    from tabgrad.tuner import manage

    table = Table("adapter", "kernel", "variant", "ms", "heuristic's ms", "found")
    for adapter, winner in manage.held():
        numbers = (f"{winner.ms:.3g}", f"{winner.heuristic_ms:.3g}") if winner.ms else ("too short", "to tell")
        table.add_row(escape(adapter), escape(winner.kernel), escape(str(winner.variant)), *numbers, winner.found)
    if table.row_count:
        console.output().print(table)
    else:
        print("nothing has been measured yet; tabgrad train --tuning before SCRIPT.py measures")


@tune.command("export")
def export_winners(file: Annotated[Path, typer.Argument(help="The JSON file to write.")]) -> None:
    """Write all winners to one FILE, for other machines with the same GPU."""
    from tabgrad.atomic_file import write_atomically
    from tabgrad.tuner import manage

    try:
        write_atomically(manage.export_text().encode(), file, caller="tune export")
    except TabgradError as error:
        _fail(str(error))


@tune.command("import")
def import_winners(
    file: Annotated[Path, typer.Argument(help="A JSON file that tune export, or the page, wrote.")],
) -> None:
    """Add the winners of FILE."""
    from tabgrad.tuner import manage

    try:
        count = manage.import_file(file)
    except (OSError, TabgradError) as error:
        _fail(f"tune import: {error}")
    print(f"{count} winners imported")


@tune.command()
def clear() -> None:
    """Delete all winners; kernels are then measured again."""
    from tabgrad.tuner import manage

    print(f"{manage.clear()} winners forgotten")


@app.command(context_settings=_PASS_ON)
def explain(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="A training script; what follows its name is passed on to it.")],
    device: Annotated[
        str, typer.Option(parser=_device_kind, metavar=_DEVICES, help="The script's device; needs no GPU.")
    ] = "auto",
    target: Annotated[
        TargetName | None, typer.Option("--for", help="The adapter's kind. Default: the device's own, else gpu.")
    ] = None,
    tflops: Annotated[float | None, typer.Option(help="The adapter's peak arithmetic rate, in TFLOP/s.")] = None,
    gbps: Annotated[float | None, typer.Option(help="Its peak memory bandwidth, in GB/s.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All programs, not only the first training one.")] = False,
    wgsl: Annotated[int | None, typer.Option(metavar="N", help="Print only kernel N and its source.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")] = False,
    as_torch: Annotated[
        bool, typer.Option("--as-torch", help="Explain a script written for PyTorch: import torch means tabgrad.")
    ] = False,
    program: Annotated[
        bool, typer.Option("--program", help="Print the program itself as JSON, as Program.from_json reads it.")
    ] = False,
) -> None:
    """Explain a training step of SCRIPT: kernels, memory, lower bounds of time. Nothing is trained."""
    from tabgrad.command_line import script_graphs
    from tabgrad.command_line.script_run import errors_shown

    if _in_node(device):
        here = ", ".join(kind for kind in KINDS if not _in_node(kind))
        _fail(f"explain: expected --device {here}, got {device}; add --for gpu to see a GPU's kernels")
    try:
        source = read_script(script, "explain")
    except TabgradError as error:
        _fail(str(error))
    with errors_shown(script, device, as_torch=as_torch) as name:
        graphs = asyncio.run(script_graphs.graphs_of(source, name, context.args, everything=everything))
    kind = None if target is None else target.value
    try:
        programs = script_graphs.programs_of(graphs, everything=everything, target=kind, tflops=tflops, gbps=gbps)
    except TabgradError as error:
        _fail(str(error))
    if program:
        if everything or wgsl is not None:
            _fail("explain --program: expected neither --all nor --wgsl; it prints the first program that trains")
        print(programs[0].program.to_json())
    elif wgsl is not None:
        _show_kernel(programs[0], wgsl, as_json)
    elif as_json:
        print(json.dumps([p.to_dict() for p in programs] if everything else programs[0].to_dict()))
    else:
        _show_programs(programs)


def _show_programs(programs: list[Any]) -> None:
    from tabgrad.command_line.print_sheet import show
    from tabgrad.inspection.explanation_sheets import sheets

    screen = console.output(wide=True)
    for program in programs:
        for sheet in sheets(program):
            show(sheet, screen)


def _show_kernel(program: Any, number: int, as_json: bool) -> None:
    from tabgrad.inspection.explanation_sheets import kernel_details

    if not 0 <= number < len(program.kernels):
        _fail(f"explain --wgsl: expected a kernel from 0 to {len(program.kernels) - 1}, got {number}")
    kernel = program.kernels[number]
    if as_json:
        print(json.dumps({**dataclasses.asdict(kernel), "wgsl": program.wgsl(number)}))
    else:
        print("\n".join(f"// {line}" for line in kernel_details(program, kernel)))
        print(program.wgsl(number))


def _train_in_node(device: str, script: Path, arguments: list[str], options: list[str]) -> int:
    harness = checkout.find("web/node/run.mjs")
    if harness is None:
        _fail(f"train --device web: expected web/node/run.mjs, found none; {checkout.HOW_TO_GET}")
    node = shutil.which("node")
    if node is None:
        _fail("train --device web: expected the program node, found none; install Node 20 or newer")
    try:
        os.getcwd()
    except OSError:
        _fail(
            "train --device web: expected a working directory that exists, got one that was deleted; change to another"
        )
    return _run([node, str(harness), "--device", device, *options, str(script), *arguments])


def _fail(message: str) -> NoReturn:
    console.tell(message)
    raise typer.Exit(1)


def main() -> None:
    """Entry point of the command."""
    streams.open_closed()
    console.encode_all()
    try:
        app()
    except SystemExit as request:
        status = request.code if isinstance(request.code, int) else 1
    except OSError as error:
        if not streams.is_full(error):
            raise
        console.tell(f"tabgrad: expected to write the output, got: {error.strerror}")
        status = 1
    sys.exit(streams.flush(status))
