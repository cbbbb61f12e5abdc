"""Imports go one way: each part of the package may use the parts below it, and no file uses itself through others."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import tabgrad

PACKAGE = Path(tabgrad.__file__).parent

# Part -> the parts that it may import, besides itself.
BELOW: dict[str, set[str]] = {
    "errors": set(),
    "atomic_file": {"errors"},
    "checks": {"errors"},
    "grad_mode": set(),
    "json_text": set(),
    "late": {"late_names"},
    "late_names": set(),
    "torch_names": set(),
    "sizes": set(),
    "methods": {"errors", "late", "placement"},
    "placement": {"errors"},
    "sheet": set(),
    "watched": set(),
    "dtypes": {"errors"},
    "random": {"checks", "placement"},
    "scalars": {"dtypes", "errors"},
    "messages": {"dtypes", "errors"},
    "graph": {"dtypes"},
    "program": {"dtypes", "errors", "graph", "json_text"},
    "devices": {"dtypes", "errors", "graph", "program"},
    "session": {"devices", "dtypes", "errors", "graph", "placement", "random"},
    "memory": {"graph"},
    "printing": {"dtypes", "errors", "session"},
    "tensor": {
        "dtypes",
        "errors",
        "grad_mode",
        "graph",
        "late",
        "memory",
        "methods",
        "placement",
        "printing",
        "session",
        "sizes",
    },
    "trees": {"tensor"},
    "keywords": {"errors", "placement", "tensor"},
    "tracing": {"dtypes", "errors", "grad_mode", "graph", "placement", "random", "session", "sizes", "tensor"},
    "argument_errors": {"argument_kinds", "errors", "tensor"},
    "argument_kinds": {"dtypes", "random", "tensor"},
    "names": {"argument_errors", "argument_kinds", "keywords", "methods", "session", "tracing"},
    "autograd": {"dtypes", "errors", "grad_mode", "graph", "late", "names", "session", "tensor", "tracing", "watched"},
    "ops": {
        "autograd",
        "checks",
        "devices",
        "dtypes",
        "errors",
        "graph",
        "late",
        "memory",
        "names",
        "placement",
        "random",
        "scalars",
        "session",
        "tensor",
        "tracing",
        "watched",
    },
    "compiler": {"devices", "dtypes", "errors", "graph", "ops", "program", "sizes"},
    "tuner": {
        "atomic_file",
        "compiler",
        "devices",
        "dtypes",
        "errors",
        "graph",
        "json_text",
        "messages",
        "ops",
        "program",
        "session",
    },
    "dtype_limits": {"dtypes"},
    "dtype_questions": {"dtypes", "errors", "ops", "tensor"},
    "special": {"late", "names", "ops"},
    "tensor_types": {"dtypes", "ops", "tensor"},
    "runtime": {
        "autograd",
        "compiler",
        "devices",
        "dtypes",
        "errors",
        "grad_mode",
        "graph",
        "memory",
        "names",
        "ops",
        "random",
        "scalars",
        "session",
        "tensor",
        "tracing",
        "tuner",
        "watched",
    },
    "host_ops": {
        "autograd",
        "dtypes",
        "errors",
        "grad_mode",
        "names",
        "ops",
        "placement",
        "random",
        "runtime",
        "session",
        "tensor",
    },
    "linalg": {"host_ops", "late", "names", "ops"},
    "nn": {
        "argument_errors",
        "autograd",
        "checks",
        "dtypes",
        "errors",
        "host_ops",
        "late",
        "late_names",
        "names",
        "ops",
        "placement",
        "random",
        "runtime",
        "session",
        "tensor",
        "tracing",
        "watched",
    },
    "func": {"autograd", "errors", "grad_mode", "graph", "late", "ops", "session", "tensor", "tracing", "trees"},
    "utils": {
        "argument_errors",
        "autograd",
        "checks",
        "data",
        "errors",
        "grad_mode",
        "graph",
        "host_ops",
        "late",
        "ops",
        "random",
        "runtime",
        "session",
        "tensor",
        "tracing",
        "trees",
    },
    "optim": {
        "argument_errors",
        "autograd",
        "checks",
        "dtypes",
        "errors",
        "graph",
        "host_ops",
        "late",
        "late_names",
        "nn",
        "ops",
        "runtime",
        "session",
        "tensor",
        "tracing",
        "watched",
    },
    "data": {"argument_errors", "checks", "errors", "ops", "random", "session", "tensor"},
    "metrics": {"autograd", "dtypes", "errors", "late", "late_names", "ops", "tensor"},
    "interop": {
        "atomic_file",
        "data",
        "dtypes",
        "errors",
        "memory",
        "nn",
        "placement",
        "runtime",
        "session",
        "sizes",
        "tensor",
        "watched",
    },
    "inspection": {
        "compiler",
        "devices",
        "dtypes",
        "errors",
        "graph",
        "program",
        "runtime",
        "session",
        "sheet",
        "tuner",
    },
    "profiler": {"atomic_file", "devices", "errors", "inspection", "messages", "session", "sheet"},
    "accelerator": {"placement"},
    "amp": {"dtypes", "errors", "late", "placement"},
    "backends": {"late"},
    "compat": {
        "",  # the functions that users have, which it gives under other names
        "dtype_limits",
        "dtypes",
        "errors",
        "linalg",
        "missing",
        "names",
        "ops",
        "placement",
        "session",
        "tensor",
        "tracing",
    },
    "cuda": {"amp", "dtypes", "errors", "late", "missing", "random_state"},
    "distributions": {
        "autograd",
        "dtypes",
        "errors",
        "grad_mode",
        "graph",
        "late",
        "ops",
        "session",
        "tensor",
        "tracing",
    },
    "jit": {"late"},
    "missing": {"errors", "torch_names"},
    "mps": {"late", "random_state"},
    "random_state": {"errors", "random", "session", "tensor"},
    "testing": {"dtypes", "late", "tensor"},
    "late_modules": set(),
    "torch_objects": {"sizes", "tensor"},
    "torch_settings": {"dtypes", "errors", "session"},
    "types": {"dtypes", "placement", "tensor"},
    "version": set(),
    "xpu": {"random_state"},
    "train": {
        "autograd",
        "checks",
        "data",
        "dtypes",
        "errors",
        "messages",
        "metrics",
        "nn",
        "ops",
        "optim",
        "profiler",
        "runtime",
        "session",
        "tensor",
        "tuner",
    },
}

# What starts a run and ends it, over everything else.
OUTSIDE = {
    "browser",
    "browser_interrupt",
    "browser_winners",
    "cli",
    "command_line",
    "isolation",
    "leftovers",
    "script",
}

USERS = ("func", "utils", "nn", "optim", "data", "metrics", "interop", "inspection", "profiler", "train")
CORE = [name for name in BELOW if name not in USERS]

# Imports inside functions: parts that a page starts without. Devices are imported by name, from their table.
LATE = {
    ("data/loader_arguments.py", "tabgrad.data.workers.employment"),
    ("data/workers/employment.py", "tabgrad.data.workers.processes"),
    ("data/workers/employment.py", "tabgrad.data.workers.threads"),
    ("interop/saving.py", "tabgrad.interop.torch_archive"),
    ("interop/safetensors.py", "tabgrad.interop.safetensors_format"),
    ("interop/safetensors.py", "tabgrad.interop.safetensors_header"),
    ("train/step_profiles.py", "tabgrad.profiler"),
}


def _modules(part: str) -> list[Path]:
    folder = PACKAGE / part
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{part}.py"]


@cache
def _imports(path: Path) -> list[tuple[str, bool]]:
    """Files of the package that a file imports when it runs, as modules, and whether only inside a function."""

    def visit(node: ast.AST, late: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            if isinstance(child, ast.Import):
                yield from ((alias.name, late) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}: imports name the package"
                for alias in child.names:
                    inner = f"{child.module}.{alias.name}"
                    yield (inner if inner in _files() else child.module or ""), late
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from visit(child, late or inside)

    found = dict.fromkeys(visit(ast.parse(path.read_text()), False))
    return [(name, late) for name, late in found if name.split(".")[0] == "tabgrad"]


@cache
def _files() -> dict[str, Path]:
    """Every file of the package by its module's name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("tabgrad", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def test_no_file_imports_itself_through_others() -> None:
    graph = {module: {name for name, _ in _imports(path) if name in _files()} for module, path in _files().items()}
    assert sum(map(len, graph.values())) > 500
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


