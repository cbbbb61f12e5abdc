"""Scan kernels; a thread for each line, which is short."""

from __future__ import annotations

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.target import Target
from tabgrad.graph.index import Coords, variable
from tabgrad.ops.scan import RUNNING, Scan

WORKGROUP = 64


def render_scan(shader: Shader, target: Target) -> Rendered:
    """A kernel around a scan."""
    assert shader.kernel.heavy is not None
    entries = shader.entries
    heavy = entries[shader.kernel.heavy]
    a, length, d = heavy.shape
    total = a * d
    x, y = rows_of_groups(-(-total // WORKGROUP), target)
    outer = Scopes([["o"]], prefix="p")
    first, last = Coords((a, d), flat=variable("o", total)).dims(outer.bind)
    known = ["o", *(atom.text for index in (first, last) for _, atom in index.terms)]
    at = Coords(heavy.shape, [first, variable("k", length), last])
    inner = Scopes([[*known, "k"]], prefix="v")
    value = shader.lower.value(heavy.args[0], at, inner)
    running = RUNNING[heavy.attrs["kind"]]
    kind = entries[heavy.args[0]].dtype.wgsl
    tail = Scopes([[*known, "k", "element"]], prefix="e")

    def position(s: int) -> Coords:
        shape = entries[s].shape
        return at if shape == heavy.shape else at.reshaped(shape, tail.bind)

    finish = shader.finish(position, tail, "acc")
    source = shader.render(
        "scan/lines.wgsl.j2", workgroup=WORKGROUP, row_threads=x * WORKGROUP, total=total, length=length,
        outer=outer.lines[0], inner=inner.lines[0], value=value, initial=f"{kind}({running.initial})",
        step=running.step, finds=running.finds, finish=finish,
    )  # fmt: skip
    return Rendered(source=source, workgroups=(x, y, 1))


FAMILY = single(Scan, "scan", render_scan)
