"""Write ``PARITY.md``: what became of all of PyTorch's samples, function by function.

build/venv-test/bin/python tests/parity/table.py         ten minutes, on the reference device
"""

from __future__ import annotations

import argparse
import collections
import sys
from multiprocessing import get_context
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "py_core")]

PATH = Path(__file__).resolve().parents[2] / "PARITY.md"
OUTCOMES = ("works", "refused", "wrong", "crashed", "accepted", "left out")
_HEAD = """# PyTorch's own samples

Every sample that PyTorch's tests have for a function (`op_db`), in float32, int64 and bool, as function, method and
method in place, with its gradient, on the reference device; and its inputs with errors. *Works*: the result (values,
shape, dtype) and the gradients are PyTorch's. *Refused*: an error says what is not supported (of inputs with errors:
an error of another class than PyTorch's). *Accepted*: an input with an error raises nothing. *Left out*: samples that
PyTorch itself refuses, or that are complex, sparse or beyond 32 bits. Functions that are not about dense real tensors
(FFT, sparse, complex, quantized, C++ internals) are not in the table.

Written by `tests/parity/table.py`; tests run samples of each function again.

"""


def rows() -> dict[str, dict[str, int]]:
    """The table that is there, by function."""
    found = {}
    for line in PATH.read_text(encoding="utf-8").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == len(OUTCOMES) + 1 and cells[1].isdigit():
            found[cells[0]] = dict(zip(OUTCOMES, map(int, cells[1:]), strict=True))
    found.pop("**all**", None)
    return found


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
    options = parser.parse_args()
    from parity import functions

    names = sorted({op.name for op in functions.op_db if functions.in_scope(op)})
    with get_context("fork").Pool(options.processes) as pool:
        found = dict(pool.imap_unordered(_counts, names))
    table = _table(found, names)
    PATH.write_text("\n".join([_HEAD + table, *sections().values()]), encoding="utf-8")
    print(table.splitlines()[-1])


def sections() -> dict[str, str]:
    """What follows the table, by its headings: others write it, and it is kept."""
    parts = PATH.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}


def write_section(title: str, text: str) -> None:
    """Put a section behind the table, in place of the one of that title."""
    head = PATH.read_text(encoding="utf-8").partition("\n## ")[0].rstrip() + "\n"
    found = sections() | {title: f"## {title}\n\n{text.rstrip()}\n"}
    PATH.write_text("\n".join([head, *found.values()]), encoding="utf-8")


def _table(found: dict[str, dict[str, int] | None], names: list[str]) -> str:
    there = {name: counts for name in names if (counts := found[name])}
    total: collections.Counter[str] = collections.Counter()
    for counts in there.values():
        total.update(counts)
    missing = [name for name in names if found[name] is None]
    lines = [
        f"{len(there)} of {len(names)} functions are here. Not here: {', '.join(missing) or 'none'}.\n",
        f"| function | {' | '.join(OUTCOMES)} |",
        f"| --- |{' ---: |' * len(OUTCOMES)}",
        *(_row(name, counts) for name, counts in there.items()),
        _row("**all**", total),
    ]
    return "\n".join(lines) + "\n"


def _row(name: str, counts: Any) -> str:
    return f"| {name} | {' | '.join(str(counts.get(o, 0)) for o in OUTCOMES)} |"


if __name__ == "__main__":
    _main()
