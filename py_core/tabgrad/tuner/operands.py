"""Plausible operands for a kernel that is measured outside of its program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tabgrad.compiler.work import Work
from tabgrad.dtypes import WORD_BYTES
from tabgrad.graph.node import LOAD, SCALAR
from tabgrad.graph.op import Kind
from tabgrad.ops.indexing import INDEX_SELECT
from tabgrad.program import Instruction, scalars_bytes

CHUNK = 65521  # elements uploaded at a time: a prime, so that rows do not repeat


@dataclass(frozen=True)
class Operand:
    """One binding: the dtype of its elements, and whether the kernel stores to it."""

    size_bytes: int
    dtype: str
    stored: bool
    loaded: bool


def operands(work: Work) -> list[Operand]:
    """What a kernel binds, in order."""
    dtypes: dict[int, str] = {}
    loaded: set[int] = set()
    stored: set[int] = set()
    for step in work.instructions:
        if step.op.kind is Kind.ACCESS:
            binding = step.attrs["binding"]
            dtypes.setdefault(binding, step.dtype)
            (loaded if step.op is LOAD else stored).add(binding)
    return [Operand(p.size_bytes, dtypes[n], n in stored, n in loaded) for n, p in enumerate(work.outline.ports)]


class Data:
    """Operands of a kernel, the same for all its variants.

    Floats are in [-1, 1], or in [0.1, 1] if ``positive``; integers are small, and valid row indices of the kernel's
    smallest table; booleans are 0 or 1.
    """

    def __init__(self, work: Work, *, positive: bool = False) -> None:
        self._rng = np.random.default_rng(0)
        low = 0.1 if positive else -1.0
        rows = _least_table(work.instructions)
        self._chunks = {
            "float32": self._rng.uniform(low, 1.0, CHUNK).astype(np.float32),
            "int32": self._rng.integers(0, rows, CHUNK).astype(np.int32),
            "uint32": self._rng.integers(0, rows, CHUNK).astype(np.uint32),
            "bool": self._rng.integers(0, 2, CHUNK).astype(np.uint32),
        }

    def chunks(self, operand: Operand) -> Iterator[tuple[int, np.ndarray]]:
        """``(offset in bytes, elements)`` of consecutive chunks that fill the operand."""
        chunk = self._chunks[operand.dtype]
        count = operand.size_bytes // WORD_BYTES
        for start in range(0, count, CHUNK):
            yield start * WORD_BYTES, chunk[: count - start]


def scalars(work: Work, count: int) -> np.ndarray:
    """A program's scalars as u32 words: 0.5, or 1 if a kernel reads an integer."""
    words = np.zeros(scalars_bytes(count) // 4, np.uint32)
    words[:count] = np.float32(0.5).view(np.uint32)
    for step in work.instructions:
        if step.op is SCALAR and step.dtype != "float32":
            words[step.attrs["slot"]] = 1
    return words


def _least_table(steps: tuple[Instruction, ...]) -> int:
    tables = [steps[s.args[0]].shape[s.attrs["dim"]] for s in steps if s.op is INDEX_SELECT]
    return max(1, min([*tables, 65536])) if tables else 10
