"""Native steps in which each dispatch is timed by itself."""

from __future__ import annotations

from collections.abc import Sequence

import wgpu
from wgpu.backends.wgpu_native import lib

from tabgrad.devices.base import STAMP_BYTES, Counters

Step = tuple[wgpu.GPUComputePipeline, wgpu.GPUBindGroup, tuple[int, int, int]]

_MOST = 2048  # passes that a query set serves: WebGPU allows 4096 queries, two a pass


class PassProfiler:
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
