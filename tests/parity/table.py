"""Write ``PARITY.md``: what became of all of PyTorch's samples, function by function.

build/venv-test/bin/python tests/parity/table.py            ten minutes, on the reference device
build/venv-test/bin/python tests/parity/table.py --devices  the part about GPU devices: four samples of each function
"""

from __future__ import annotations

import argparse
import collections
import sys
from multiprocessing import get_context
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    _root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(_root / folder) for folder in ("tests", "py_core", "build_scripts")]

from daily import SEED, daily_random

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


_GPUS = """
## On GPU devices

{samples} samples of each entry of `op_db`, in float32 (integers where a function is about those), chosen by the seed
`{seed}`: natively (`wgpu`) in all forms, with gradients; in Node (Dawn) the function, with its gradient, of what has a
plain form (not the functions that are code of PyTorch's tests, nor {slow}, whose kernels software drivers compile for
minutes). What a GPU does not hold, float64 and integers beyond
32 bits, is left out. Written by `TABGRAD_FUZZ_SEED={seed} tests/parity/table.py --devices`. Functions of which every
sample works are in the totals alone.

"""
_BAD = ("works", "refused", "wrong", "crashed")


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
    parser.add_argument("--devices", action="store_true", help="run samples on the GPU devices instead")
    options = parser.parse_args()
    reference, heading, gpus = PATH.read_text(encoding="utf-8").partition("\n## On GPU devices")
    if options.devices:
        gpus = _devices(sorted(rows()))
    else:
        reference, gpus = _reference(options.processes), heading + gpus
    PATH.write_text(reference + gpus, encoding="utf-8")
    print(*(line for line in PATH.read_text(encoding="utf-8").splitlines() if line.startswith("| **all**")), sep="\n")


def _reference(processes: int) -> str:
    from parity import functions

    names = sorted({op.name for op in functions.op_db if functions.in_scope(op)})
    with get_context("fork").Pool(processes) as pool:
        found = dict(pool.imap_unordered(_counts, names))
    return _HEAD + _table(found, names)


def allowed_on_gpus() -> dict[str, dict[str, set[str]]]:
    """By device and function: outcomes other than works that the table has."""
    allowed: dict[str, dict[str, set[str]]] = {"native": {}, "Dawn": {}}
    for line in PATH.read_text(encoding="utf-8").partition("## On GPU devices")[2].splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 2 * len(_BAD) + 1 and cells[1].isdigit():
            for n, device in enumerate(allowed):
                counts = zip(_BAD, cells[1 + n * len(_BAD) :], strict=False)
                allowed[device][cells[0]] = {outcome for outcome, count in counts if int(count)}
    return allowed


def seed_on_gpus() -> int:
    """What chooses the samples on GPU devices today."""
    return daily_random("samples on GPU devices").randrange(2**31)


def _devices(names: list[str]) -> str:
    """The part about GPU devices; what does not work is printed as it is found."""
    from node.one_python import OnePython
    from parity import gpu

    found: dict[str, dict[str, collections.Counter[str]]] = {"native": {}, "Dawn": {}}
    python = OnePython()
    runs = {"native": gpu.native(names, seed_on_gpus()), "Dawn": gpu.in_node(names, seed_on_gpus(), python)}
    for device, run in runs.items():
        for name, counts, bad in run:
            found[device][name] = counts
            for line in bad:
                print(line, flush=True)
    python.close()
    total = {device: sum(by_name.values(), collections.Counter()) for device, by_name in found.items()}

    def row(name: str, counts: list[collections.Counter[str]]) -> str:
        return f"| {name} | {' | '.join(str(one[outcome]) for one in counts for outcome in _BAD)} |"

    by_name = {name: [device[name] for device in found.values()] for name in names}
    bad = {name: counts for name, counts in by_name.items() if any(one[o] for one in counts for o in _BAD[1:])}
    lines = [
        f"| function | {' | '.join(f'{device}: {outcome}' for device in found for outcome in _BAD)} |",
        f"| --- |{' ---: |' * (len(found) * len(_BAD))}",
        *(row(name, counts) for name, counts in bad.items()),
        row("**all**", list(total.values())),
    ]
    return _GPUS.format(samples=gpu.ON_GPU, slow=" and ".join(gpu.SLOW), seed=SEED) + "\n".join(lines) + "\n"


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
