"""Reduction kernels: one or several reductions over the same rows, and what is computed of them along the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.accumulate import Rule, rule
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.layout import Layout, choose_layout
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.passes.frame import Frame, reduction_frame
from tabgrad.compiler.target import Target
from tabgrad.graph.index import Coords, Index, constant, strides, variable
from tabgrad.ops.reduce import FOLDS, Reduce

LONG_SUM = 2048  # elements that a thread may sum one after the other
MOST_TURNS = 4  # of a thread along a short row, whose elements are then kept in registers between passes
MOST_KEPT = 4  # operands that are kept
UNROLL = 4  # turns written out in long loops that store nothing: as many loads are on their way at a time


@dataclass
class _Pass:
    """One loop over the rows: reductions that need no more than earlier passes gave, and elements to store."""

    reductions: list[int] = field(default_factory=list)
    stores: list[int] = field(default_factory=list)


def render_reduce(shader: Shader, target: Target) -> Rendered:
    """A kernel around reductions over the same rows."""
    entries = shader.entries
    frame = reduction_frame(entries, shader.kernel.heavies[0])
    passes, row_stores = _passes(shader, frame)
    launch: tuple[int, int] = (1, 1)
    layout: Layout

    def attempt() -> str:
        nonlocal launch, layout
        step = 4 if shader.lower.wide else 1
        layout = choose_layout(frame, step, _most_states(shader, passes), len(passes), target)
        launch = rows_of_groups(-(-frame.total // layout.rows), target)
        return _render(shader, target, frame, layout, passes, row_stores, launch[0])

    wide = not target.software and frame.extent > 1 and not frame.columns and frame.runs[-1][0] % 4 == 0
    source = shader.widest(attempt) if wide else attempt()
    again = any(len(turns) > 1 for turns in shader.lower.reads.values())
    if again and not target.software and not frame.columns and layout.turns(frame) <= MOST_TURNS:
        source = shader.keeping(attempt, MOST_KEPT)
    return Rendered(source=source, workgroups=(*launch, 1))


def _most_states(shader: Shader, passes: list[_Pass]) -> int:
    """The most state variables that a pass combines across threads."""
    return max(sum(len(rule(shader.entries[h].attrs["kind"], "f32", True).state) for h in p.reductions) for p in passes)


def _passes(shader: Shader, frame: Frame) -> tuple[list[_Pass], list[int]]:
    """The loops over the rows, and the stored values of which there is one per row."""
    entries, kernel = shader.entries, shader.kernel
    depth: dict[int, int] = {}  # passes that must be over before a value can be computed
    for i in kernel.inline:
        before = max((depth.get(a, 0) for a in entries[i].args), default=0)
        depth[i] = before + (i in kernel.heavies)
    passes = [_Pass() for _ in range(max(depth[h] for h in kernel.heavies))]
    for h in kernel.heavies:
        passes[depth[h] - 1].reductions.append(h)
    whole = [s for s in kernel.stores if frame.extent > 1 and entries[s].size == frame.size]
    if whole:
        last = max(depth[s] for s in whole)
        if last == len(passes):
            passes.append(_Pass())
        for s in whole:
            # what a later pass reads must not be overwritten before
            passes[-1 if shader.overwrites_loads() else depth[s]].stores.append(s)
    return passes, [s for s in kernel.stores if s not in whole]


def _render(
    shader: Shader,
    target: Target,
    frame: Frame,
    layout: Layout,
    passes: list[_Pass],
    row_stores: list[int],
    row_groups: int,
) -> str:
    o = variable("o", frame.total)
    loops = []
    for n, each in enumerate(passes):
        shader.lower.turn = n
        loops.append(_loop(shader, target, frame, layout, each, n, o))
        for number, h in enumerate(each.reductions):
            shader.lower.rows[h] = f"red{n}_{number}"
    shader.lower.turn = None
    tail = Scopes([["o"]], prefix="e")
    stores = []
    for s in row_stores:
        value = shader.lower.value(s, Coords(shader.entries[s].shape, flat=o), tail)
        stores += shader.store(s, [o], [value])
    return shader.render(
        "reduce/rows.wgsl.j2",
        layout=layout,
        total=frame.total,
        row_groups=row_groups,
        shared=_shared(loops),
        loops=loops,
        tail=[*tail.lines[0], *stores],
        kept=shader.kept(),
        turns=layout.turns(frame) if shader.lower.keep else 0,
    )


def _loop(
    shader: Shader, target: Target, frame: Frame, layout: Layout, each: _Pass, n: int, o: Index
) -> dict[str, Any]:
    scopes = Scopes([["o"], ["q"]], prefix=f"v{n}_" if n else "v")
    q = variable("q", frame.extent // layout.step)
    elements = [q.scaled(layout.step) + constant(k) for k in range(layout.step)]
    positions = [_position(frame, o, r, scopes) for r in elements]
    steps: list[str] = []
    states: list[tuple[str, str, str]] = []
    rules: list[Rule] = []
    for number, h in enumerate(each.reductions):
        e = shader.entries[h]
        source = shader.entries[e.args[0]]
        blocked = frame.extent // layout.lanes > LONG_SUM
        own = rule(e.attrs["kind"], source.dtype.wgsl, blocked).named(f"{n}_{number}")
        taken = [shader.lower.value(e.args[0], Coords(source.shape, flat=p), scopes) for p in positions]
        if len(taken) == 4 and own.step_4:
            names = " ".join(f"let x{k} = {x};" for k, x in enumerate(taken))
            steps.append(f"{{ {names} {own.step_4} }}")
        else:
            for r, x in zip(elements, taken, strict=True):
                index = f"let r = {r.text()}; " if FOLDS[e.attrs["kind"]].finds else ""
                steps.append(f"{{ {index}let x = {x}; {own.step} }}")
        states += own.state
        rules.append(own)
    stores: list[str] = []
    for s in each.stores:
        shape = shader.entries[s].shape
        values = [shader.lower.value(s, Coords(shape, flat=p), scopes) for p in positions]
        stores += shader.store(s, positions, values)
    return {
        "outer": scopes.lines[0],
        "inner": scopes.lines[1],
        "states": states,
        "steps": steps,
        "stores": stores,
        "combine": [own.combine for own in rules],
        "results": [(f"red{n}_{number}", own.result) for number, own in enumerate(rules)],
        "count": frame.extent // layout.step,
        "unroll": 1 if target.software or stores or layout.turns(frame) < 2 * UNROLL else UNROLL,
    }


def _position(frame: Frame, o: Index, r: Index, scopes: Scopes) -> Index:
    """The flat position of element ``r`` of row ``o``."""
    kept = iter(Coords([n for n, reduced in frame.runs if not reduced], flat=o).dims(scopes.bind))
    along = iter(Coords([n for n, reduced in frame.runs if reduced], flat=r).dims(scopes.bind))
    total = constant(0)
    for step, (_, reduced) in zip(strides([n for n, _ in frame.runs]), frame.runs, strict=True):
        total = total + next(along if reduced else kept).scaled(step)
    return total


def _shared(loops: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Arrays in workgroup memory, (name, element type), which the loops use in turn; each state learns its own."""
    arrays: dict[str, str] = {}
    for loop in loops:
        used: dict[str, int] = {}
        for n, (name, kind, initial) in enumerate(loop["states"]):
            used[kind] = used.get(kind, -1) + 1
            array = f"{kind}_{used[kind]}"
            arrays[array] = kind
            loop["states"][n] = (name, kind, initial, array)
    return list(arrays.items())


FAMILY = single(Reduce, "reduce", render_reduce)
