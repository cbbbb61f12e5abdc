"""Pooling kernels, forward and gradient."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.target import Target
from tabgrad.graph.index import Coords, variable
from tabgrad.ops.pool import Pool

WORKGROUP = 64


def render_pool(shader: Shader, target: Target) -> Rendered:
    """A kernel around a pooling or its gradient."""
    assert shader.kernel.heavy is not None
    entries = shader.entries
    heavy = entries[shader.kernel.heavy]
    total = heavy.size
    x, y = rows_of_groups(-(-total // WORKGROUP), target)
    outer = Scopes([["o"]], prefix="p")
    n, c, row, column = Coords(heavy.shape, flat=variable("o", total)).dims(outer.bind)
    row_name, column_name = outer.bind(row.text(), row.deps), outer.bind(column.text(), column.deps)
    names = [a.text for d in (n, c) for _, a in d.terms]

    def inner(arg: int, h: str, w: str, prefix: str) -> tuple[list[str], str]:
        shape = entries[heavy.args[arg]].shape
        scopes = Scopes([["o", *names, h, w]], prefix=prefix)
        at = Coords(shape, [n, c, variable(h, shape[2]), variable(w, shape[3])])
        value = shader.lower.value(heavy.args[arg], at, scopes)
        return scopes.lines[0], value

    lowering, attrs = heavy.op.lowering, heavy.attrs
    assert isinstance(lowering, Pool), lowering
    shared: dict[str, Any] = {
        "workgroup": WORKGROUP,
        "row_threads": x * WORKGROUP,
        "total": total,
        "maximum": lowering.maximum,
        "count_include_pad": attrs.get("count_include_pad", False),
        "kernel": attrs["kernel"],
        "stride": attrs["stride"],
        "padding": attrs["padding"],
        "dilation": attrs["dilation"],
    }
    tail = Scopes([["o", "element"]], prefix="e")
    at = variable("o", total)
    if lowering.backward:
        g_inner, g = inner(0, "oh", "ow", "g")
        x_inner, x_value = inner(1, "ih", "iw", "x") if lowering.maximum else ([], "")
        finish = shader.finish(lambda s: Coords(entries[s].shape, flat=at), tail, "acc")
        source = shader.render(
            "pool/gradient.wgsl.j2", **shared, outer=outer.lines[0], h=row_name, w=column_name, size=heavy.shape[2:],
            out=entries[heavy.args[0]].shape[2:], g_inner=g_inner, g=g, x_inner=x_inner, x=x_value, finish=finish,
        )  # fmt: skip
    else:
        lines, value = inner(0, "ih", "iw", "x")
        finish = shader.finish(lambda s: Coords(entries[s].shape, flat=at), tail, "acc")
        source = shader.render(
            "pool/forward.wgsl.j2", **shared, outer=outer.lines[0], oh=row_name, ow=column_name,
            size=entries[heavy.args[0]].shape[2:], inner=lines, value=value, finish=finish,
        )  # fmt: skip
    return Rendered(source=source, workgroups=(x, y, 1))


FAMILY = single(Pool, "pool", render_pool)
