"""A kernel before it is rendered: which values one launch computes, reads and stores."""

from __future__ import annotations

from dataclasses import dataclass, field

from tabgrad.graph.entry import Entry
from tabgrad.graph.op import Kind
from tabgrad.ops.movement import RESHAPE


@dataclass(eq=False)
class Kernel:
    """Values computed in one launch: ``stores`` are written to memory, in order of computation."""

    stores: list[int]
    heavy: int | None = None  # the first of ``heavies``
    inline: list[int] = field(default_factory=list)  # everything computed, arguments first, heavy included
    loads: list[int] = field(default_factory=list)  # stored values of other kernels, and buffers, that are read
    heavies: list[int] = field(default_factory=list)  # several only if all are reductions over the same rows


def keeps_elements(e: Entry) -> bool:
    """Whether each element is computed of those in the same place."""
    return e.op.kind is Kind.ELEMENTWISE or e.op is RESHAPE


def base(entries: list[Entry], index: int) -> int:
    """The value under reshapes: it has the same elements in the same order."""
    while entries[index].op is RESHAPE:
        index = entries[index].args[0]
    return index


def parts(entries: list[Entry], load: int) -> list[int]:
    """The stored values that a load reads: itself, or the members of a pack."""
    e = entries[load]
    return [base(entries, a) for a in e.args] if e.op.kind is Kind.PACK else [load]
