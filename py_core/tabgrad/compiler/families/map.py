"""Elementwise kernels: one thread for an element, or for four that lie side by side.

Values of one or two bytes are stored in whole words, so each thread computes a word's elements.
"""

from __future__ import annotations

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant, variant
from tabgrad.graph.index import Coords, constant, variable

WORKGROUPS = (64, 128, 256)  # threads
WIDE_WORKGROUP = 256


def map_variants(shader: Shader, target: Target) -> list[Variant]:
    """All sizes of workgroups that the adapter can launch; large ones of threads with four elements for big tensors."""
    total = shader.entries[shader.kernel.stores[0]].size
    sizes = [w for w in WORKGROUPS if w <= target.limits.max_invocations]
    narrow = [variant("elementwise/map", workgroup=w, wide=0) for w in sizes]
    if shader.part is not None or _stores_words(shader):
        return narrow
    if target.software or total % 4 or total < 4 * target.busy_threads:
        return narrow
    first = min(WIDE_WORKGROUP, sizes[-1])
    wide = [variant("elementwise/map", workgroup=w, wide=1) for w in sorted(sizes, key=lambda w: w != first)]
    return [*wide, *narrow]


def render_map(shader: Shader, target: Target, chosen: Variant) -> Rendered:
    """A kernel without a heavy value."""
    part = shader.part
    total = shader.entries[shader.kernel.stores[0]].size if part is None else part.size
    workgroup = chosen["workgroup"]
    words = _stores_words(shader)
    launch: tuple[int, int] = (1, 1)

    def attempt() -> str:
        nonlocal launch
        step = 4 if shader.lower.wide or words else 1
        threads = -(-total // step)
        scopes = Scopes([["i"]])
        i = variable("i", threads)
        positions = [i.scaled(step) + constant(k) for k in range(step)]
        stores = []
        if part is not None:
            (s,) = shader.kernel.stores
            at = part.whole(i, scopes.bind)
            stores += shader.store(s, [at.flat()], [shader.lower.value(part.inside, at, scopes)])
        for s in shader.kernel.stores if part is None else ():
            shape = shader.entries[s].shape
            values = [shader.lower.value(s, Coords(shape, flat=p), scopes) for p in positions]
            stores += shader.store(s, positions, values)
        launch = rows_of_groups(-(-threads // workgroup), target)
        return shader.render(
            "elementwise/map.wgsl.j2",
            workgroup=workgroup,
            row_threads=launch[0] * workgroup,
            total=threads,
            lines=[*scopes.lines[-1], *stores],
        )

    source = shader.widest(attempt) if chosen["wide"] else attempt()
    return Rendered(source=source, workgroups=(*launch, 1))


def _stores_words(shader: Shader) -> bool:
    """Whether elements of one or two bytes are stored; then nothing else is, and a last word may be filled in part."""
    narrow = [shader.entries[s].dtype.is_narrow for s in shader.kernel.stores]
    assert all(narrow) or not any(narrow)
    return any(narrow)


FAMILY = Family(None, map_variants, render_map)
