"""Imports go one way: each part of the package may use the parts below it, and no others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tabgrad

PACKAGE = Path(tabgrad.__file__).parent

# Part -> the parts that it may import when it is loaded, besides itself.
BELOW: dict[str, set[str]] = {
    "errors": set(),
    "atomic_file": {"errors"},
    "checks": {"errors"},
    "explained": {"errors"},
    "names": {"explained"},
    "random": {"checks"},
    "sheet": set(),
    "methods": set(),
    "dtypes": {"errors"},
    "graph": {"dtypes"},
    "program": {"dtypes", "graph"},
    "devices": {"dtypes", "errors", "graph", "program"},
    "grad_mode": set(),
    "autograd": {"errors", "grad_mode", "graph"},
    "tensor": {"autograd", "dtypes", "errors", "graph", "methods"},
    "ops": {"autograd", "dtypes", "errors", "graph", "methods", "names", "random", "tensor"},
    "compiler": {"atomic_file", "devices", "dtypes", "errors", "graph", "ops", "program"},
    "observers": {"devices", "graph"},
    "programs": {"compiler", "devices", "dtypes", "errors"},
    "runtime": {"compiler", "devices", "dtypes", "errors", "graph", "observers", "ops", "programs", "tensor"},
    "replay": {"compiler", "devices", "dtypes", "graph", "observers", "programs", "runtime", "tensor"},
    "arguments": {"errors", "tensor"},
    "recordings": set(),
    "capture": {"arguments", "devices", "dtypes", "graph", "recordings", "replay", "runtime", "tensor"},
    "nn": {"autograd", "capture", "checks", "dtypes", "errors", "explained", "names", "ops", "random", "tensor"},
    "optim": {"autograd", "capture", "checks", "dtypes", "errors", "explained", "graph", "ops", "runtime", "tensor"},
    "data": {"checks", "errors", "explained", "random", "tensor"},
    "metrics": {"autograd", "errors", "ops", "tensor"},
    "interop": {"atomic_file", "data", "dtypes", "errors", "runtime", "tensor"},
    "inspection": {
        "capture",
        "compiler",
        "devices",
        "dtypes",
        "errors",
        "graph",
        "program",
        "runtime",
        "sheet",
    },
    "profiler": {"atomic_file", "devices", "errors", "inspection", "runtime", "sheet"},
    "train": {
        "autograd",
        "capture",
        "checks",
        "data",
        "dtypes",
        "errors",
        "metrics",
        "nn",
        "ops",
        "optim",
        "profiler",
        "runtime",
        "tensor",
    },
}

# Inside a function: a tensor's methods are ops, and reading a value runs a program.
LATE: dict[str, set[str]] = {
    "autograd": {"ops", "tensor"},
    "explained": {"tensor"},
    "tensor": {"ops", "runtime"},
    "ops": {"runtime"},
}

CORE = [
    name
    for name in BELOW
    if name not in ("nn", "optim", "data", "metrics", "interop", "inspection", "profiler", "train")
]


def _modules(part: str) -> list[Path]:
    folder = PACKAGE / part
    return sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{part}.py"]


def _imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Modules of the package that a file imports while it runs, and whether only inside a function."""

    def visit(node: ast.AST, late: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            if isinstance(child, ast.Import):
                yield from ((alias.name, late) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}: imports name the package"
                if child.module == "tabgrad":
                    yield from ((f"tabgrad.{alias.name}", late) for alias in child.names)
                else:
                    yield child.module or "", late
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from visit(child, late or inside)

    for name, late in visit(ast.parse(path.read_text()), False):
        if name.split(".")[0] == "tabgrad":
            yield name, late


@pytest.mark.parametrize("part", BELOW)
def test_imports_go_down(part: str) -> None:
    files = _modules(part)
    assert files
    for path in files:
        for name, late in _imports(path):
            allowed = {part} | BELOW[part] | (LATE.get(part, set()) if late else set())
            assert name.partition(".")[2].split(".")[0] in allowed, f"{path.relative_to(PACKAGE)} imports {name}"


def test_table_has_no_cycle() -> None:
    done: set[str] = set()
    while len(done) < len(BELOW):
        free = {part for part, below in BELOW.items() if part not in done and below <= done}
        assert free, f"a cycle among {sorted(set(BELOW) - done)}"
        done |= free


def test_table_names_every_part_of_the_core() -> None:
    # what starts a run and ends it, over everything else
    outside = {
        "browser",
        "browser_interrupt",
        "browser_winners",
        "cli",
        "command_line",
        "isolation",
        "leftovers",
        "script",
    }
    parts = {p.stem for p in PACKAGE.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()} - {"__init__"}
    assert parts - outside == set(BELOW)


def test_devices_know_programs_and_never_tensors() -> None:
    for path in _modules("devices"):
        for name, _ in _imports(path):
            if name.startswith("tabgrad.graph"):  # the reference device interprets ops by their NumPy references
                assert path.name == "reference.py"
                assert name in ("tabgrad.graph.op", "tabgrad.graph.node")


@pytest.mark.parametrize("part", ["nn", "optim", "data", "metrics", "train", "interop"])
def test_user_level_parts_import_no_device(part: str) -> None:
    for path in _modules(part):
        assert not [name for name, _ in _imports(path) if name.startswith("tabgrad.devices")], path


@pytest.mark.parametrize("part", CORE)
def test_core_needs_numpy_and_jinja_only(part: str) -> None:
    optional = {"js", "pyodide", "tabgrad_executor", "wgpu"}  # each in the device that is made of it
    standard = __import__("sys").stdlib_module_names
    for path in _modules(part):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for root in {name.split(".")[0] for name in names} - standard - {"tabgrad", "numpy", "jinja2"}:
                assert part == "devices" and root in optional, f"{path.relative_to(PACKAGE)} imports {root}"
