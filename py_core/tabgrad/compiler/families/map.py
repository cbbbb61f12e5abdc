"""Elementwise kernels: one thread per element."""

from __future__ import annotations

from tabgrad.compiler.emit import Scopes
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.index import Coords, variable
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.target import Target

WORKGROUP = 64


def render_map(shader: Shader, target: Target) -> Rendered:
    """A kernel without a heavy value."""
    entries = shader.entries
    total = entries[shader.kernel.stores[0]].size
    scopes = Scopes([["i"]])
    i = variable("i", total)
    lines = shader.finish(lambda s: Coords(entries[s].shape, flat=i), scopes)
    x, y = rows_of_groups(-(-total // WORKGROUP), target)
    source = shader.render(
        "elementwise/map.wgsl.j2", workgroup=WORKGROUP, row_threads=x * WORKGROUP, total=total, lines=lines
    )
    return Rendered(source=source, workgroups=(x, y, 1))


FAMILY = single("elementwise/map", render_map)
