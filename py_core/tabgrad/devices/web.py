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
    AdapterInfo,
    BoundProgram,
    Buffer,
    Counters,
    Device,
    Executable,
    Limits,
    Progress,
    Ranges,
    Raw,
    Writes,
)
from tabgrad.devices.clock import STAMP_BYTES, Clock, Stamps
from tabgrad.devices.web_marks import WebMarks
from tabgrad.devices.web_memory import address, taken_over
from tabgrad.devices.web_step import WebStep, step_of
from tabgrad.devices.web_trials import WebTrials, signature
from tabgrad.errors import DeviceError, DeviceLostError
from tabgrad.program import Dispatch, Program

_TIMED, _MAY_WAIT = 1, 2  # flags of a run, as in web/executor/executor.js


def unavailable_reason() -> str | None:
    """Why there is no WebGPU here, as a clause; ``None`` where there is.

    Raises:
        DeviceError: the page offers no executor.
    """
    platform: str = sys.platform  # a type checker would take the host's for granted
    if platform != "emscripten":
        return "Python is not running in a browser or in the Node harness"
    try:
        from tabgrad_executor import executor, reason
    except ImportError as error:
        raise DeviceError(
            "web: expected the JavaScript module tabgrad_executor, found none; "
            "the page must register it with pyodide.registerJsModule before scripts run"
        ) from error
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

        self._counters = Counters()
        self._js: Any = executor
        self._run_js: Any = executor.run  # looked up once: that takes longer than the call
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
        keeps_time = "timestamp-query" in self.info.features
        self.clock = _WebClock(self, executor) if keeps_time else None
        self.marks = WebMarks(executor, self.crossed, self._raise_pending)
        self.trials = WebTrials(executor, self.answer, wall_clock=not keeps_time)
        self.expect = self._expect if self.info.kind == "gpu" else None

    @property
    def counters(self) -> Counters:
        """The executor's counters, read again; that read is not counted as a crossing."""
        return taken_over(self._counters, self._js.counters())

    @counters.setter
    def counters(self, counters: Counters) -> None:
        self._counters = counters

    # Memory

    def _create_buffer(self, size_bytes: int) -> object:
        self._counters.crossings += 1
        return self._js.createBuffer(size_bytes)

    def _destroy_buffer(self, handle: object) -> None:
        self._counters.crossings += 1
        self._js.destroyBuffer(handle)

    def write(self, buffer: Buffer, data: Raw, offset: int = 0) -> None:
        assert data.flags.c_contiguous and data.nbytes % 4 == 0 and offset % 4 == 0
        self._counters.crossings += 1
        self._js.write(buffer.handle, offset, address(data), data.nbytes)

    # Programs

    def _expect(self, dispatch: Dispatch, source: str) -> None:
        if self.suspends():
            self._counters.crossings += 1
            accesses = [b.access for b in dispatch.bindings]
            self._js.expect(source, signature(accesses, uses_scalars=dispatch.uses_scalars), dispatch.label)

    def suspends(self) -> bool:
        from pyodide.ffi import can_run_sync

        # software adapters compile one kernel after the other in any case, and waiting takes one of their cores
        return self.info.kind == "gpu" and bool(can_run_sync())

    def load(self, program: Program, *, may_suspend: bool = False) -> Executable:
        if may_suspend and self.suspends():
            from pyodide.ffi import run_sync

            return run_sync(self.load_async(program))
        self._counters.crossings += 1
        return self._executable(program, self._js.load(program.to_json(instructions=False)))

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
        bound = BoundProgram(executable, tuple(buffers), WebStep(handle))
        weakref.finalize(bound, self._js.unbind, handle).atexit = False
        return bound

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        step: Any = bound.handle
        self._counters.crossings += 1
        if self._run_js(step.handle, step.describe(scalars, writes, _MAY_WAIT if self.defers else 0)):
            self._raise_pending()

    def crossed(self, faulty: bool) -> None:
        """Count a call of the executor; raises what waits to be asked for, if anything does."""
        self._counters.crossings += 1
        if faulty:
            self._raise_pending()

    # Reads

    async def read(self, ranges: Ranges) -> list[Raw]:
        arrays = [np.empty(size, dtype=np.uint8) for _, _, size in ranges]
        words: list[Any] = [len(ranges)]
        for (buffer, offset, size), array in zip(ranges, arrays, strict=True):
            words += (buffer.handle, offset, size, address(array) if size else 0)
        descriptor = np.array(words, dtype=np.uint32)
        promise = self._js.read(address(descriptor))
        try:
            gpu_ms = await self._settle(promise)
        except asyncio.CancelledError:
            kept = list(arrays)  # JavaScript still writes to them
            promise.then(lambda _: kept.clear(), lambda _: kept.clear())
            raise
        if gpu_ms is None:
            self._raise_pending()
        if self.clock is not None:
            self.clock.gpu_ms = gpu_ms if gpu_ms >= 0 else None
        return arrays

    def read_now(self, ranges: Ranges) -> list[Raw]:
        from pyodide.ffi import can_run_sync, run_sync

        if not can_run_sync():
            raise DeviceError(
                "web: expected a browser that can suspend Python (JSPI) to read a tensor's value at once, "
                "got one that cannot; write `await t.read()` instead of .item(), .numpy() or .tolist()"
            )
        return run_sync(self.read(ranges))

    async def fence(self) -> None:
        if await self._settle(self._js.fence()):
            self._raise_pending()

    async def breathe(self) -> None:
        # A bare turn of the event loop: a promise's future would take several, each with a stack of its own.
        self._counters.crossings += 1
        self._js.flush()
        await asyncio.sleep(0)

    def close(self) -> None:
        """Destroy the GPU device itself; a new executor is needed to open another."""
        super().close()
        self._js.close()

    # Errors

    async def _settle(self, promise: Any) -> Any:
        """As :meth:`answer`, to a call that counts."""
        self._counters.crossings += 1
        return await self.answer(promise)

    async def answer(self, promise: Any) -> Any:
        """What the executor answers; raises if it could not do what was asked."""
        from pyodide.ffi import JsException

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


class _WebClock(Clock):
    """Timestamps that the executor resolves; a run's arrive with a later read."""

    def __init__(self, device: WebDevice, executor: Any) -> None:
        self._device, self._js = device, executor

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        step = step_of(bound)
        self._device.crossed(self._js.run(step.handle, step.describe(scalars, writes, _TIMED)))

    def profile(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> Stamps:
        step, dispatches = step_of(bound), tuple(range(len(bound.executable.program.dispatches)))
        stamps = Stamps(buffer=self._device.allocate(STAMP_BYTES * len(dispatches)), dispatches=dispatches, tick_ns=1)
        descriptor = step.describe(scalars, writes, 0)
        self._device.crossed(self._js.profile(step.handle, descriptor, stamps.buffer.handle))
        return stamps
