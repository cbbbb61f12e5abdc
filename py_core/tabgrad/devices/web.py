"""WebGPU through the JavaScript executor, where Python itself runs in wasm: browser or Node.

The executor (``web/executor``) is registered as the JavaScript module ``tabgrad_executor``
before any script runs. NumPy arrays are passed as offsets into wasm memory, so nothing is
copied on the way, and a training step crosses into JavaScript once.
"""

from __future__ import annotations

import asyncio
import sys
import weakref
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tabgrad.devices.base import (
    STAMP_BYTES,
    AdapterInfo,
    BoundProgram,
    Buffer,
    Counters,
    Device,
    Executable,
    Limits,
    Progress,
    Stamps,
)
from tabgrad.devices.bench import Bench, CompiledKernel, KernelSource
from tabgrad.devices.web_bench import WebBench, address, describe_kernel, describe_operands
from tabgrad.errors import DeviceError, DeviceLostError
from tabgrad.program import Access, Program

_JS_COUNTERS = {
    "submits": "submits",
    "dispatches": "dispatches",
    "buffers_created": "buffersCreated",
    "bind_groups_created": "bindGroupsCreated",
    "layouts_created": "layoutsCreated",
    "pipelines_created": "pipelinesCreated",
    "bytes_uploaded": "bytesUploaded",
    "bytes_read": "bytesRead",
    "maps": "maps",
    "bytes_allocated": "bytesAllocated",
}


def unavailable_reason() -> str | None:
    """Why there is no WebGPU here, as a clause; ``None`` where there is."""
    platform: str = sys.platform  # a type checker would take the host's for granted
    if platform != "emscripten":
        return "Python is not running in a browser or in the Node harness"
    from tabgrad_executor import executor, reason

    return None if executor else str(reason)


