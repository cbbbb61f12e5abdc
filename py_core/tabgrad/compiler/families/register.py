"""Contractions with tiles in registers only: compiles fast; for software adapters and thin products."""

from __future__ import annotations

from collections.abc import Callable

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.contraction import Contraction
from tabgrad.compiler.families.rendered import Rendered, launch
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant
from tabgrad.graph.index import Coords, variable

BLOCK = 512  # products that one thread sums before they join its total


def render_register(
    shader: Shader, target: Target, contraction: Callable[[Shader], Contraction], chosen: Variant
) -> Rendered:
    """Each thread computes an ``m`` x ``n`` block of the result."""
    c = contraction(shader)
    tile_m, tile_n = chosen["m"], chosen["n"]
    rows, cols = [f"m{i}" for i in range(tile_m)], [f"n{j}" for j in range(tile_n)]
    scopes = Scopes([["b", *rows, *cols], ["k"]])
    b, k = variable("b", c.batch), variable("k", c.k)
    a_values = [c.a(b, variable(m, c.m), k, scopes) for m in rows]
    b_values = [c.b(b, k, variable(n, c.n), scopes) for n in cols]
    x, y = (8, 8) if c.m > tile_m else (64, 1)
    if c.n <= tile_n:
        x, y = 1, 64
    workgroups, folded = launch((-(-c.n // (tile_n * x)), -(-c.m // (tile_m * y)), c.batch), target)
    source = shader.render(
        "gemm/register.wgsl.j2",
        folded=folded,
        m=c.m,
        n=c.n,
        k=c.k,
        tile_m=tile_m,
        tile_n=tile_n,
        block=BLOCK if c.k > 4 * BLOCK else 0,
        # a software adapter compiles a copy of `finish` for each call: most of its time
        looped=target.software and tile_m * tile_n > 1,
        workgroup=(x, y),
        outer=scopes.lines[0],
        inner=scopes.lines[1],
        a_values=a_values,
        b_values=b_values,
        finish=finish(shader, c),
    )
    return Rendered(source=source, workgroups=workgroups)


def finish(shader: Shader, c: Contraction) -> list[str]:
    """Lines that store the element ``(b, m, n)`` with the value ``acc``."""
    scopes = Scopes([["b", "m", "n", "element"]], prefix="e")
    heavy = c.out(variable("b", c.batch), variable("m", c.m), variable("n", c.n), scopes)

    def coords(store: int) -> Coords:
        shape = shader.entries[store].shape
        return heavy if shape == heavy.shape else heavy.reshaped(shape, scopes.bind)

    return shader.finish(coords, scopes, "acc")