@pytest.mark.parametrize("part", BELOW)
def test_imports_go_down(part: str) -> None:
    files = _modules(part)
    assert files
    for path in files:
        for name, _ in _imports(path):
            allowed = {part} | BELOW[part]
            assert name.partition(".")[2].split(".")[0] in allowed, f"{path.relative_to(PACKAGE)} imports {name}"


def test_table_has_no_cycle() -> None:
    list(TopologicalSorter(BELOW).static_order())


def test_table_names_every_part_of_the_core() -> None:
    parts = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()} - {"__init__"}
    assert parts - OUTSIDE == set(BELOW)


def test_imports_inside_functions_have_a_reason() -> None:
    found = {
        (str(path.relative_to(PACKAGE)), name)
        for part in BELOW
        for path in _modules(part)
        for name, late in _imports(path)
        if late
    }
    assert found == LATE


def test_devices_know_programs_and_never_tensors() -> None:
    for path in _modules("devices"):
        for name, _ in _imports(path):
            if name.startswith("tabgrad.graph"):  # the reference device interprets ops by their NumPy references
                assert path.name == "reference.py"
                assert name in ("tabgrad.graph.op", "tabgrad.graph.node")


@pytest.mark.parametrize("part", CORE)
def test_core_needs_numpy_and_jinja_only(part: str) -> None:
    optional = {"js", "pyodide", "tabgrad_executor", "wgpu"}  # each in the device that is made of it
    for path in _modules(part):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            roots = {name.split(".")[0] for name in names} - sys.stdlib_module_names
            for root in roots - {"tabgrad", "numpy", "jinja2"}:
                assert part == "devices" and root in optional, f"{path.relative_to(PACKAGE)} imports {root}"
