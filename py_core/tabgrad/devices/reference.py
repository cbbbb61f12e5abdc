"""The reference device: runs programs with NumPy, one primitive op at a time.

It takes the same programs as the GPU devices, so it checks fusion, scheduling and memory plans too;
only the shaders are left out. It is also what a page falls back to where there is no GPU.
"""

from __future__ import annotations

import platform
import time
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.devices.base import AdapterInfo, BoundProgram, Buffer, Device, Executable, Limits, Ranges, Raw, Writes
from tabgrad.devices.clock import STAMP_BYTES, Clock, Stamps
from tabgrad.errors import DeviceError, shortened
from tabgrad.graph.node import CONST, IOTA, LOAD, SCALAR
from tabgrad.graph.op import Kind
from tabgrad.program import Dispatch, Instruction, Program


class ReferenceDevice(Device):
    """NumPy on the calling thread: exact in its order of operations, and slow."""

    name = "reference"

    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo(
            name=f"NumPy {np.__version__}", vendor=platform.machine(), backend="numpy", kind="numpy"
        )
        self.limits = Limits(max_storage_buffers=64, max_binding_bytes=2**31 - 4, max_buffer_bytes=2**31 - 4)
        self.clock = _ProcessorClock(self)

    def _create_buffer(self, size_bytes: int) -> object:
        return np.zeros(size_bytes, np.uint8)

    def _destroy_buffer(self, handle: object) -> None:
        pass

    def write(self, buffer: Buffer, data: Raw, offset: int = 0) -> None:
        """Copy bytes into a buffer."""
        raw = data.reshape(-1).view(np.uint8)
        _bytes_of(buffer)[offset : offset + raw.size] = raw
        self.counters.bytes_uploaded += raw.size

    def load(self, program: Program, *, may_suspend: bool = False) -> Executable:
        """Make the scratch buffers.

        Raises:
            DeviceError: a kernel has no instructions, only a shader.
        """
        for dispatch in program.dispatches:
            if not dispatch.instructions:
                raise DeviceError(
                    f"{self.name}: expected instructions for the kernel {dispatch.label!r}, got a shader alone; "
                    f"write the program with them, or run it on a GPU"
                )
        scratch = {i: self.allocate(b.size_bytes) for i, b in enumerate(program.buffers) if b.role == "scratch"}
        executable = Executable(program, scratch)
        for buffer in scratch.values():
            weakref.finalize(executable, self.free, buffer).atexit = False
        return executable

    def bind(self, executable: Executable, buffers: Sequence[Buffer]) -> BoundProgram:
        """Pair external buffers with the program's."""
        places: dict[int, Any] = dict(executable.handle)  # type: ignore[call-overload]
        places.update(zip(executable.program.externals, buffers, strict=True))
        return BoundProgram(executable, tuple(buffers), places)

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        """Interpret every dispatch, in order."""
        for buffer, data in writes:
            self.write(buffer, data)
        for dispatch in bound.executable.program.dispatches:
            self.launch(dispatch, bound, scalars)
        self.counters.submits += 1

    def launch(self, dispatch: Dispatch, bound: BoundProgram, scalars: Raw) -> None:
        """Interpret one dispatch."""
        with np.errstate(all="ignore"):  # infinities and NaN are results here, as on a GPU
            _interpret(dispatch, bound.handle, scalars.view(np.uint32))  # type: ignore[arg-type]
        self.counters.dispatches += 1

    async def read(self, ranges: Ranges) -> list[Raw]:
        """Copies of buffer ranges."""
        return self.read_now(ranges)

    def read_now(self, ranges: Ranges) -> list[Raw]:
        """Copies of buffer ranges."""
        self.counters.bytes_read += sum(n for _, _, n in ranges)
        return [_bytes_of(b)[start : start + n].copy() for b, start, n in ranges]

    async def fence(self) -> None:
        """Work is finished when it is submitted; other tasks get their turn."""
        await self.breathe()


class _ProcessorClock(Clock):
    """The processor's clock, read before and after each dispatch; there is no GPU time."""

    def __init__(self, device: ReferenceDevice) -> None:
        self._device = device

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        self._device.run(bound, scalars, writes)

    def profile(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> Stamps:
        device, dispatches = self._device, bound.executable.program.dispatches
        for buffer, data in writes:
            device.write(buffer, data)
        held = device.allocate(STAMP_BYTES * len(dispatches))
        ticks = _bytes_of(held).view(np.uint64)
        for n, dispatch in enumerate(dispatches):
            ticks[2 * n] = time.perf_counter_ns()
            device.launch(dispatch, bound, scalars)
            ticks[2 * n + 1] = time.perf_counter_ns()
        device.counters.submits += 1
        return Stamps(buffer=held, dispatches=tuple(range(len(dispatches))), tick_ns=1)


def _bytes_of(buffer: Buffer) -> np.ndarray:
    assert isinstance(buffer.handle, np.ndarray)
    return buffer.handle


def _interpret(dispatch: Dispatch, buffers: dict[int, Buffer], scalars: np.ndarray) -> None:
    values: list[np.ndarray] = []
    try:
        for step in dispatch.instructions:
            args = [values[a] for a in step.args]
            if step.op.kind is Kind.ACCESS:
                binding = dispatch.bindings[step.attrs["binding"]]
                raw = _bytes_of(buffers[binding.buffer])[binding.offset : binding.offset + binding.size_bytes]
                values.append(_load(raw, step) if step.op is LOAD else _store(raw, step, args[0]))
            elif step.op in _SOURCES:
                values.append(_SOURCES[step.op](step, scalars))
            else:
                assert step.op.reference is not None, step.op
                values.append(np.asarray(step.op.reference(step.attrs, *args)))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # references trust their attributes, and a program may have been read from anywhere
        at, step = len(values), dispatch.instructions[len(values)]
        raise DeviceError(
            f"reference: expected instructions that NumPy can run, got {step.op.name!r} with {shortened(step.attrs)} "
            f"as instruction {at} of the kernel {dispatch.label!r} ({type(error).__name__}: {error}); "
            f"compile the program again"
        ) from error


def _load(raw: np.ndarray, step: Instruction) -> np.ndarray:
    dtype = dtypes.BY_NAME[step.dtype]
    stored = raw[: int(np.prod(step.shape)) * dtype.itemsize].view(dtype.storage).reshape(step.shape)
    values = dtype.unpack(stored)
    return values.copy() if values is stored else values  # a later store of the kernel may overwrite what was loaded


def _store(raw: np.ndarray, step: Instruction, value: np.ndarray) -> np.ndarray:
    stored = dtypes.BY_NAME[step.dtype].stored(value).reshape(-1)
    raw[: stored.nbytes] = stored.view(np.uint8)
    return value


def _const(step: Instruction, _: np.ndarray) -> np.ndarray:
    # a view of one element, as of a number that is expanded: NumPy rounds powers by how exponents lie in memory
    return np.broadcast_to(np.asarray(step.attrs["value"], dtypes.BY_NAME[step.dtype].array), step.shape)


def _iota(step: Instruction, _: np.ndarray) -> np.ndarray:
    axis = step.attrs["axis"]
    index = np.arange(step.shape[axis], dtype=dtypes.BY_NAME[step.dtype].array)
    return np.broadcast_to(index.reshape([-1 if d == axis else 1 for d in range(len(step.shape))]), step.shape)


def _scalar(step: Instruction, scalars: np.ndarray) -> np.ndarray:
    return scalars[step.attrs["slot"]].view(dtypes.BY_NAME[step.dtype].storage).reshape(())


_SOURCES = {CONST: _const, IOTA: _iota, SCALAR: _scalar}
