"""Measuring kernels through the JavaScript executor; see ``web/executor/benches.js``."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np

from tabgrad.devices.base import Counters, Executable
from tabgrad.devices.kernel_trials import Bench, CompiledKernel, KernelSource, KernelTrials
from tabgrad.devices.web_memory import address, taken_over
from tabgrad.program import Access

_SCALARS = -1  # in place of a binding's number


class WebTrials(KernelTrials):
    """See :class:`KernelTrials`; ``answer`` waits for a promise and raises what it met."""

    def __init__(self, executor: Any, answer: Callable[[Any], Awaitable[Any]], *, wall_clock: bool) -> None:
        self._js, self._answer, self._wall_clock = executor, answer, wall_clock
        self._counters = Counters()

    @property
    def counters(self) -> Counters:  # type: ignore[override]
        """The executor's counters of this work, read again."""
        return taken_over(self._counters, self._js.benchCounters())

    async def compile(self, kernel: KernelSource) -> CompiledKernel:
        return self._held(kernel, await self._answer(self._js.compileKernel(_described(kernel))))

    def compile_now(self, kernels: Sequence[KernelSource]) -> dict[KernelSource, CompiledKernel]:
        return {kernel: self._held(kernel, self._js.compileKernelNow(_described(kernel))) for kernel in kernels}

    def _held(self, kernel: KernelSource, handle: Any) -> CompiledKernel:
        compiled = CompiledKernel(kernel, handle)
        weakref.finalize(compiled, self._js.releaseKernel, handle).atexit = False
        return compiled

    def open_bench(self, sizes: Sequence[int], accesses: Sequence[Access], num_scalars: int | None) -> Bench:
        handle = self._js.openBench(_described_operands(sizes, accesses, num_scalars))
        return WebBench(self._js, handle, self._answer, wall_clock=self._wall_clock)

    def replace(self, executable: Executable, index: int, kernel: CompiledKernel) -> None:
        self._js.replace(executable.handle, index, kernel.handle)


class WebBench(Bench):
    """See :class:`Bench`; ``answer`` waits for a promise and raises what it met."""

    def __init__(
        self, executor: Any, handle: int, answer: Callable[[Any], Awaitable[Any]], *, wall_clock: bool
    ) -> None:
        self._js, self._handle, self._answer = executor, handle, answer
        self.uses_wall_clock = wall_clock

    def write(self, binding: int, offset: int, data: np.ndarray) -> None:
        assert data.flags.c_contiguous and data.nbytes % 4 == 0
        self._js.writeBench(self._handle, binding, offset, address(data), data.nbytes)

    def write_scalars(self, words: np.ndarray) -> None:
        self.write(_SCALARS, 0, words)

    async def run(self, kernel: CompiledKernel, repeats: int) -> float:
        elapsed_ms = await self._answer(self._js.runBench(self._handle, kernel.handle, repeats))
        return float(elapsed_ms)

    async def read(self, ranges: Sequence[tuple[int, int, int]]) -> list[np.ndarray]:
        # Shielded: a cancelled caller must not free the arrays that JavaScript still writes to.
        reading = asyncio.ensure_future(self._read(ranges))
        reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(reading)

    async def _read(self, ranges: Sequence[tuple[int, int, int]]) -> list[np.ndarray]:
        arrays = [np.empty(size, dtype=np.uint8) for _, _, size in ranges]
        words: list[int] = [len(ranges)]
        for (binding, offset, size), array in zip(ranges, arrays, strict=True):
            words += (binding, offset, size, address(array))
        descriptor = np.array(words, dtype=np.uint32)
        await self._answer(self._js.readBench(self._handle, address(descriptor)))
        return arrays

    def close(self) -> None:
        self._js.closeBench(self._handle)


def _described(kernel: KernelSource) -> str:
    """As ``Benches.compile`` takes it."""
    return json.dumps(
        {
            "source": kernel.source,
            "signature": signature(kernel.accesses, uses_scalars=kernel.uses_scalars),
            "label": kernel.label,
            "workgroups": kernel.workgroups,
        }
    )


def _described_operands(sizes: Sequence[int], accesses: Sequence[str], num_scalars: int | None) -> str:
    """As ``Benches.open`` takes them."""
    bound = signature(accesses, uses_scalars=num_scalars is not None)
    return json.dumps({"signature": bound, "sizes": list(sizes), "numScalars": num_scalars})


def signature(accesses: Sequence[str], *, uses_scalars: bool) -> str:
    """What a dispatch binds, as ``signatureOf`` in ``web/executor/program.js`` writes it."""
    return ",".join("r" if access == "read" else "rw" for access in accesses) + ("|s" if uses_scalars else "|")
