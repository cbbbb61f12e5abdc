"""Graph to program: simplify, split, schedule (fuse, merge, order), plan memory, render."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tabgrad.compiler.codegen.outline import outline
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.passes.fit import fit
from tabgrad.compiler.passes.memory import Place, Plan, plan
from tabgrad.compiler.passes.schedule import Kernel
from tabgrad.compiler.passes.simplify import simplify
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Choose, heuristic
from tabgrad.compiler.work import Work, Works
from tabgrad.errors import DeviceError
from tabgrad.graph.entry import Entry
from tabgrad.graph.linearize import Linear
from tabgrad.graph.op import Heavy, Kind
from tabgrad.program import Binding, Dispatch, Program


@dataclass(frozen=True)
class Output:
    """Where a requested value lies: which of the program's external buffers, from which byte."""

    external: int
    offset_bytes: int


@dataclass(frozen=True)
class Compiled:
    """A program, and how it connects to the graph it was made from.

    Its external buffers are the graph's storages in order, then the buffers that hold outputs.
    """

    program: Program
    num_storages: int
    outputs: tuple[Output, ...]
    output_bytes: tuple[int, ...]  # sizes of the external buffers after the storages
    works: tuple[Work, ...]  # one for each dispatch: it can be written in other ways
    quick: bool = False  # whether some kernels are written so that they compile fast; others are to replace them


Written = Callable[[Dispatch, str], None]
"""Told of a dispatch and its source as soon as it is written."""


def compile_graph(
    linear: Linear,
    target: Target,
    choose: Choose = heuristic,
    known: Works | None = None,
    *,
    quick: bool = False,
    written: Written | None = None,
) -> Compiled:
    """Compile for one adapter.

    Args:
        choose: knows of kernels whose fastest variant has been measured.
        known: works of programs that were compiled before; those of this one are added.
        quick: choose variants that compile fast, where there are such, whatever was measured.
        written: told of the first dispatch of each shader.

    Raises:
        DeviceError: a tensor or a launch exceeds the adapter's limits.
    """
    graph, order = fit(simplify(linear), target)
    layout = plan(graph, order, [s.size_bytes for s in linear.storages])
    shaders: dict[str, int] = {}
    dispatches = []
    known = Works() if known is None else known
    works = []
    is_quick = False
    for kernel in layout.kernels:
        outlined, places = outline(graph.entries, kernel, layout.places, len(linear.scalars))
        work = known.of(outlined, target)
        works.append(work)
        rendered = work.quick if quick else None
        is_quick |= rendered is not None
        count = len(shaders)
        dispatches.append(_dispatch(work, rendered or work.render(work.measured(choose)), places, shaders))
        if written is not None and len(shaders) > count:
            written(dispatches[-1], next(reversed(shaders)))
    _check_bindings(dispatches, target)
    _check_buffers(layout, target)
    program = Program(
        buffers=tuple(layout.buffers),
        shaders=tuple(shaders),
        dispatches=tuple(dispatches),
        scalars=tuple(n.dtype.name for n in linear.scalars),
    )
    return _connect(program, layout, len(linear.storages), tuple(works), quick=is_quick)


def _dispatch(work: Work, rendered: Rendered, places: list[Place], shaders: dict[str, int]) -> Dispatch:
    entries, kernel = work.outline.entries, work.outline.kernel
    bindings = tuple(
        Binding(buffer=place.buffer, offset=place.offset, size_bytes=place.size_bytes, access=port.access)
        for place, port in zip(places, work.outline.ports, strict=True)
    )
    return Dispatch(
        label=_label(entries, kernel),
        shader=shaders.setdefault(rendered.source, len(shaders)),
        bindings=bindings,
        uses_scalars=work.outline.uses_scalars,
        workgroups=rendered.workgroups,
        instructions=work.instructions,
        flops=_flops(entries, kernel),
        bytes_moved=_bytes_moved(work, bindings),
    )


def _bytes_moved(work: Work, bindings: Sequence[Binding]) -> int:
    part, outline = work.outline.part, work.outline
    sizes = [b.size_bytes for b in bindings]
    if part is not None:
        ((port,),) = outline.stored.values()
        sizes[port] = outline.entries[part.inside].dtype.bytes_of(part.size)
    return sum(sizes)


def _label(entries: list[Entry], kernel: Kernel) -> str:
    """The kernel in words: its heavy ops, or its last elementwise op, and the shape of its (first) result."""
    follow = len([i for i in kernel.inline if entries[i].op.kind is Kind.ELEMENTWISE])
    fused = f" +{follow} fused" if follow else ""
    if kernel.heavy is None:
        e = entries[kernel.stores[-1]]
        return f"{e.op.name} {list(e.shape)}{fused}"
    titles = {}
    for e in (entries[h] for h in kernel.heavies):
        assert isinstance(e.op.lowering, Heavy)
        titles[e.op.lowering.title(e.op.name, e.attrs)] = e.op.lowering
    e, lowering = entries[kernel.heavy], next(iter(titles.values()))
    return lowering.label(" and ".join(titles), e.attrs, e.shape, *(entries[a].shape for a in e.args)) + fused


def _flops(entries: list[Entry], kernel: Kernel) -> int:
    total = 0
    for i in kernel.inline:
        e = entries[i]
        if e.op.kind is Kind.ELEMENTWISE:
            total += e.size
        elif isinstance(e.op.lowering, Heavy):
            total += e.op.lowering.flops(e.attrs, e.shape, *(entries[a].shape for a in e.args))
    return total


def _check_bindings(dispatches: list[Dispatch], target: Target) -> None:
    most = target.limits.max_binding_bytes
    for d in dispatches:
        ranges: dict[int, list[tuple[int, int]]] = {}
        for b in d.bindings:
            if b.size_bytes > most:
                raise DeviceError(
                    f"{d.label}: expected tensors of at most {most} bytes on this adapter, got {b.size_bytes}; "
                    f"use a smaller batch or model"
                )
            if b.access == "read_write":
                for start, end in ranges.setdefault(b.buffer, []):
                    assert b.offset >= end or b.offset + b.size_bytes <= start, ("overlapping writable ranges", d.label)
                ranges[b.buffer].append((b.offset, b.offset + b.size_bytes))


def _check_buffers(layout: Plan, target: Target) -> None:
    most = target.limits.max_buffer_bytes
    for buffer in layout.buffers:
        if buffer.size_bytes > most:
            raise DeviceError(
                f"{buffer.label}: expected results and inputs of at most {most} bytes, which a buffer of this adapter "
                f"holds, got {buffer.size_bytes}; use several tensors"
            )


def _connect(program: Program, layout: Plan, num_storages: int, works: tuple[Work, ...], *, quick: bool) -> Compiled:
    position = {buffer: n for n, buffer in enumerate(program.externals)}
    assert all(position[slot] == slot for slot in range(num_storages))

    def output(place: Place) -> Output:
        return Output(position[place.buffer], place.offset)

    sizes = tuple(program.buffers[b].size_bytes for b in program.externals[num_storages:])
    return Compiled(program, num_storages, tuple(output(p) for p in layout.outputs), sizes, works, quick)
