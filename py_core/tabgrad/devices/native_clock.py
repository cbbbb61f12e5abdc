"""GPU times of native runs: of a whole run, or with each dispatch timed by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import wgpu
from wgpu.backends.wgpu_native import lib

from tabgrad.devices.base import BoundProgram, Counters, Raw, Writes
from tabgrad.devices.clock import STAMP_BYTES, Clock, Stamps
from tabgrad.devices.native_errors import asking
from tabgrad.devices.native_reads import Reader
from tabgrad.devices.native_replay import Step

if TYPE_CHECKING:
    from tabgrad.devices.native import NativeDevice

_MOST = 2048  # passes that a query set serves: WebGPU allows 4096 queries, two a pass


class NativeClock(Clock):
    """Timestamps around runs, which the next read brings along, and around each of a run's passes."""

    def __init__(self, device: NativeDevice, gpu: wgpu.GPUDevice, reader: Reader) -> None:
        self._device, self._gpu, self._reader = device, gpu, reader
        self._passes = _Passes(gpu, device.counters)

    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        replay = self._device.feed(bound, scalars, writes)
        with asking("a program"):
            encoder = self._gpu.create_command_encoder()
            compute = encoder.begin_compute_pass(timestamp_writes=self._reader.timestamp_writes())
            replay.encode(compute)
            compute.end()
            self._reader.resolve_timestamps(encoder)
            self._device.submit(encoder, replay)

    def profile(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> Stamps:
        replay = self._device.feed(bound, scalars, writes)
        buffer = self._device.allocate(STAMP_BYTES * len(replay.launches))
        with asking("a profiled program"):
            encoder = self._gpu.create_command_encoder()
            self._passes.encode(encoder, replay.steps(), buffer.handle)
            self._device.submit(encoder, replay)
        return Stamps(buffer=buffer, dispatches=tuple(replay.launches), tick_ns=self._passes.tick_ns)


class _Passes:
    """Records each dispatch as a pass between two timestamps; query sets are kept for the next profiled step."""

    def __init__(self, gpu: wgpu.GPUDevice, counters: Counters) -> None:
        self._gpu = gpu
        self._counters = counters
        self._sets: list[wgpu.GPUQuerySet] = []
        self._resolved: wgpu.GPUBuffer | None = None
        self._capacity = 0
        self.tick_ns = float(lib.wgpuQueueGetTimestampPeriod(gpu.queue._internal))

    def encode(self, encoder: wgpu.GPUCommandEncoder, steps: Sequence[Step], target: wgpu.GPUBuffer) -> None:
        """Record the steps, and the copy of their timestamps to the beginning of ``target``."""
        if len(steps) > self._capacity:
            self._reserve(len(steps))
        for n, (pipeline, group, workgroups) in enumerate(steps):
            at = 2 * (n % _MOST)
            compute = encoder.begin_compute_pass(
                timestamp_writes={
                    "query_set": self._sets[n // _MOST],
                    "beginning_of_pass_write_index": at,
                    "end_of_pass_write_index": at + 1,
                }
            )
            compute.set_pipeline(pipeline)
            compute.set_bind_group(0, group)
            compute.dispatch_workgroups(*workgroups)
            compute.end()
        for start in range(0, len(steps), _MOST):
            count = min(_MOST, len(steps) - start)
            queries = self._sets[start // _MOST]
            encoder.resolve_query_set(queries, 0, 2 * count, self._resolved, STAMP_BYTES * start)
        if steps:
            encoder.copy_buffer_to_buffer(self._resolved, 0, target, 0, STAMP_BYTES * len(steps))

    def _reserve(self, count: int) -> None:
        if self._resolved is not None:
            self._counters.bytes_allocated -= self._resolved.size
            self._resolved.destroy()
        sizes = [min(_MOST, count - start) for start in range(0, count, _MOST)]
        self._sets = [self._gpu.create_query_set(type="timestamp", count=2 * size) for size in sizes]
        self._resolved = self._gpu.create_buffer(
            size=STAMP_BYTES * count, usage=wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC
        )
        self._counters.buffers_created += 1
        self._counters.bytes_allocated += self._resolved.size
        self._capacity = count
