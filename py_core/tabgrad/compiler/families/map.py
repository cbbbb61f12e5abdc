"""Elementwise kernels: one thread per element, or per four that follow each other."""

from __future__ import annotations

from tabgrad.compiler.emit import Scopes
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.index import Coords, constant, variable
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.target import Target

WORKGROUP = 64
WIDE_WORKGROUP = 256


def render_map(shader: Shader, target: Target) -> Rendered:
    """A kernel without a heavy value."""
    total = shader.entries[shader.kernel.stores[0]].size
    launch: tuple[int, int] = (1, 1)

    def attempt() -> str:
        nonlocal launch
        step = 4 if shader.lower.wide else 1
        workgroup = WIDE_WORKGROUP if step == 4 else WORKGROUP
        scopes = Scopes([["i"]])
        i = variable("i", total // step)
        positions = [i.scaled(step) + constant(k) for k in range(step)]
        stores = []
        for s in shader.kernel.stores:
            shape = shader.entries[s].shape
            values = [shader.lower.value(s, Coords(shape, flat=p), scopes) for p in positions]
            stores += shader.store(s, positions, values)
        launch = rows_of_groups(-(-(total // step) // workgroup), target)
        return shader.render(
            "elementwise/map.wgsl.j2",
            workgroup=workgroup,
            row_threads=launch[0] * workgroup,
            total=total // step,
            lines=[*scopes.lines[-1], *stores],
        )

    wide = not target.software and total % 4 == 0 and total >= 4 * target.busy_threads
    source = shader.widest(attempt) if wide else attempt()
    return Rendered(source=source, workgroups=(*launch, 1))


FAMILY = single("elementwise/map", render_map)
