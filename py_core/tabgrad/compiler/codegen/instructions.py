"""A kernel as a list of primitive ops, for devices that interpret programs instead of compiling shaders."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.codegen.outline import Outline
from tabgrad.graph.node import LOAD, SCALAR, STORE
from tabgrad.graph.op import Attrs
from tabgrad.program import Instruction
from tabgrad.sizes import Size


def instructions(outline: Outline) -> tuple[Instruction, ...]:
    """Loads, then every op of the kernel, then stores."""
    out: list[Instruction] = []
    position: dict[int, int] = {}
    for i in outline.kernel.loads:
        e = outline.entries[i]
        position[i] = len(out)
        out.append(Instruction(LOAD, (), {"binding": outline.loaded[i]}, tuple(e.shape), e.dtype.name))
    for i in outline.kernel.inline:
        e = outline.entries[i]
        attrs = _plain(e.attrs) if e.op is not SCALAR else {"slot": e.slot}
        position[i] = len(out)
        out.append(Instruction(e.op, tuple(position[a] for a in e.args), attrs, tuple(e.shape), e.dtype.name))
    for s in outline.kernel.stores:
        e = outline.entries[s]
        for binding in outline.stored[s]:
            out.append(Instruction(STORE, (position[s],), {"binding": binding}, tuple(e.shape), e.dtype.name))
    return tuple(out)


def _plain(attrs: Attrs) -> dict[str, Any]:
    """Attributes with sizes as tuples: programs are plain data."""
    return {key: _as_tuple(value) for key, value in attrs.items()}


def _as_tuple(value: Any) -> Any:
    if isinstance(value, Size):
        return tuple(value)
    return tuple(map(_as_tuple, value)) if type(value) is tuple else value
