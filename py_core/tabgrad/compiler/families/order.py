"""Sorting kernels: blocks, merges of sorted runs, and what is done with an order; a thread for each element."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.target import Target
from tabgrad.graph.index import Coords, Index, variable
from tabgrad.ops.order import Order, Step

WORKGROUP = 64
UNROLL = 8  # keys that are read at a time, so that their loads overlap


def render_order(shader: Shader, target: Target) -> Rendered:
    """A kernel around one step of a sort."""
    assert shader.kernel.heavy is not None
    entries = shader.entries
    heavy = entries[shader.kernel.heavy]
    lowering = heavy.op.lowering
    assert isinstance(lowering, Order), lowering
    total, step = heavy.size, lowering.step
    x, y = rows_of_groups(-(-total // WORKGROUP), target)
    length = entries[heavy.args[0]].shape[-1]
    o = variable("o", total)
    outer = Scopes([["o"]], prefix="d")
    row: list[Index] = []
    column = ""
    if step is not Step.SEARCH:
        first, last = Coords(heavy.shape, flat=o).dims(outer.bind)
        row, column = [first], last.text()
    known = ["o", *(a.text for index in row for _, a in index.terms)]

    def read(arg: int, name: str, prefix: str) -> dict[str, Any]:
        """The element of an argument at the loop variable ``name`` of the kernel's row."""
        scopes = Scopes([[*known, name]], prefix=prefix)
        at = Coords(entries[heavy.args[arg]].shape, [*row, variable(name, length)])
        value = shader.lower.value(heavy.args[arg], at, scopes)
        return {"lines": scopes.lines[0], "value": value}

    parts: dict[str, dict[str, Any]] = {}
    others: list[dict[str, Any]] = []
    if step is Step.BLOCKS:
        parts = {"key": read(0, "i", "k")}
        others = [read(0, f"j{k}", f"q{k}_") for k in range(UNROLL)]
    elif step is Step.MERGE:
        parts = {"place": read(1, "i", "s"), "key": read(0, "held", "k"), "probe": read(1, "m", "t")}
        parts["other"] = read(0, "met", "q")
    elif step is Step.SEARCH:
        scopes = Scopes([["o"]], prefix="k")
        value = shader.lower.value(heavy.args[2], Coords(heavy.shape, flat=o), scopes)
        parts = {"value": {"lines": scopes.lines[0], "value": value}, "probe": read(1, "m", "t")}
        parts["other"] = read(0, "met", "q")
    else:
        parts = {"place": read(0, "i", "s")}
    texts = {name: part["value"] for name, part in parts.items()}
    lines = {f"{name}_lines": part["lines"] for name, part in parts.items()}
    tail = Scopes([["at", "element"]], prefix="e")
    at = variable("at", total)
    finish = shader.finish(lambda s: Coords(entries[s].shape, flat=at), tail, "acc")
    sizes = {name: heavy.attrs[name] for name in ("size", "run", "ways") if name in heavy.attrs}
    source = shader.render(
        f"order/{step.value}.wgsl.j2", workgroup=WORKGROUP, row_threads=x * WORKGROUP, total=total, length=length,
        **sizes, outer=outer.lines[0], column=column, **lines, **texts, others=others, unroll=UNROLL, finish=finish,
    )  # fmt: skip
    return Rendered(source=source, workgroups=(x, y, 1))


FAMILY = single(Order, "order", render_order)
