"""Compiled kernels of the native device: made once for each shader source, shared by all programs."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import wgpu

from tabgrad.devices.base import Counters, Progress
from tabgrad.devices.kernel_trials import KernelSource
from tabgrad.devices.native_errors import asking
from tabgrad.errors import DeviceError
from tabgrad.program import Dispatch, Program

T = TypeVar("T")
_Signature = tuple[str, ...]  # binding types in order
_Layout = tuple[wgpu.GPUBindGroupLayout, wgpu.GPUPipelineLayout]

_TYPES = {"read": "read-only-storage", "read_write": "storage"}


@dataclass(frozen=True, eq=False)
class Kernel:
    """A pipeline and the layout of its bindings."""

    pipeline: wgpu.GPUComputePipeline
    layout: wgpu.GPUBindGroupLayout


class KernelCache:
    """Pipelines by shader source, layouts by the types of the bindings; both live as long as this."""

    def __init__(self, gpu: wgpu.GPUDevice, counters: Counters) -> None:
        self._gpu = gpu
        self._counters = counters
        self._layouts: dict[_Signature, _Layout] = {}
        self._kernels: dict[tuple[str, _Signature], Kernel] = {}

    def get(self, program: Program, dispatch: Dispatch) -> Kernel:
        """The kernel of a dispatch whose program has been compiled."""
        return self._kernels[program.shaders[dispatch.shader], _signature(dispatch)]

    def compile(self, program: Program) -> None:
        """Compile what is missing, as many kernels at a time as there are cores: drivers may compile side by side.

        Raises:
            DeviceError: names the kernel and the compiler's message.
        """
        missing = {key: label for key, label in _wanted(program).items() if key not in self._kernels}
        jobs = [(source, self._layout(signature), label) for (source, signature), label in missing.items()]
        for key, kernel in zip(missing, _side_by_side(self._compile, jobs), strict=True):
            self._keep(*key, kernel)

    async def compile_async(self, program: Program, on_progress: Progress | None) -> None:
        """As :meth:`compile`, in worker threads, several at a time."""
        wanted = _wanted(program)
        missing = {key: label for key, label in wanted.items() if key not in self._kernels}
        done = len(wanted) - len(missing)

        def report() -> None:
            if on_progress is not None:
                on_progress(done, len(wanted))

        async def compile_one(source: str, signature: _Signature, label: str) -> None:
            nonlocal done
            kernel = await asyncio.to_thread(self._compile, source, self._layout(signature), label)
            self._keep(source, signature, kernel)
            done += 1
            report()

        report()
        await asyncio.gather(*(compile_one(*key, label) for key, label in missing.items()))

    async def compile_apart(self, kernel: KernelSource, counters: Counters) -> Kernel:
        """The cache's, or one that is not kept; compiled in a thread that may be abandoned, should it never end."""
        signature = signature_of(kernel.accesses, uses_scalars=kernel.uses_scalars)
        known = self._kernels.get((kernel.source, signature))
        if known is not None:
            return known
        layout = self._layout(signature)
        loop = asyncio.get_running_loop()
        arrived: asyncio.Future[Kernel] = loop.create_future()

        def settle(made: Kernel | None, error: BaseException | None) -> None:
            if arrived.done():
                return
            if error is not None:
                arrived.set_exception(error)
            elif made is not None:
                arrived.set_result(made)

        def work() -> None:
            made, failure = None, None
            try:
                made = self._compile(kernel.source, layout, kernel.label)
            except BaseException as error:  # noqa: BLE001 - handed to the waiting task
                failure = error
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, made, failure)

        threading.Thread(target=work, daemon=True).start()
        made = await arrived
        counters.pipelines_created += 1
        return made

    def compile_apart_now(self, kernels: Sequence[KernelSource], counters: Counters) -> dict[KernelSource, Kernel]:
        """As :meth:`compile_apart`, while the caller waits; those that do not compile are left out."""
        signatures = {k: signature_of(k.accesses, uses_scalars=k.uses_scalars) for k in kernels}
        known = {k: self._kernels[k.source, s] for k, s in signatures.items() if (k.source, s) in self._kernels}
        missing = [k for k in signatures if k not in known]

        def attempt(source: str, layout: _Layout, label: str) -> Kernel | None:
            try:
                return self._compile(source, layout, label)
            except DeviceError:
                return None

        made = _side_by_side(attempt, [(k.source, self._layout(signatures[k]), k.label) for k in missing])
        found = {kernel: one for kernel, one in zip(missing, made, strict=True) if one is not None}
        counters.pipelines_created += len(found)
        return known | found

    def adopt(self, kernel: KernelSource, made: Kernel) -> None:
        """Keep what :meth:`compile_apart` made: a program launches it from now on."""
        key = kernel.source, signature_of(kernel.accesses, uses_scalars=kernel.uses_scalars)
        self._kernels.setdefault(key, made)

    def layout_of(self, accesses: Sequence[str], *, uses_scalars: bool) -> wgpu.GPUBindGroupLayout:
        """The layout of a kernel's bindings."""
        return self._layout(signature_of(accesses, uses_scalars=uses_scalars))[0]

    def clear(self) -> None:
        """Forget everything."""
        self._kernels.clear()
        self._layouts.clear()

    def _keep(self, source: str, signature: _Signature, kernel: Kernel) -> None:
        self._kernels[source, signature] = kernel
        self._counters.pipelines_created += 1

    def _compile(self, source: str, layout: _Layout, label: str) -> Kernel:
        """Runs in any thread; touches no state of the cache."""
        with asking(f"the kernel {label!r}"):
            module = self._gpu.create_shader_module(label=label, code=source)
            stage = {"module": module, "entry_point": "main"}
            pipeline = self._gpu.create_compute_pipeline(label=label, layout=layout[1], compute=stage)
        return Kernel(pipeline, layout[0])

    def _layout(self, signature: _Signature) -> _Layout:
        if signature not in self._layouts:
            entries = [
                {"binding": i, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": kind}}
                for i, kind in enumerate(signature)
            ]
            with asking(f"{len(signature)} bindings for one kernel"):
                layout = self._gpu.create_bind_group_layout(entries=entries)
                self._layouts[signature] = layout, self._gpu.create_pipeline_layout(bind_group_layouts=[layout])
            self._counters.layouts_created += 1
        return self._layouts[signature]


def _side_by_side(make: Callable[..., T], jobs: Sequence[tuple[object, ...]]) -> list[T]:
    """In as many threads as there are cores."""
    if len(jobs) < 2:
        return [make(*job) for job in jobs]
    with ThreadPoolExecutor(min(len(jobs), os.cpu_count() or 1), "tabgrad kernels") as pool:
        return list(pool.map(lambda job: make(*job), jobs))


def signature_of(accesses: Sequence[str], *, uses_scalars: bool) -> _Signature:
    """The types of a kernel's bindings, in order."""
    types = tuple(_TYPES[access] for access in accesses)
    return (*types, "uniform") if uses_scalars else types


def _signature(dispatch: Dispatch) -> _Signature:
    return signature_of([b.access for b in dispatch.bindings], uses_scalars=dispatch.uses_scalars)


def _wanted(program: Program) -> dict[tuple[str, _Signature], str]:
    """The distinct kernels of a program, each with the label of the first dispatch that needs it."""
    wanted: dict[tuple[str, _Signature], str] = {}
    for dispatch in program.dispatches:
        wanted.setdefault((program.shaders[dispatch.shader], _signature(dispatch)), dispatch.label)
    return wanted
