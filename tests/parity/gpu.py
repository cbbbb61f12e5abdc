"""Samples of functions on the GPU devices: natively, and in Node, which has no PyTorch and takes them from a file."""

from __future__ import annotations

import collections
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from node.one_python import OnePython
from paths import BUILD

ON_GPU = 4  # samples of each entry of op_db
AT_ONCE = 8  # functions in one run of a script in Node, which has a time limit
# Drivers that play a GPU take minutes to compile their kernels: natively they run for the table alone, and not in Node.
SLOW = ("grid_sampler_3d", "nn.functional.ctc_loss")

Counts = collections.Counter[str]
Found = tuple[str, Counts, list[str]]  # a function, outcomes, and the bad ones in words


def native(names: Sequence[str], seed: int) -> Iterator[Found]:
    """What becomes of samples natively: as functions, methods and methods in place."""
    from parity import functions
    from parity.export import gpu_dtype

    functions.tg.set_default_device("native")
    for name in names:
        total, bad = Counts(), []
        for op in functions.op_db:
            dtype = gpu_dtype(op)
            if op.name == name and dtype is not None and functions.variants(op):
                for report in functions.reports(op, dtype, gradients=True, limit=ON_GPU, seed=seed):
                    total += report.counts
                    bad += [str(report)] if set(report.counts) - {functions.WORKS, functions.LEFT_OUT} else []
        yield name, total, bad


def in_node(names: Sequence[str], seed: int, python: OnePython) -> Iterator[Found]:
    """What becomes of samples over Dawn, as functions; of those that are not too slow."""
    from parity.export import export

    names = [name for name in names if name not in SLOW]
    for start in range(0, len(names), AT_ONCE):
        data, left_out = export(names[start : start + AT_ONCE], limit=ON_GPU, seed=seed)
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # below the checkout, which Node shows to the script
            file = Path(folder) / "samples.npz"
            file.write_bytes(data)
            said = python.run("parity_in_node.py", file)
        assert said.status == 0, said.stderr
        for line in said.stdout.splitlines():
            found = json.loads(line)
            assert found["device"] == "web"
            total = Counts(found["counts"]) + Counts({"left out": left_out.pop(found["function"])})
            bad = [f"{found['function']} in Node: {outcome}: {why}" for outcome, why in found["first"].items()]
            yield found["function"], total, bad
        for name, count in left_out.items():
            yield name, Counts({"left out": count}), []


__all__ = ["ON_GPU", "SLOW", "Counts", "Found", "in_node", "native"]
