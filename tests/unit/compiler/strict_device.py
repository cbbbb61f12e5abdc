"""A reference device that is as unforgiving as a GPU: few bindings, dirty scratch memory, no racing kernels."""

from __future__ import annotations

from dataclasses import replace

from tabgrad.devices.base import BoundProgram, Executable, Limits, Raw, Writes
from tabgrad.devices.reference import ReferenceDevice
from tabgrad.graph.node import LOAD, STORE
from tabgrad.graph.op import Kind
from tabgrad.ops.movement import RESHAPE
from tabgrad.ops.reduce import REDUCE
from tabgrad.program import Binding, Dispatch, Program


class StrictDevice(ReferenceDevice):
    """Checks each program that it loads, and fills scratch memory with NaN before each run."""

    def __init__(self, max_storage_buffers: int = 8, kind: str = "numpy", max_binding_bytes: int = 2**27) -> None:
        super().__init__()
        self.info = replace(self.info, kind=kind)  # what programs are compiled for; they are interpreted all the same
        self.limits = Limits(max_storage_buffers=max_storage_buffers, max_binding_bytes=max_binding_bytes)
        self.programs: list[Program] = []

    def load(self, program: Program, *, may_suspend: bool = False) -> Executable:
        check_program(program, self.limits.max_storage_buffers, self.limits.max_binding_bytes)
        self.programs.append(program)
        return super().load(program, may_suspend=may_suspend)

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        for buffer in bound.executable.handle.values():  # type: ignore[attr-defined]
            buffer.handle[:] = 0xFF  # NaN as float32
        super().run(bound, scalars, writes)


def check_program(program: Program, max_storage_buffers: int, max_binding_bytes: int = 2**27) -> None:
    """What WebGPU would refuse, or answer with whatever it likes, on some adapter."""
    for dispatch in program.dispatches:
        assert len(dispatch.bindings) <= max_storage_buffers, dispatch.label
        for binding in dispatch.bindings:
            assert binding.size_bytes <= max_binding_bytes, dispatch.label
            assert binding.offset % 256 == 0, "minStorageBufferOffsetAlignment"
            assert binding.offset + binding.size_bytes <= program.buffers[binding.buffer].size_bytes, dispatch.label
        _check_access(dispatch)
        _check_races(dispatch)


def _overlap(a: Binding, b: Binding) -> bool:
    return a.buffer == b.buffer and a.offset < b.offset + b.size_bytes and b.offset < a.offset + a.size_bytes


def _check_access(dispatch: Dispatch) -> None:
    """A buffer has one access within a dispatch, and writable ranges do not overlap."""
    access: dict[int, str] = {}
    for n, binding in enumerate(dispatch.bindings):
        assert access.setdefault(binding.buffer, binding.access) == binding.access, dispatch.label
        for other in dispatch.bindings[:n]:
            assert binding.access == "read" or not _overlap(binding, other), dispatch.label


def _check_races(dispatch: Dispatch) -> None:
    """Memory that a kernel both reads and writes is read at the element that the same thread writes."""
    steps = dispatch.instructions
    stores = [s for s in steps if s.op is STORE]
    for at, load in enumerate(steps):
        if load.op is not LOAD:
            continue
        mine = dispatch.bindings[load.attrs["binding"]]
        for store in stores:
            theirs = dispatch.bindings[store.attrs["binding"]]
            if not _overlap(mine, theirs):
                continue
            assert mine == theirs, f"{dispatch.label}: reads and writes overlapping ranges"
            for other in stores:
                assert _at_own_element(dispatch, other.args[0], at), f"{dispatch.label}: reads what others write"


def _at_own_element(dispatch: Dispatch, value: int, source: int) -> bool:
    """Whether ``value`` depends on ``source`` only through ops that keep each element where it is.

    Or of whole rows through reductions: each thread visits the same elements in each pass over a row, and writes in
    the last one.
    """
    steps = dispatch.instructions

    def depends(step: int) -> bool:
        return step == source or any(depends(a) for a in steps[step].args)

    if value == source or not depends(value):
        return True
    step = steps[value]
    if step.op.kind is Kind.ELEMENTWISE or step.op is RESHAPE:
        return all(_at_own_element(dispatch, a, source) for a in step.args)

    def of_rows(value: int) -> bool:
        if not depends(value):
            return True
        step = steps[value]
        if step.op is REDUCE:
            return _at_own_element(dispatch, step.args[0], source)
        return value != source and all(of_rows(a) for a in step.args)

    return of_rows(value)
