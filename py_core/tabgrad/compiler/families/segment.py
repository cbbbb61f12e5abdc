"""Kernels that fold rows by segment; a thread for each element of the result."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.accumulate import rule
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.target import Target
from tabgrad.graph.index import Coords, variable
from tabgrad.ops.segment import CHUNK

WORKGROUP = 64


def render_segment(shader: Shader, target: Target) -> Rendered:
    """A kernel around a fold by segment."""
    assert shader.kernel.heavy is not None
    entries = shader.entries
    heavy = entries[shader.kernel.heavy]
    total = heavy.size
    x, y = rows_of_groups(-(-total // WORKGROUP), target)
    o = variable("o", total)
    outer = Scopes([["o"]], prefix="p")
    first, row, last = Coords(heavy.shape, flat=o).dims(outer.bind)
    known = ["o", *(a.text for index in (first, row, last) for _, a in index.terms)]
    rows, order, starts, ends, *chunks = heavy.args
    at = Coords((heavy.shape[1],), [row])
    start, end = (shader.lower.value(i, at, outer) for i in (starts, ends))
    levels: list[dict[str, Any]] = []
    for n, level in enumerate([rows, *chunks]):
        count = entries[level].shape[1]
        j = variable("j", count)
        scopes = Scopes([[*known, "j"]], prefix=f"l{n}_")
        if n == 0:
            place = shader.lower.value(order, Coords((count,), [j]), scopes)
            j = variable(scopes.bind(f"u32({place})", j.deps), count, j.deps)
        value = shader.lower.value(level, Coords(entries[level].shape, [first, j, last]), scopes)
        levels.append({"lines": scopes.lines[0], "value": value})
    own = rule(heavy.attrs["kind"], heavy.dtype.wgsl, blocked=False)
    ((name, kind, initial),) = own.state
    assert name == own.result == "s"
    tail = Scopes([["o", "element"]], prefix="e")
    finish = shader.finish(lambda s: Coords(entries[s].shape, flat=o), tail, "acc")
    source = shader.render(
        "segment/rows.wgsl.j2", workgroup=WORKGROUP, row_threads=x * WORKGROUP, total=total, outer=outer.lines[0],
        start=start, end=end, levels=levels, chunk=CHUNK, initial=f"{kind}({initial})", fold=own.step, finish=finish,
    )  # fmt: skip
    return Rendered(source=source, workgroups=(x, y, 1))


FAMILY = single("segment", render_segment)
