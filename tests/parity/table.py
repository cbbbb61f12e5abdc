"""Write ``PARITY.md``: what became of all of PyTorch's samples, function by function; of modules and optimizers, too.

build/venv-test/bin/python tests/parity/table.py                            20 minutes, on the reference device
build/venv-test/bin/python tests/parity/table.py --only module optimizer    the other tables stay
build/venv-test/bin/python tests/parity/table.py --only devices             four samples of each function on GPU devices
"""

from __future__ import annotations

import argparse
import collections
import functools
import sys
import warnings
from multiprocessing import get_context
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    _root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(_root / folder) for folder in ("tests", "py_core", "build_scripts")]

PATH = Path(__file__).resolve().parents[2] / "PARITY.md"
OUTCOMES = ("works", "refused", "wrong", "crashed", "accepted", "left out")
_HEAD = """# PyTorch's own samples

Every sample that PyTorch's tests have for a function (`op_db`), in float32, int64 and bool, as function, method and
method in place, with its gradient, on the reference device; and its inputs with errors. *Works*: the result (values,
shape, dtype) and the gradients are PyTorch's. *Refused*: an error says what is not supported (of inputs with errors:
an error of another class than PyTorch's). *Accepted*: an input with an error raises nothing. *Left out*: samples that
PyTorch itself refuses, or that are complex, sparse or beyond 32 bits. Functions that are not about dense real tensors
(FFT, sparse, complex, quantized, C++ internals) are not in the table.

Written by `tests/parity/table.py`; tests run samples of each function, module and optimizer again.

"""
_OTHERS = {
    "module": """## Modules

PyTorch's samples of its layers (`module_db`), in training and in evaluation: outputs, gradients of inputs and
parameters, buffers; names, shapes and dtypes of parameters and buffers as made, of a copy and in other dtypes; `repr`;
and inputs with errors. Quantized layers are not in the table. At most {limit} samples of a class and mode.

""",
    "optimizer": """## Optimizers

PyTorch's sets of options (`optim_db`): parameters after plain and compiled steps; runs with groups, learning rates set
by hand, schedules, closures and groups added later; `repr`; state dicts, loaded by PyTorch's optimizer and by ours; and
wrong arguments. *Left out*: options that PyTorch does not have or take there. At most {limit} of each kind.

""",
}
KINDS = ("function", *_OTHERS)


def rows(kind: str = "function") -> dict[str, dict[str, int]]:
    """The table that is there, by name.

    Args:
        kind: of which table: ``"function"``, ``"module"`` or ``"optimizer"``.
    """
    found, inside = {}, False
    for line in PATH.read_text(encoding="utf-8").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == len(OUTCOMES) + 1:
            if cells[1] == OUTCOMES[0]:
                inside = cells[0] == kind
            elif inside and cells[1].isdigit():
                found[cells[0]] = dict(zip(OUTCOMES, map(int, cells[1:]), strict=True))
    found.pop("**all**", None)
    assert found, f"PARITY.md: expected a table by {kind}, found none"
    return found


def _reports(kind: str, name: str, limit: int) -> tuple[str, dict[str, int] | None]:
    from parity import modules, optimizers

    modules.tg.set_default_device("reference")
    total: collections.Counter[str] = collections.Counter()
    source: Any = modules if kind == "module" else optimizers
    there = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in modules.in_scope() if kind == "module" else optimizers.optim_db:
            if info.name == name:
                for report in source.reports(info, limit=limit):
                    there = True
                    total += report.counts
    return name, dict(total) if there else None


def _counts(name: str) -> tuple[str, dict[str, int] | None]:
    import torch

    from parity import functions

    functions.tg.set_default_device("reference")
    total: collections.Counter[str] = collections.Counter()
    there = False
    for op in functions.op_db:
        if op.name != name or not functions.variants(op):
            continue
        there = True
        for dtype in (torch.float32, torch.int64, torch.bool):
            if dtype in op.supported_dtypes("cpu"):
                for report in functions.reports(op, dtype, gradients=True, limit=None):
                    total += report.counts
        if (report := functions.errors(op)) is not None:
            total += report.counts
    return name, dict(total) if there else None


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs="*", choices=(*KINDS, "devices"), default=KINDS)
    parser.add_argument("--limit", type=int, default=500, help="samples of a module or optimizer in each mode")
    options = parser.parse_args()
    head = PATH.read_text(encoding="utf-8").partition("\n## ")[0].rstrip() + "\n"
    parts = sections()
    if "devices" in options.only:
        from parity import gpu_table

        parts[gpu_table.TITLE] = gpu_table.written(sorted(rows()))
    if set(KINDS) & set(options.only):
        head = _on_reference(options, head, parts)
    written = "\n".join([head, *parts.values()])
    PATH.write_text(written, encoding="utf-8")
    print("\n".join(line for line in written.splitlines() if line.startswith("| **all**")))


def _on_reference(options: argparse.Namespace, head: str, parts: dict[str, str]) -> str:
    """Write sections into ``parts``; returns the head with the first table."""
    from parity import functions, modules, optimizers

    with get_context("fork").Pool(options.processes) as pool:
        if "function" in options.only:
            names = sorted({op.name for op in functions.op_db if functions.in_scope(op)})
            head = _HEAD + _table(dict(pool.imap_unordered(_counts, names)), names)
        for kind, text in _OTHERS.items():
            infos = modules.in_scope() if kind == "module" else optimizers.optim_db
            names = sorted({info.name for info in infos})
            if kind in options.only:
                found = dict(pool.imap_unordered(functools.partial(_reports, kind, limit=options.limit), names))
                title = text.partition("\n")[0].removeprefix("## ")
                parts[title] = text.format(limit=options.limit) + _table(found, names, kind)
    return head


def sections() -> dict[str, str]:
    """What follows the first table, by headings: others write some of it, and it is kept."""
    parts = PATH.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}


def write_section(title: str, text: str) -> None:
    """Put a section behind the table, in place of the one of that title."""
    head = PATH.read_text(encoding="utf-8").partition("\n## ")[0].rstrip() + "\n"
    found = sections() | {title: f"## {title}\n\n{text.rstrip()}\n"}
    PATH.write_text("\n".join([head, *found.values()]), encoding="utf-8")


def _table(found: dict[str, dict[str, int] | None], names: list[str], kind: str = "function") -> str:
    there = {name: counts for name in names if (counts := found[name])}
    total: collections.Counter[str] = collections.Counter()
    for counts in there.values():
        total.update(counts)
    missing = [name for name in names if found[name] is None]
    lines = [
        f"{len(there)} of {len(names)} {kind}s are here. Not here: {', '.join(missing) or 'none'}.\n",
        f"| {kind} | {' | '.join(OUTCOMES)} |",
        f"| --- |{' ---: |' * len(OUTCOMES)}",
        *(_row(name, counts) for name, counts in there.items()),
        _row("**all**", total),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, counts: Any) -> str:
    return f"| {name} | {' | '.join(str(counts.get(o, 0)) for o in OUTCOMES)} |"


if __name__ == "__main__":
    _main()
