"""Measuring kernels on the native device."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import wgpu

from tabgrad.devices.base import Buffer, Counters, Executable
from tabgrad.devices.kernel_trials import Bench, CompiledKernel, KernelSource, KernelTrials
from tabgrad.devices.native_errors import asking
from tabgrad.devices.native_kernels import Kernel, KernelCache
from tabgrad.devices.native_reads import Reader
from tabgrad.devices.native_replay import loaded
from tabgrad.errors import DeviceError
from tabgrad.program import Access, scalars_bytes

_USAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST


class NativeTrials(KernelTrials):
    """See :class:`KernelTrials`; what is swapped in joins the kernels that programs share."""

    def __init__(self, gpu: wgpu.GPUDevice, kernels: KernelCache) -> None:
        self.counters = Counters()
        self._gpu, self._kernels = gpu, kernels

    async def compile(self, kernel: KernelSource) -> CompiledKernel:
        return CompiledKernel(kernel, await self._kernels.compile_apart(kernel, self.counters))

    def compile_now(self, kernels: Sequence[KernelSource]) -> dict[KernelSource, CompiledKernel]:
        made = self._kernels.compile_apart_now(kernels, self.counters)
        return {kernel: CompiledKernel(kernel, handle) for kernel, handle in made.items()}

    def open_bench(self, sizes: Sequence[int], accesses: Sequence[Access], num_scalars: int | None) -> Bench:
        layout = self._kernels.layout_of(accesses, uses_scalars=num_scalars is not None)
        return NativeBench(self._gpu, layout, self.counters, sizes, num_scalars)

    def replace(self, executable: Executable, index: int, kernel: CompiledKernel) -> None:
        launches, made = loaded(executable).launches, kernel.handle
        assert isinstance(made, Kernel) and index in launches
        self._kernels.adopt(kernel.kernel, made)
        launches[index] = made.pipeline, kernel.kernel.workgroups


class NativeBench(Bench):
    """See :class:`Bench`; it has a reader of its own, so that training's reads and times stay apart."""

    def __init__(
        self,
        gpu: wgpu.GPUDevice,
        layout: wgpu.GPUBindGroupLayout,
        counters: Counters,
        sizes: Sequence[int],
        num_scalars: int | None,
    ) -> None:
        self._gpu, self._counters = gpu, counters
        self._buffers: list[Buffer] = []
        self._scalars: Buffer | None = None
        self._reader = Reader(gpu, counters)
        self.uses_wall_clock = "timestamp-query" not in gpu.features
        try:
            for size in sizes:
                self._buffers.append(self._create(size))
            if num_scalars is not None:
                self._scalars = self._create(scalars_bytes(num_scalars))
            bound = [(b, n) for b, n in zip(self._buffers, sizes, strict=True)]
            bound += [(self._scalars, self._scalars.size_bytes)] if self._scalars is not None else []
            entries = [
                {"binding": i, "resource": {"buffer": b.handle, "offset": 0, "size": n}}
                for i, (b, n) in enumerate(bound)
            ]
            with asking("the buffers of a kernel to be measured"):
                self._group = gpu.create_bind_group(layout=layout, entries=entries)
            counters.bind_groups_created += 1
        except DeviceError:
            self.close()
            raise

    def _create(self, size_bytes: int) -> Buffer:
        size = -(-size_bytes // 4) * 4
        with asking(f"a buffer of {size} bytes to measure a kernel on"):
            buffer = Buffer(self._gpu.create_buffer(size=size, usage=_USAGE), size)
        self._counters.buffers_created += 1
        self._counters.bytes_allocated += size
        return buffer

    def write(self, binding: int, offset: int, data: np.ndarray) -> None:
        self._upload(self._buffers[binding], offset, data)

    def write_scalars(self, words: np.ndarray) -> None:
        assert self._scalars is not None
        self._upload(self._scalars, 0, words)

    def _upload(self, buffer: Buffer, offset: int, data: np.ndarray) -> None:
        with asking("an upload"):
            self._gpu.queue.write_buffer(buffer.handle, offset, data)
        self._counters.bytes_uploaded += data.nbytes

    async def run(self, kernel: CompiledKernel, repeats: int) -> float:
        made = kernel.handle
        assert isinstance(made, Kernel)
        if self.uses_wall_clock:
            await self._reader.wait(self._reader.start([]))
        start = time.perf_counter()
        with asking(f"the kernel {kernel.kernel.label!r}"):
            encoder = self._gpu.create_command_encoder()
            compute = encoder.begin_compute_pass(timestamp_writes=self._reader.timestamp_writes())
            compute.set_pipeline(made.pipeline)
            compute.set_bind_group(0, self._group)
            for _ in range(repeats):
                compute.dispatch_workgroups(*kernel.kernel.workgroups)
            compute.end()
            self._reader.resolve_timestamps(encoder)
            self._gpu.queue.submit([encoder.finish()])
        self._counters.submits += 1
        self._counters.dispatches += repeats
        await self._reader.wait(self._reader.start([]))
        elapsed = (time.perf_counter() - start) * 1000
        return elapsed if self._reader.gpu_ms is None else self._reader.gpu_ms

    async def read(self, ranges: Sequence[tuple[int, int, int]]) -> list[np.ndarray]:
        return await self._reader.wait(self._reader.start([(self._buffers[b], at, n) for b, at, n in ranges]))

    def close(self) -> None:
        for buffer in [*self._buffers, *([self._scalars] if self._scalars is not None else [])]:
            self._counters.bytes_allocated -= buffer.size_bytes
            handle = buffer.handle
            assert isinstance(handle, wgpu.GPUBuffer)
            handle.destroy()
        self._buffers, self._scalars = [], None
        self._reader.close()
