"""The native device: programs on the machine's GPU through ``wgpu``.

What wgpu-py 0.32 is like shapes this file: whatever the driver refuses raises at once;
``on_submitted_work_done`` is broken, so a fence is an empty read. While a read waits, drivers
may hold the next submit back until the GPU is idle; a loop that keeps few steps in flight
does not notice.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

import numpy as np
import wgpu

from tabgrad.devices.base import BoundProgram, Buffer, Device, Executable, Progress, Ranges, Raw, Writes
from tabgrad.devices.native_adapter import choose_adapter, describe, limits_of, open_adapter
from tabgrad.devices.native_clock import NativeClock
from tabgrad.devices.native_errors import asking
from tabgrad.devices.native_kernels import KernelCache
from tabgrad.devices.native_reads import Reader, Request
from tabgrad.devices.native_replay import Loaded, Replay, loaded, replay_of
from tabgrad.devices.native_trials import NativeTrials
from tabgrad.errors import DeviceError
from tabgrad.program import Program, scalars_bytes

# One kind of buffer for everything, the scalars' uniforms included, so that one pool serves all.
_USAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST


class NativeDevice(Device):
    """Runs programs with ``wgpu`` on Vulkan, Metal or Direct3D 12.

    Pipelines live as long as the device; bind groups as long as the bound program; scratch and
    scalars buffers go back to the pool when their executable or bound program is dropped.

    Raises:
        DeviceError: no adapter; says what to install.
    """

    name = "native"

    def __init__(self) -> None:
        super().__init__()
        adapter = choose_adapter()
        self._gpu = open_adapter(adapter)
        self.info = describe(adapter, self._gpu)
        self.limits = limits_of(self._gpu)
        self._kernels = KernelCache(self._gpu, self.counters)
        self._reader = Reader(self._gpu, self.counters)
        self.clock = NativeClock(self, self._gpu, self._reader) if self._reader.keeps_time else None
        self.trials = NativeTrials(self._gpu, self._kernels)

    # Memory

    def _create_buffer(self, size_bytes: int) -> wgpu.GPUBuffer:
        with asking(f"a buffer of {size_bytes} bytes"):
            return self._gpu.create_buffer(size=size_bytes, usage=_USAGE)

    def _destroy_buffer(self, handle: object) -> None:
        assert isinstance(handle, wgpu.GPUBuffer)
        handle.destroy()

    def trim(self) -> None:
        """Destroy the buffers that wait in the pool, and those that reads go through."""
        super().trim()
        self._reader.trim()

    def write(self, buffer: Buffer, data: Raw, offset: int = 0) -> None:
        """See :meth:`Device.write`.

        Raises:
            DeviceError: the bytes or ``offset`` are no multiple of 4, or end beyond the buffer.
        """
        if data.nbytes % 4 or offset % 4 or offset + data.nbytes > buffer.size_bytes:
            raise DeviceError(
                f"write: expected whole words inside a buffer of {buffer.size_bytes} bytes, got "
                f"{data.nbytes} bytes at {offset}; pad the array to a multiple of 4 bytes"
            )
        if data.nbytes:
            with asking("an upload"):
                self._gpu.queue.write_buffer(buffer.handle, offset, data)
            self.counters.bytes_uploaded += data.nbytes

    # Programs

    def load(self, program: Program, *, may_suspend: bool = False) -> Executable:
        self._kernels.compile(program)
        return self._executable(program)

    async def load_async(self, program: Program, on_progress: Progress | None = None) -> Executable:
        await self._kernels.compile_async(program, on_progress)
        return self._executable(program)

    def _executable(self, program: Program) -> Executable:
        scratch = {i: self.allocate(b.size_bytes) for i, b in enumerate(program.buffers) if b.role == "scratch"}
        launches = {
            i: (self._kernels.get(program, d).pipeline, d.workgroups)
            for i, d in enumerate(program.dispatches)
            if 0 not in d.workgroups
        }
        executable = Executable(program, Loaded(scratch, launches))
        for buffer in scratch.values():
            weakref.finalize(executable, self.free, buffer).atexit = False
        return executable

    def bind(self, executable: Executable, buffers: Sequence[Buffer]) -> BoundProgram:
        program = executable.program
        placed = _place(executable, buffers)
        scalars = self.allocate(scalars_bytes(program.num_scalars))
        self.write(scalars, np.zeros(scalars.size_bytes // 4, np.uint32))  # it may have held other numbers
        distinct: dict[tuple[object, ...], wgpu.GPUBindGroup] = {}
        groups: list[wgpu.GPUBindGroup] = []
        for dispatch in program.dispatches:
            kernel = self._kernels.get(program, dispatch)
            ranges = [(placed[b.buffer], b.offset, b.size_bytes) for b in dispatch.bindings]
            if dispatch.uses_scalars:
                ranges.append((scalars, 0, scalars_bytes(program.num_scalars)))
            key = (kernel.layout, *((buffer.id, *rest) for buffer, *rest in ranges))
            if key not in distinct:
                distinct[key] = self._bind_group(kernel.layout, ranges, dispatch.label)
            groups.append(distinct[key])
        replay = Replay(loaded(executable).launches, groups, scalars)
        bound = BoundProgram(executable, tuple(buffers), replay)
        weakref.finalize(bound, self.free, scalars).atexit = False
        return bound

    def _bind_group(self, layout: wgpu.GPUBindGroupLayout, ranges: Sequence[Request], label: str) -> wgpu.GPUBindGroup:
        entries = [
            {"binding": i, "resource": {"buffer": buffer.handle, "offset": offset, "size": size}}
            for i, (buffer, offset, size) in enumerate(ranges)
        ]
        with asking(f"the buffers of the kernel {label!r}"):
            group = self._gpu.create_bind_group(label=label, layout=layout, entries=entries)
        self.counters.bind_groups_created += 1
        return group

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        replay = self.feed(bound, scalars, writes)
        with asking("a program"):
            encoder = self._gpu.create_command_encoder()
            compute = encoder.begin_compute_pass()
            replay.encode(compute)
            compute.end()
            self.submit(encoder, replay)

    def feed(self, bound: BoundProgram, scalars: Raw, writes: Writes) -> Replay:
        """Upload what a run is given."""
        replay = replay_of(bound)
        expected = bound.executable.program.num_scalars
        if scalars.nbytes != 4 * expected:
            raise DeviceError(f"run: expected {expected} scalars of 4 bytes, got {scalars.nbytes} bytes")
        for buffer, data in writes:
            self.write(buffer, data)
        self.write(replay.scalars, scalars)
        return replay

    def submit(self, encoder: wgpu.GPUCommandEncoder, replay: Replay) -> None:
        """Submit a run that has been recorded, and count it."""
        self._gpu.queue.submit([encoder.finish()])
        self.counters.submits += 1
        self.counters.dispatches += len(replay.launches)

    # Reads

    async def read(self, ranges: Ranges) -> list[Raw]:
        transaction = self._reader.start(ranges)
        self.counters.submits += 1
        arrays = await self._reader.wait(transaction)
        self._note_time()
        return arrays

    def read_now(self, ranges: Ranges) -> list[Raw]:
        transaction = self._reader.start(ranges)
        self.counters.submits += 1
        arrays = self._reader.wait_now(transaction)
        self._note_time()
        return arrays

    async def fence(self) -> None:
        # Its submit is not counted: it is this platform's way to wait, not work that was asked for.
        await self._reader.wait(self._reader.start([]))
        self._note_time()

    def _note_time(self) -> None:
        if self.clock is not None:
            self.clock.gpu_ms = self._reader.gpu_ms

    def close(self) -> None:
        super().close()
        self._kernels.clear()


def _place(executable: Executable, buffers: Sequence[Buffer]) -> dict[int, Buffer]:
    """Every buffer of the program by its place, scratch included."""
    program = executable.program
    if len(buffers) != len(program.externals):
        raise DeviceError(f"bind: expected {len(program.externals)} buffers, got {len(buffers)}")
    for index, buffer in zip(program.externals, buffers, strict=True):
        spec = program.buffers[index]
        if buffer.size_bytes < spec.size_bytes:
            raise DeviceError(
                f"bind: expected at least {spec.size_bytes} bytes for {spec.label!r}, got {buffer.size_bytes}"
            )
    return dict(zip(program.externals, buffers, strict=True)) | loaded(executable).scratch
