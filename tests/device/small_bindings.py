"""A target whose bindings hold little, so that small tensors are computed in parts as large ones are.

Importable without pytest or torch, as the cases are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from device.op_cases import OP_CASES, OpCase
from device.op_cases.case import case, f
from device.patched import patched
from sessions import session_on
from tabgrad.compiler.compile import Compiled
from tabgrad.compiler.passes import fit
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Device
from tabgrad.program import Program
from tabgrad.runtime.observers import Observer
from workloads import SMALL_CNN, SMALL_GPT_SMALL, SMALL_MLP

LEAST = 512  # bytes of a binding: a window may begin up to 252 bytes before what it shows
TRAINING = 16384  # bytes of a binding with which steps of the small workloads are split

# One image, one batch of attention, one row of an argmax or one line to be sorted is larger than a binding in these,
# and cannot be split.
WHOLE = (
    "argmax long", "conv2d depthwise", "conv2d everything", "attention over a tile", "attention wide",
    "attention whole tiles", "attention causal over a tile", "attention of one projection over a tile",
    "attention wider than a tile", "attention causal in vectors over two tiles",
    "special max of all of rows of 300",
    "index_select often", "bincount many", "sort long", "sort longer", "sort stable descending", "topk smallest first",
    "masked_scatter long",
)  # fmt: skip


def _depthwise(T: Any, F: Any, x: Any, w: Any) -> Any:
    return F.conv2d(x, w, padding=1, groups=3).relu()


def _strided(T: Any, F: Any, x: Any, w: Any, b: Any) -> Any:
    return F.avg_pool2d(F.conv2d(x, w, b, stride=2, padding=1).tanh(), 2)


def _channels(T: Any, F: Any, x: Any, w: Any) -> Any:
    return F.conv2d(x, w)  # one image is larger than a binding: sums over channels fall into parts


def _transposed(T: Any, F: Any, x: Any, w: Any) -> Any:
    return F.conv_transpose2d(x, w, stride=2)


def _attention(T: Any, F: Any, q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def _lookups(T: Any, F: Any, table: Any) -> Any:
    index = T.tensor(np.arange(90) * 37 % 101)
    return F.embedding(index, table) * 2 + table[index]


def _batch_norm(T: Any, F: Any, x: Any) -> Any:
    mean, var = x.mean((0, 2), keepdim=True), x.var((0, 2), keepdim=True, correction=0)
    return (x - mean) / (var + 1e-5).sqrt()


def _writes(T: Any, F: Any, x: Any, v: Any) -> Any:
    h = x * 2
    h[3:17:2] += v
    h[:, 5:9] *= x[:, 1:5]
    h[4] = v[:30]
    return h.tanh()


# Every op that is split in a way of its own; tolerances are for sums in another order.
OWN_CASES: list[OpCase] = [
    case("large depthwise", _depthwise, f(9, 3, 8, 9), f(3, 1, 3, 3), smooth=False),
    case("large strided", _strided, f(9, 2, 12, 9), f(5, 2, 3, 3), f(5), atol=5e-5),
    case("large channels", _channels, f(2, 7, 10, 10), f(3, 7, 3, 3), atol=1e-4),
    case("large transposed", _transposed, f(6, 3, 7, 7), f(3, 4, 2, 2), atol=5e-5),
    case("large attention", _attention, f(5, 2, 9, 8), f(5, 2, 11, 8), f(5, 2, 11, 6), atol=5e-5),
    case("large lookups", _lookups, f(101, 7)),
    case("large writes", _writes, f(20, 30), f(30)),
    case("large batch norm", _batch_norm, f(20, 3, 30), atol=5e-5),
]


def limit_for(case: OpCase) -> int:
    """Bytes that the largest input fills about three times; 0 for cases that are too small to be split."""
    most = max((array.nbytes for array in case.arrays()), default=0)
    limit = most // 3 // 256 * 256
    return limit if limit >= LEAST else 0


LARGE_CASES: list[OpCase] = [c for c in [*OP_CASES, *OWN_CASES] if limit_for(c) and c.name not in WHOLE]
LARGE_WORKLOADS = (SMALL_MLP, SMALL_CNN, SMALL_GPT_SMALL)
WHOLE_CASES: list[OpCase] = [c for c in OP_CASES if c.name in WHOLE]


@dataclass
class Parts(Observer):
    """What was compiled, and how often large values were split on the way; no binding may be larger than these."""

    most_bytes: int
    programs: list[Program] = field(default_factory=list)
    splits: int = 0

    def compiled(self, compiled: Compiled) -> None:
        self.programs.append(compiled.program)
        largest = max((b.size_bytes for d in compiled.program.dispatches for b in d.bindings), default=0)
        assert largest <= self.most_bytes, largest


@contextmanager
def small_bindings(most_bytes: int, *, software: bool = True) -> Iterator[Parts]:
    """Programs compiled inside bind ``most_bytes`` at most; none are shared with the outside."""
    parts = Parts(most_bytes)
    split_large = fit.split_large

    def small(device: Device) -> Target:
        few = replace(device.limits, max_storage_buffers=8, max_binding_bytes=most_bytes)
        return Target(limits=few, software=software, renders=device.info.kind != "numpy")

    def counted(*args: Any) -> Any:
        parts.splits += 1
        return split_large(*args)

    with session_on(target=small) as session, patched((fit, "split_large", counted)):
        session.observer = parts
        yield parts
