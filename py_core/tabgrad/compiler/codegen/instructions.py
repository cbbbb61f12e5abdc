"""A kernel as a list of primitive ops, for devices that interpret programs instead of compiling shaders."""

from __future__ import annotations

from tabgrad.compiler.codegen.outline import Outline
from tabgrad.graph.node import LOAD, SCALAR, STORE
from tabgrad.program import Instruction


def instructions(outline: Outline) -> tuple[Instruction, ...]:
    """Loads, then every op of the kernel, then stores."""
    out: list[Instruction] = []
    position: dict[int, int] = {}
    for i in outline.kernel.loads:
        e = outline.entries[i]
        position[i] = len(out)
        out.append(Instruction(LOAD, (), {"binding": outline.loaded[i]}, e.shape, e.dtype.name))
    for i in outline.kernel.inline:
        e = outline.entries[i]
        attrs = dict(e.attrs) if e.op is not SCALAR else {"slot": e.slot}
        position[i] = len(out)
        out.append(Instruction(e.op, tuple(position[a] for a in e.args), attrs, e.shape, e.dtype.name))
    for s in outline.kernel.stores:
        e = outline.entries[s]
        for binding in outline.stored[s]:
            out.append(Instruction(STORE, (position[s],), {"binding": binding}, e.shape, e.dtype.name))
    return tuple(out)