class WebDevice(Device):
    """The adapter that the executor was opened on.

    Raises:
        DeviceError: there is no WebGPU; says why.
    """

    name = "web"

    def __init__(self) -> None:
        reason = unavailable_reason()
        if reason is not None:
            raise DeviceError(f'web: expected WebGPU, got none: {reason}; use device("reference")')
        from tabgrad_executor import executor

        self._counters, self._bench_counters = Counters(), Counters()
        self._js: Any = executor
        super().__init__()
        info = executor.info().to_py()
        limits = info["limits"]
        self.info = AdapterInfo(
            name=info["name"],
            vendor=info["vendor"],
            backend=info["backend"],
            kind=info["kind"],
            features=tuple(info["features"]),
        )
        self.limits = Limits(
            max_storage_buffers=limits["maxStorageBuffers"],
            max_binding_bytes=limits["maxBindingBytes"],
            max_buffer_bytes=limits["maxBufferBytes"],
            max_workgroups=limits["maxWorkgroups"],
            max_invocations=limits["maxInvocations"],
            max_workgroup_bytes=limits["maxWorkgroupBytes"],
        )

    @property
    def counters(self) -> Counters:
        """The executor's counters, asked for anew; that question is not counted as a crossing."""
        return _taken_over(self._counters, self._js.counters())

    @counters.setter
    def counters(self, counters: Counters) -> None:
        self._counters = counters

    @property
    def bench_counters(self) -> Counters:
        """As :attr:`counters`, of kernels apart from programs."""
        return _taken_over(self._bench_counters, self._js.benchCounters())

    @bench_counters.setter
    def bench_counters(self, counters: Counters) -> None:
        self._bench_counters = counters

    # Memory

    def _create_buffer(self, size_bytes: int) -> object:
        self._counters.crossings += 1
        return self._js.createBuffer(size_bytes)

    def _destroy_buffer(self, handle: object) -> None:
        self._counters.crossings += 1
        self._js.destroyBuffer(handle)

    def write(self, buffer: Buffer, data: np.ndarray, offset: int = 0) -> None:
        assert data.flags.c_contiguous and data.nbytes % 4 == 0 and offset % 4 == 0
        self._counters.crossings += 1
        self._js.write(buffer.handle, offset, address(data), data.nbytes)

    # Programs

    def load(self, program: Program) -> Executable:
        self._counters.crossings += 1
        return self._executable(program, self._js.load(program.to_json(instructions=False)))

    def load_suspending(self, program: Program) -> Executable:
        from pyodide.ffi import can_run_sync, run_sync

        # software adapters compile one kernel after the other in any case, and waiting takes one of their cores
        if self.info.kind == "gpu" and can_run_sync():
            return run_sync(self.load_async(program))
        return self.load(program)

    async def load_async(self, program: Program, on_progress: Progress | None = None) -> Executable:
        from pyodide.ffi import JsException, create_proxy

        self._counters.crossings += 1
        progress = create_proxy(on_progress) if on_progress is not None else None
        try:
            return self._executable(program, await self._js.loadAsync(program.to_json(instructions=False), progress))
        except JsException as error:
            await self._raise_failure(error)
            raise
        finally:
            if progress is not None:
                progress.destroy()

    def _executable(self, program: Program, handle: int) -> Executable:
        executable = Executable(program, handle)
        weakref.finalize(executable, self._js.unload, handle).atexit = False
        return executable

    def bind(self, executable: Executable, buffers: Sequence[Buffer]) -> BoundProgram:
        self._counters.crossings += 1
        ids = np.array([buffer.handle for buffer in buffers], dtype=np.uint32)
        handle = self._js.bind(executable.handle, address(ids), ids.size)
        bound = BoundProgram(executable, tuple(buffers), _Step(handle))
        weakref.finalize(bound, self._js.unbind, handle).atexit = False
        return bound

    def run(
        self,
        bound: BoundProgram,
        scalars: np.ndarray,
        writes: Sequence[tuple[Buffer, np.ndarray]] = (),
        *,
        timed: bool = False,
    ) -> None:
        assert scalars.flags.c_contiguous and scalars.itemsize == 4
        words: list[Any] = [timed, address(scalars) if scalars.size else 0, scalars.size, len(writes)]
        for buffer, data in writes:
            assert data.flags.c_contiguous and data.nbytes % 4 == 0
            words += (buffer.handle, 0, address(data), data.nbytes)
        step: Any = bound.handle
        self._counters.crossings += 1
        if self._js.run(step.handle, step.describe(words)):
            self._raise_pending()

    # Kernels apart from programs

    async def compile_kernel(self, kernel: KernelSource) -> CompiledKernel:
        handle = await self._answer(self._js.compileKernel(describe_kernel(kernel)))
        compiled = CompiledKernel(kernel, handle)
        weakref.finalize(compiled, self._js.releaseKernel, handle).atexit = False
        return compiled

    def open_bench(self, sizes: Sequence[int], accesses: Sequence[Access], num_scalars: int | None) -> Bench:
        handle = self._js.openBench(describe_operands(sizes, accesses, num_scalars))
        return WebBench(self._js, handle, self._answer, wall_clock="timestamp-query" not in self.info.features)

    def replace(self, executable: Executable, index: int, kernel: CompiledKernel) -> None:
        self._js.replace(executable.handle, index, kernel.handle)

    async def _answer(self, promise: Any) -> Any:
        """What the executor answers; its errors are the asker's alone."""
        from pyodide.ffi import JsException

        try:
            return await promise
        except JsException as error:
            await self._raise_failure(error)
            raise

    def profile(
        self, bound: BoundProgram, scalars: np.ndarray, writes: Sequence[tuple[Buffer, np.ndarray]] = ()
    ) -> Stamps:
        self.require_time()
        dispatches = tuple(range(len(bound.executable.program.dispatches)))
        stamps = Stamps(buffer=self.allocate(STAMP_BYTES * len(dispatches)), dispatches=dispatches, tick_ns=1)
        words = [0, address(scalars) if scalars.size else 0, scalars.size, len(writes)]
        for buffer, data in writes:
            words += (buffer.handle, 0, address(data), data.nbytes)  # type: ignore[arg-type]
        descriptor = np.array(words, dtype=np.uint32)
        step: Any = bound.handle
        self._counters.crossings += 1
        if self._js.profile(step.handle, address(descriptor), stamps.buffer.handle):
            self._raise_pending()
        return stamps

    # Reads

    async def read(self, requests: Sequence[tuple[Buffer, int, int]]) -> list[np.ndarray]:
        # Shielded: a cancelled caller must not free the arrays that JavaScript still writes to.
        reading = asyncio.ensure_future(self._read(requests))
        reading.add_done_callback(_heed)
        return await asyncio.shield(reading)

    async def _read(self, requests: Sequence[tuple[Buffer, int, int]]) -> list[np.ndarray]:
        arrays = [np.empty(size, dtype=np.uint8) for _, _, size in requests]
        words: list[Any] = [len(requests)]
        for (buffer, offset, size), array in zip(requests, arrays, strict=True):
            words += (buffer.handle, offset, size, address(array) if size else 0)
        descriptor = np.array(words, dtype=np.uint32)
        gpu_ms = await self._settle(self._js.read(address(descriptor)))
        if gpu_ms is None:
            self._raise_pending()
        self.gpu_ms = gpu_ms if gpu_ms >= 0 else None
        return arrays

    def read_now(self, requests: Sequence[tuple[Buffer, int, int]]) -> list[np.ndarray]:
        from pyodide.ffi import can_run_sync, run_sync

        if not can_run_sync():
            raise DeviceError(
                "web: expected a browser that can suspend Python (JSPI) to read a tensor's value at once, "
                "got one that cannot; write `await t.read()` instead of .item(), .numpy() or .tolist()"
            )
        return run_sync(self.read(requests))

    async def fence(self) -> None:
        if await self._settle(self._js.fence()):
            self._raise_pending()

    async def breathe(self) -> None:
        self._counters.crossings += 1
        await self._js.breathe()

    def close(self) -> None:
        """Destroy the GPU device itself; a new executor is needed to open another."""
        super().close()
        self._js.close()

    # Errors

    async def _settle(self, promise: Any) -> Any:
        """What the executor answers; raises if it could not do what was asked."""
        from pyodide.ffi import JsException

        self._counters.crossings += 1
        try:
            return await promise
        except JsException as error:
            await self._raise_failure(error)
            raise

    async def _raise_failure(self, error: Any) -> None:
        await self._js.breathe()  # a loss is announced a moment after the call that it broke
        if self._js.lost():
            self._raise_pending()
        raise DeviceError(f"web: {error.message}") from None

    def _raise_pending(self) -> NoReturn:
        lost = self._js.lost()
        if lost:
            raise DeviceLostError(
                f"web: expected a working GPU, got a lost one ({lost}); what it held is gone, "
                "so start again from the script or a checkpoint"
            ) from None
        raise DeviceError(f"web: {self._js.takeError()}") from None


def _taken_over(counters: Counters, counted: Any) -> Counters:
    values = counted.to_py()
    for ours, theirs in _JS_COUNTERS.items():
        setattr(counters, ours, values[theirs])
    return counters


class _Step:
    """A bound program's id, and the words that describe one run of it, kept from step to step."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._words = np.empty(0, dtype=np.uint32)
        self._address = 0

    def describe(self, words: list[Any]) -> int:
        """Write a run's descriptor; returns its address."""
        if self._words.size < len(words):
            self._words = np.empty(len(words), dtype=np.uint32)
            self._address = address(self._words)
        self._words[: len(words)] = words
        return self._address


def _heed(task: asyncio.Future[Any]) -> None:
    """Take note of a task's error, which nobody waits for once its caller is cancelled."""
    if not task.cancelled():
        task.exception()
