"""Compiled kernels of the native device: made once for each shader source, shared by all programs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import wgpu

from tabgrad.devices.base import Counters, Progress
from tabgrad.devices.native_errors import asking
from tabgrad.program import Dispatch, Program

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
        """Compile what is missing, one kernel after the other.

        Raises:
            DeviceError: names the kernel and the compiler's message.
        """
        for (source, signature), label in _wanted(program).items():
            if (source, signature) not in self._kernels:
                self._keep(source, signature, self._compile(source, self._layout(signature), label))

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


def _signature(dispatch: Dispatch) -> _Signature:
    types = tuple(_TYPES[b.access] for b in dispatch.bindings)
    return (*types, "uniform") if dispatch.uses_scalars else types


def _wanted(program: Program) -> dict[tuple[str, _Signature], str]:
    """The distinct kernels of a program, each with the label of the first dispatch that needs it."""
    wanted: dict[tuple[str, _Signature], str] = {}
    for dispatch in program.dispatches:
        wanted.setdefault((program.shaders[dispatch.shader], _signature(dispatch)), dispatch.label)
    return wanted
