"""The part of ``PARITY.md`` about GPU devices."""

from __future__ import annotations

import collections

from daily import SEED, daily_random
from node.one_python import OnePython
from parity import gpu
from parity.table import sections

TITLE = "On GPU devices"
_HEAD = """## On GPU devices

{samples} samples of each entry of `op_db`, in float32 (integers where a function is about those), chosen by the seed
`{seed}`: natively (`wgpu`) in all forms, with gradients; in Node (Dawn) the function, with its gradient, of what has a
plain form (not the functions that are code of PyTorch's tests, nor {slow}, whose kernels software drivers compile for
minutes). What a GPU does not hold, float64 and integers beyond 32 bits, is left out. Written by
`TABGRAD_FUZZ_SEED={seed} tests/parity/table.py --only devices`. Functions of which every sample works are in the totals
alone.

"""
_BAD = ("works", "refused", "wrong", "crashed")


def allowed_on_gpus() -> dict[str, dict[str, set[str]]]:
    """By device and function: outcomes other than works that the table has."""
    allowed: dict[str, dict[str, set[str]]] = {"native": {}, "Dawn": {}}
    for line in sections().get(TITLE, "").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 2 * len(_BAD) + 1 and cells[1].isdigit():
            for n, device in enumerate(allowed):
                counts = zip(_BAD, cells[1 + n * len(_BAD) :], strict=False)
                allowed[device][cells[0]] = {outcome for outcome, count in counts if int(count)}
    return allowed


def seed_on_gpus() -> int:
    """What chooses the samples on GPU devices today."""
    return daily_random("samples on GPU devices").randrange(2**31)


def written(names: list[str]) -> str:
    """The part about GPU devices; what does not work is printed as it is found."""
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
    return _HEAD.format(samples=gpu.ON_GPU, slow=" and ".join(gpu.SLOW), seed=SEED) + "\n".join(lines) + "\n"
