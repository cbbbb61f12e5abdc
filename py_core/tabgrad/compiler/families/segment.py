"""Kernels that fold rows by segment; a thread for each element of the result, or for four neighbours."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.accumulate import rule
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.target import Target
from tabgrad.graph.index import Coords, constant, variable
from tabgrad.ops.segment import CHUNK, Segment

WORKGROUP = 64
VECTORS = ("sum", "prod")  # kinds that fold four neighbours as one


def render_segment(shader: Shader, target: Target) -> Rendered:
    """A kernel around a fold by segment; vectors are read and written where rows are made of them."""
    launch: tuple[int, int] = (1, 1)

    def attempt() -> str:
        nonlocal launch
        text, launch = _render(shader, target)
        return text

    assert shader.kernel.heavy is not None
    heavy = shader.entries[shader.kernel.heavy]
    wide = not target.software and heavy.attrs["kind"] in VECTORS and heavy.shape[2] % 4 == 0
    source = shader.widest(attempt) if wide else attempt()
    return Rendered(source=source, workgroups=(*launch, 1))


def _render(shader: Shader, target: Target) -> tuple[str, tuple[int, int]]:
    assert shader.kernel.heavy is not None
    entries = shader.entries
    heavy = entries[shader.kernel.heavy]
    lanes = 4 if shader.lower.wide and shader.results() <= shader.lower.wide else 1
    total = heavy.size // lanes
    x, y = rows_of_groups(-(-total // WORKGROUP), target)
    o = variable("o", total)
    outer = Scopes([["o"]], prefix="p")
    first, row, last = Coords((*heavy.shape[:2], heavy.shape[2] // lanes), flat=o).dims(outer.bind)
    known = ["o", *(a.text for index in (first, row, last) for _, a in index.terms)]
    rows, order, starts, ends, *chunks = heavy.args
    at = Coords((heavy.shape[1],), [row])
    start, end = (shader.lower.value(i, at, outer) for i in (starts, ends))
    kind = heavy.dtype.wgsl
    vector = kind if lanes == 1 else f"vec4<{kind}>"
    levels: list[dict[str, Any]] = []
    for n, level in enumerate([rows, *chunks]):
        count = entries[level].shape[1]
        j = variable("j", count)
        scopes = Scopes([[*known, "j"]], prefix=f"l{n}_")
        if n == 0:
            place = shader.lower.value(order, Coords((count,), [j]), scopes)
            j = variable(scopes.bind(f"u32({place})", j.deps), count, j.deps)
        columns = [last.scaled(lanes) + constant(lane) for lane in range(lanes)]
        values = [shader.lower.value(level, Coords(entries[level].shape, [first, j, d]), scopes) for d in columns]
        levels.append({"lines": scopes.lines[0], "value": f"{vector}({', '.join(values)})"})
    own = rule(heavy.attrs["kind"], kind, blocked=False)
    ((name, _, initial),) = own.state
    assert name == own.result == "s"
    tail = Scopes([["o", "element"]], prefix="e")

    def position(s: int, lane: int) -> Coords:
        return Coords(entries[s].shape, flat=o.scaled(lanes) + constant(lane))

    finish = shader.finish(lambda s: position(s, 0), tail, "acc") if lanes == 1 else None
    if lanes == 4:
        finish = shader.finish_wide(position, tail, "acc")
        assert finish is not None
    text = shader.render(
        "segment/rows.wgsl.j2", workgroup=WORKGROUP, row_threads=x * WORKGROUP, total=total, outer=outer.lines[0],
        start=start, end=end, levels=levels, chunk=CHUNK, initial=f"{vector}({initial})", fold=own.step, finish=finish,
    )  # fmt: skip
    return text, (x, y)


FAMILY = single(Segment, "segment", render_segment)
