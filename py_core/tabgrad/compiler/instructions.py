"""A kernel as a list of primitive ops, for devices that interpret programs instead of compiling shaders."""

from __future__ import annotations

from tabgrad.compiler.schedule import Kernel
from tabgrad.compiler.shader import Shader
from tabgrad.graph.linearize import Entry
from tabgrad.program import Instruction


def instructions(entries: list[Entry], kernel: Kernel, shader: Shader) -> tuple[Instruction, ...]:
    """Loads, then every op of the kernel, then stores."""
    out: list[Instruction] = []
    position: dict[int, int] = {}
    for i in kernel.loads:
        e = entries[i]
        position[i] = len(out)
        out.append(Instruction("load", (), {"binding": shader.binding_of(i)}, e.shape, e.dtype.name))
    for i in kernel.inline:
        e = entries[i]
        attrs = dict(e.attrs) if e.op.name != "scalar" else {"slot": e.slot}
        position[i] = len(out)
        out.append(Instruction(e.op.name, tuple(position[a] for a in e.args), attrs, e.shape, e.dtype.name))
    for s in kernel.stores:
        e = entries[s]
        for binding in shader.bindings_stored(s):
            out.append(Instruction("store", (position[s],), {"binding": binding}, e.shape, e.dtype.name))
    return tuple(out)
