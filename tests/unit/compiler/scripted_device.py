"""A device whose programs run in NumPy and whose kernels take the time, and fail in the way, that a script says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tabgrad.devices.base import BoundProgram, Counters, Executable, Raw, Writes
from tabgrad.devices.kernel_trials import Bench, CompiledKernel, KernelSource, KernelTrials
from tabgrad.devices.reference import ReferenceDevice
from tabgrad.errors import DeviceError
from tabgrad.program import Access


def workgroup(source: str) -> int:
    """The size of workgroup that a rendered kernel has: here, its variant."""
    found = re.search(r"@workgroup_size\((\d+)", source)
    assert found is not None
    return int(found[1])


class ScriptedDevice(ReferenceDevice):
    """Notes in ``log`` what happens, in order.

    Args:
        ms: by size of workgroup, what a launch takes; sizes that are left out fail to compile.
    """

    name = "scripted"

    def __init__(self, ms: dict[int, float] | None = None, *, wall_clock: bool = False) -> None:
        super().__init__()
        self.info = replace(self.info, name="Scripted", kind="gpu", backend="script")
        self.ms = {1: 1.0, 8: 1.0, 64: 1.0, 128: 0.8, 256: 0.5} if ms is None else ms
        self.wall_clock = wall_clock
        self.log: list[str] = []
        self.wrong: set[int] = set()
        self.hangs: set[int] = set()
        self.compile_s = 0.0
        self.compiling = self.most_compiling = 0  # at once
        self.on_launch: Callable[[], None] = lambda: None
        self.open_benches = 0
        self.swapped: list[tuple[int, int]] = []
        self.trials = ScriptedTrials(self)

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        super().run(bound, scalars, writes)
        self.log.append("step")

    async def fence(self) -> None:
        await super().fence()
        self.log.append("fence")

    async def _work(self, seconds: float) -> None:
        """What compiling takes."""
        await asyncio.sleep(seconds)


class ScriptedTrials(KernelTrials):
    def __init__(self, device: ScriptedDevice) -> None:
        self.counters = Counters()
        self._device = device

    async def compile(self, kernel: KernelSource) -> CompiledKernel:
        device, size = self._device, workgroup(kernel.source)
        device.log.append(f"compile {size}")
        device.compiling += 1
        device.most_compiling = max(device.most_compiling, device.compiling)
        try:
            await device._work(device.compile_s)
        finally:
            device.compiling -= 1
        if size in device.hangs:
            await asyncio.Event().wait()
        if size not in device.ms:
            raise DeviceError(f"kernel {kernel.label} does not compile: line 1:1 no size {size}")
        return CompiledKernel(kernel, size)

    def compile_now(self, kernels: Sequence[KernelSource]) -> dict[KernelSource, CompiledKernel]:
        sizes = {kernel: workgroup(kernel.source) for kernel in kernels}
        self._device.log += [f"compile {size} now" for size in sizes.values()]
        return {kernel: CompiledKernel(kernel, size) for kernel, size in sizes.items() if size in self._device.ms}

    def open_bench(self, sizes: Sequence[int], accesses: Sequence[Access], num_scalars: int | None) -> Bench:
        self._device.open_benches += 1
        return ScriptedBench(self._device, sizes)

    def replace(self, executable: Executable, index: int, kernel: CompiledKernel) -> None:
        self._device.log.append(f"swap {workgroup(kernel.kernel.source)}")
        self._device.swapped.append((id(executable), index))


class ScriptedBench(Bench):
    def __init__(self, device: ScriptedDevice, sizes: Sequence[int]) -> None:
        self._device = device
        self._buffers = [np.zeros(size, np.uint8) for size in sizes]
        self.uses_wall_clock = device.wall_clock

    def write(self, binding: int, offset: int, data: np.ndarray) -> None:
        raw = data.view(np.uint8)
        self._buffers[binding][offset : offset + raw.size] = raw

    def write_scalars(self, words: np.ndarray) -> None:
        pass

    async def run(self, kernel: CompiledKernel, repeats: int) -> float:
        await asyncio.sleep(0)
        size = kernel.handle
        assert isinstance(size, int)
        self._device.log.append(f"launch {size} x{repeats}")
        self._device.on_launch()
        value = 2.0 if size in self._device.wrong else 1.0
        for buffer in self._buffers:
            buffer.view(np.float32)[:] = value
        return self._device.ms[size] * repeats

    async def read(self, ranges: Sequence[tuple[int, int, int]]) -> list[np.ndarray]:
        await asyncio.sleep(0)
        return [self._buffers[n][at : at + size].copy() for n, at, size in ranges]

    def close(self) -> None:
        self._device.open_benches -= 1
