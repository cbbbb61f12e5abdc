"""Making an explanation from a graph and its program."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tabgrad.compiler.compile import Compiled
from tabgrad.compiler.variant import Choose, heuristic
from tabgrad.compiler.work import Work
from tabgrad.dtypes import BY_NAME
from tabgrad.graph.linearize import Linear
from tabgrad.graph.node import LOAD, SCALAR, STORE
from tabgrad.graph.op import Op
from tabgrad.inspection.explanation import BufferView, Explanation, KernelView, Operand, ScalarView
from tabgrad.inspection.peaks import Peaks
from tabgrad.program import Dispatch, Program, Tenant

_GRADIENTS = "pack "  # an optimizer's gradients are stored in one pack


def describe(linear: Linear, compiled: Compiled, target: str, peaks: Peaks, choose: Choose = heuristic) -> Explanation:
    """The explanation of a graph, compiled for ``target`` with the variants of ``choose``."""
    program = compiled.program
    purposes = _purposes(linear, program)
    tenants = [t for b in program.buffers for t in b.tenants]
    live = [sum(t.size_bytes for t in tenants if t.first <= n <= t.last) for n in range(len(program.dispatches))]
    peak = max(live, default=0)
    return Explanation(
        name=linear.name or "eager",
        target=target,
        peaks=peaks,
        kernels=_kernels(compiled, peaks, choose),
        shaders=program.shaders,
        buffers=tuple(
            BufferView(
                index=n,
                role=b.role,
                purpose=purposes[n],
                size_bytes=b.size_bytes,
                lives=tuple((t.label, t.first, t.last, t.size_bytes) for t in b.tenants),
            )
            for n, b in enumerate(program.buffers)
        ),
        scalars=tuple(
            ScalarView(slot=slot, dtype=node.dtype.name, kernels=_users(program, slot))
            for slot, node in enumerate(linear.scalars)
        ),
        must_live=_must_live(program, purposes, tenants),
        scratch_bytes=program.scratch_bytes,
        scratch_peak_bytes=peak,
        scratch_peak_at=live.index(peak) if live else 0,
        program=program,
    )


def _kernels(compiled: Compiled, peaks: Peaks, choose: Choose) -> tuple[KernelView, ...]:
    program = compiled.program
    seconds = [peaks.seconds(d.flops, d.bytes_moved) for d in program.dispatches]
    total = sum(seconds) or 1.0
    return tuple(
        KernelView(
            number=n,
            label=d.label,
            variant=variant_of(program.shaders[d.shader]),
            shader=d.shader,
            workgroups=d.workgroups,
            reads=_operands(d, LOAD),
            writes=_operands(d, STORE),
            flops=d.flops,
            bytes_moved=d.bytes_moved,
            bound=peaks.bound(d.flops, d.bytes_moved),
            estimated_us=seconds[n] * 1e6,
            share=seconds[n] / total,
            **_measured(compiled.works[n], choose),
        )
        for n, d in enumerate(program.dispatches)
    )


def _measured(work: Work, choose: Choose) -> dict[str, str]:
    """Names of the tuned variant and of the heuristic's variant; empty if they are the same."""
    found = work.measured(choose)
    if found is None or found == work.variants()[0]:
        return {}
    return {"measured": str(found), "heuristic": str(work.variants()[0])}


def variant_of(source: str) -> str:
    """The template and its parameters from a source's first line; empty without a template."""
    first = source.partition("\n")[0]
    return first.removeprefix("// ") if first.startswith("// ") else ""


def _operands(dispatch: Dispatch, op: Op) -> tuple[Operand, ...]:
    return tuple(
        Operand(
            buffer=dispatch.bindings[i.attrs["binding"]].buffer,
            shape=i.shape,
            dtype=i.dtype,
            size_bytes=BY_NAME[i.dtype].bytes_of(math.prod(i.shape)),
        )
        for i in dispatch.instructions
        if i.op is op
    )


def _users(program: Program, slot: int) -> tuple[int, ...]:
    return tuple(
        n
        for n, d in enumerate(program.dispatches)
        if any(i.op is SCALAR and i.attrs["slot"] == slot for i in d.instructions)
    )


def _purposes(linear: Linear, program: Program) -> list[str]:
    """The purpose of each buffer, in words."""
    purposes = []
    for n, b in enumerate(program.buffers):
        if n >= len(linear.storages):
            purposes.append("result" if b.role == "output" else "intermediate values")
            continue
        storage = linear.storages[n]
        kept = "other state" if b.role == "state" else "read only"
        purposes.append("batch" if storage.placeholder else storage.purpose or kept)
    return purposes


def _must_live(program: Program, purposes: Sequence[str], tenants: Sequence[Tenant]) -> dict[str, int]:
    """Bytes that every memory plan needs, by purpose.

    Saved activations are values written before the loss and read after it. The first kernel that stores only
    single numbers counts as the loss.
    """
    sums: dict[str, int] = {}
    for purpose, b in zip(purposes, program.buffers, strict=True):
        if b.role != "scratch":
            name = "optimizer state" if purpose.startswith("optimizer state") else purpose
            sums[name] = sums.get(name, 0) + b.size_bytes
    gradients = [t for t in tenants if t.label.startswith(_GRADIENTS)]
    if gradients:
        sums["gradients"] = sum(t.size_bytes for t in gradients)
        turn = _loss(program, before=min(t.first for t in gradients))
        saved = [t for t in tenants if t not in gradients and t.first < turn < t.last]
        sums["saved activations"] = sum(t.size_bytes for t in saved)
    return sums


def _loss(program: Program, before: int) -> int:
    """The number of the kernel that computes the loss; ``before`` if none is found."""
    for n, d in enumerate(program.dispatches[:before]):
        if all(math.prod(i.shape) <= 1 for i in d.instructions if i.op is STORE):
            return n
    return before
