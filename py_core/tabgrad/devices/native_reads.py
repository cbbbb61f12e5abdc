"""Reads of the native device: ranges gathered into one staging buffer, mapped once.

GPU timestamps travel along: each transaction copies the newest pair in front of what was asked
for, so timing costs no map of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import wgpu
from wgpu.backends.wgpu_native import lib

from tabgrad.devices.base import Buffer, Counters
from tabgrad.devices.native_errors import asking
from tabgrad.errors import DeviceError

Request = tuple[Buffer, int, int]  # buffer, offset, bytes
_STAMPS = 16  # bytes of a pair of u64
_MAP = "READ_NOSYNC"  # wgpu-py need not submit anything to wait for: the copy has just been submitted


class Transaction:
    """Copies under way: a staging buffer, and where in it each request's words begin."""

    __slots__ = ("requests", "staging", "starts", "timed")

    def __init__(self, requests: Sequence[Request], staging: wgpu.GPUBuffer, starts: list[int], timed: bool) -> None:
        self.requests = requests
        self.staging = staging
        self.starts = starts
        self.timed = timed


class Reader:
    """A pool of staging buffers, and the timestamps of the newest timed run."""

    def __init__(self, gpu: wgpu.GPUDevice, counters: Counters) -> None:
        self._gpu = gpu
        self._counters = counters
        self._pool: list[wgpu.GPUBuffer] = []
        self._stamps = self._create(256, wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC)
        self._queries: wgpu.GPUQuerySet | None = None
        self._tick_ms = 0.0
        self._stamps_wait = False  # a timed run's stamps have not been copied yet
        self._closed = False
        self.gpu_ms: float | None = None
        if "timestamp-query" in gpu.features:
            self._queries = gpu.create_query_set(type="timestamp", count=2)
            self._tick_ms = lib.wgpuQueueGetTimestampPeriod(gpu.queue._internal) * 1e-6

    # Timing

    @property
    def keeps_time(self) -> bool:
        """Whether the adapter does."""
        return self._queries is not None

    def timestamp_writes(self) -> dict[str, object] | None:
        """For ``begin_compute_pass``; None where the adapter keeps no time."""
        if self._queries is None:
            return None
        return {"query_set": self._queries, "beginning_of_pass_write_index": 0, "end_of_pass_write_index": 1}

    def resolve_timestamps(self, encoder: wgpu.GPUCommandEncoder) -> None:
        """Resolve a timed pass's stamps; the next transaction copies them."""
        if self._queries is not None:
            encoder.resolve_query_set(self._queries, 0, 2, self._stamps, 0)
            self._stamps_wait = True

    # Transactions

    def start(self, requests: Sequence[Request]) -> Transaction:
        """Submit the copies.

        Raises:
            DeviceError: a range lies outside its buffer, or the GPU refused.
        """
        starts = []
        end = _STAMPS
        for buffer, offset, size in requests:
            if offset < 0 or size < 0 or offset + size > buffer.size_bytes:
                raise DeviceError(
                    f"read: expected a range inside {buffer.size_bytes} bytes, got {size} bytes at {offset}"
                )
            starts.append(end)
            end += _words(offset, size)
        transaction = Transaction(requests, self._take(end), starts, self._stamps_wait)
        try:
            with asking("a read"):
                self._submit(transaction)
        except DeviceError:
            self._discard(transaction.staging)
            raise
        self._stamps_wait = False
        return transaction

    def wait_now(self, transaction: Transaction) -> list[np.ndarray]:
        """Suspend the caller until the copies have arrived."""
        try:
            with asking("a read"):
                transaction.staging.map_sync(_MAP)
                return self._collect(transaction)
        except BaseException:  # interrupted: whether the buffer is mapped is unknown
            self._discard(transaction.staging)
            raise

    async def wait(self, transaction: Transaction) -> list[np.ndarray]:
        """Let other tasks run until the copies have arrived; a thread of wgpu's sleeps in the driver."""
        try:
            with asking("a read"):
                await transaction.staging.map_async(_MAP)
                return self._collect(transaction)  # the device may be lost meanwhile, too
        except BaseException:  # cancelled: the buffer is still being mapped
            self._discard(transaction.staging)
            raise

    def trim(self) -> None:
        """Destroy the staging buffers that wait in the pool."""
        for staging in self._pool:
            self._discard(staging)
        self._pool.clear()

    def close(self) -> None:
        """Destroy everything; transactions under way destroy theirs when they end."""
        self.trim()
        self._discard(self._stamps)
        if self._queries is not None:
            self._queries.destroy()
        self._closed = True

    def _submit(self, transaction: Transaction) -> None:
        encoder = self._gpu.create_command_encoder()
        encoder.copy_buffer_to_buffer(self._stamps, 0, transaction.staging, 0, _STAMPS)
        for (buffer, offset, size), start in zip(transaction.requests, transaction.starts, strict=True):
            if size:
                source = offset - offset % 4
                encoder.copy_buffer_to_buffer(buffer.handle, source, transaction.staging, start, _words(offset, size))
        self._gpu.queue.submit([encoder.finish()])

    def _collect(self, transaction: Transaction) -> list[np.ndarray]:
        mapped = np.frombuffer(transaction.staging.read_mapped(copy=False), np.uint8)
        arrays = [
            mapped[start + offset % 4 : start + offset % 4 + size].copy()
            for (_, offset, size), start in zip(transaction.requests, transaction.starts, strict=True)
        ]
        if transaction.timed:
            begin, end = (int(stamp) for stamp in mapped[:_STAMPS].view(np.uint64))
            self.gpu_ms = (end - begin) * self._tick_ms
        del mapped  # the view goes before the memory does
        transaction.staging.unmap()
        if self._closed:
            self._discard(transaction.staging)
        else:
            self._pool.append(transaction.staging)
        self._counters.maps += 1
        self._counters.bytes_read += sum(size for _, _, size in transaction.requests)
        return arrays

    # Staging buffers

    def _take(self, size_bytes: int) -> wgpu.GPUBuffer:
        fitting = [s for s in self._pool if s.size >= size_bytes]
        if fitting:
            best = min(fitting, key=lambda s: s.size)
            self._pool.remove(best)
            return best
        size = 1 << max(8, (size_bytes - 1).bit_length())
        return self._create(size, wgpu.BufferUsage.MAP_READ | wgpu.BufferUsage.COPY_DST)

    def _create(self, size_bytes: int, usage: int) -> wgpu.GPUBuffer:
        with asking(f"a buffer of {size_bytes} bytes to read through"):
            buffer = self._gpu.create_buffer(size=size_bytes, usage=usage)
        self._counters.buffers_created += 1
        self._counters.bytes_allocated += size_bytes
        return buffer

    def _discard(self, staging: wgpu.GPUBuffer) -> None:
        self._counters.bytes_allocated -= staging.size
        staging.destroy()


def _words(offset: int, size: int) -> int:
    """Bytes of the whole words that a range touches; copies move nothing smaller."""
    return -(-(offset % 4 + size) // 4) * 4
