"""A target whose bindings hold little, so that small tensors are computed in parts as large ones are.

Importable without pytest or torch, as the cases are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from device.op_cases import OP_CASES, OpCase
from tabgrad import runtime
from tabgrad.compiler import fit
from tabgrad.compiler.compile import Compiled
from tabgrad.compiler.target import Target
from tabgrad.devices.base import AdapterInfo, Limits
from tabgrad.program import Program

LEAST = 512  # bytes of a binding: a window may begin up to 252 bytes before what it shows

# One image, one batch of attention or one row of an argmax is larger than a binding in these, and cannot be split.
WHOLE = (
    "argmax long", "conv2d depthwise", "conv2d everything", "attention over a tile", "attention wide",
    "attention whole tiles", "attention causal over a tile", "attention of one projection over a tile",
    "attention wider than a tile",
)  # fmt: skip


def limit_for(case: OpCase) -> int:
    """Bytes that the largest input fills about three times; 0 for cases that are too small to be split."""
    most = max((array.nbytes for array in case.arrays()), default=0)
    limit = most // 3 // 256 * 256
    return limit if limit >= LEAST else 0


LARGE_CASES: list[OpCase] = [c for c in OP_CASES if limit_for(c) and c.name not in WHOLE]
WHOLE_CASES: list[OpCase] = [c for c in OP_CASES if c.name in WHOLE]


@dataclass
class Parts:
    """What was compiled, and how often large values were split on the way."""

    programs: list[Program] = field(default_factory=list)
    splits: int = 0


@contextmanager
def small_bindings(most_bytes: int, *, software: bool = True) -> Iterator[Parts]:
    """Programs compiled inside bind ``most_bytes`` at most; none are shared with the outside."""
    parts = Parts()
    programs = dict(runtime._programs)
    originals = runtime.compile_graph, runtime.target_of, fit.split_large

    def small(info: AdapterInfo, limits: Limits) -> Target:
        few = replace(limits, max_storage_buffers=8, max_binding_bytes=most_bytes)
        return Target(limits=few, software=software, renders=info.kind != "numpy")

    def compiled(*args: Any) -> Compiled:
        found = originals[0](*args)
        parts.programs.append(found.program)
        largest = max((b.size_bytes for d in found.program.dispatches for b in d.bindings), default=0)
        assert largest <= most_bytes, largest
        return found

    def split(*args: Any) -> Any:
        parts.splits += 1
        return originals[2](*args)

    runtime._programs.clear()
    runtime.compile_graph, runtime.target_of, fit.split_large = compiled, small, split
    try:
        yield parts
    finally:
        runtime.compile_graph, runtime.target_of, fit.split_large = originals
        runtime._programs.clear()
        runtime._programs.update(programs)
