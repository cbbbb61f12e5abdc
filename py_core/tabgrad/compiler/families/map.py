"""Elementwise kernels: one thread per element."""

from __future__ import annotations

from tabgrad.compiler.emit import Scopes
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.index import Coords, variable
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant, variant

WORKGROUPS = (64, 128, 256)  # threads


def map_variants(shader: Shader, target: Target) -> list[Variant]:
    """All sizes of workgroups that the adapter can launch."""
    return [variant("elementwise/map", workgroup=w) for w in WORKGROUPS if w <= target.limits.max_invocations]


def render_map(shader: Shader, target: Target, chosen: Variant) -> Rendered:
    """A kernel without a heavy value."""
    entries = shader.entries
    total = entries[shader.kernel.stores[0]].size
    scopes = Scopes([["i"]])
    i = variable("i", total)
    lines = shader.finish(lambda s: Coords(entries[s].shape, flat=i), scopes)
    threads = chosen["workgroup"]
    x, y = rows_of_groups(-(-total // threads), target)
    source = shader.render(
        "elementwise/map.wgsl.j2", workgroup=threads, row_threads=x * threads, total=total, lines=lines
    )
    return Rendered(source=source, workgroups=(x, y, 1))


FAMILY = Family(map_variants, render_map)
