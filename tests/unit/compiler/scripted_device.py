"""A device whose programs run in NumPy and whose kernels take the time, and fail in the way, that a script says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tabgrad.devices.base import Executable
from tabgrad.devices.bench import Bench, CompiledKernel, KernelSource
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
        self.ms = {64: 1.0, 128: 0.8, 256: 0.5} if ms is None else ms
        self.wall_clock = wall_clock
        self.log: list[str] = []
        self.wrong: set[int] = set()
        self.hangs: set[int] = set()
        self.compile_s = 0.0
        self.compiling = self.most_compiling = 0  # at once
        self.on_launch: Callable[[], None] = lambda: None
        self.open_benches = 0
        self.swapped: list[tuple[int, int]] = []

    def run(self, *args: Any, **kwargs: Any) -> None:
        super().run(*args, **kwargs)
        self.log.append("step")

    async def fence(self) -> None:
        await super().fence()
        self.log.append("fence")

    async def compile_kernel(self, kernel: KernelSource) -> CompiledKernel:
        size = workgroup(kernel.source)
        self.log.append(f"compile {size}")
        self.compiling += 1
        self.most_compiling = max(self.most_compiling, self.compiling)
        try:
            await self._work(self.compile_s)
        finally:
            self.compiling -= 1
        if size in self.hangs:
            await asyncio.Event().wait()
        if size not in self.ms:
            raise DeviceError(f"kernel {kernel.label} does not compile: line 1:1 no size {size}")
        return CompiledKernel(kernel, size)

    async def _work(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def open_bench(self, sizes: Sequence[int], accesses: Sequence[Access], num_scalars: int | None) -> Bench:
        self.open_benches += 1
        return ScriptedBench(self, sizes)

    def replace(self, executable: Executable, index: int, kernel: CompiledKernel) -> None:
        self.log.append(f"swap {workgroup(kernel.kernel.source)}")
        self.swapped.append((id(executable), index))


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
