"""What a device is: buffers, programs, and reads that never block.

A device knows programs and bytes. It knows nothing of tensors, graphs, gradients or files.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from tabgrad.devices.bench import Bench, CompiledKernel, KernelSource
from tabgrad.errors import DeviceError
from tabgrad.program import Access, Program

STAMP_BYTES = 16  # two timestamps
OFFSET_ALIGNMENT = 256  # WebGPU's default minStorageBufferOffsetAlignment, which every adapter meets

Progress = Callable[[int, int], None]
"""Called with (kernels compiled, kernels in all)."""


@dataclass(frozen=True, kw_only=True)
class AdapterInfo:
    """What a device runs on, in words; ``kind`` tells a real GPU from a software adapter."""

    name: str
    vendor: str
    backend: str
    kind: str  # "gpu" | "software" | "numpy"
    features: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Limits:
    """WebGPU's limits, as far as the compiler plans with them."""

    max_storage_buffers: int = 8
    max_binding_bytes: int = 128 * 1024 * 1024
    max_buffer_bytes: int = 256 * 1024 * 1024
    max_workgroups: int = 65535
    max_invocations: int = 256
    max_workgroup_bytes: int = 16384


@dataclass
class Counters:
    """Work done since the device was opened. They do not depend on the machine's speed."""

    submits: int = 0
    dispatches: int = 0
    buffers_created: int = 0
    bind_groups_created: int = 0
    layouts_created: int = 0
    pipelines_created: int = 0
    bytes_uploaded: int = 0
    bytes_read: int = 0
    maps: int = 0
    crossings: int = 0  # Python -> JS calls; 0 off the browser
    bytes_allocated: int = 0  # living buffers, pooled ones included

    def snapshot(self) -> dict[str, int]:
        """The counters as a plain dict."""
        return asdict(self)


class Buffer:
    """Bytes on a device. ``handle`` belongs to the device; ``id`` is unique for the process."""

    __slots__ = ("handle", "id", "size_bytes")
    _ids = itertools.count(1)

    def __init__(self, handle: object, size_bytes: int) -> None:
        self.handle = handle
        self.size_bytes = size_bytes
        self.id = next(Buffer._ids)


class Executable:
    """A program made ready on a device: pipelines and scratch buffers."""

    def __init__(self, program: Program, handle: object) -> None:
        self.program = program
        self.handle = handle
        self.replaced: dict[int, KernelSource] = {}  # dispatches that launch another kernel than the program's


class BoundProgram:
    """An executable with its external buffers bound: everything that a step needs, made once."""

    def __init__(self, executable: Executable, buffers: tuple[Buffer, ...], handle: object) -> None:
        self.executable = executable
        self.buffers = buffers
        self.handle = handle


@dataclass(frozen=True, kw_only=True)
class Stamps:
    """Where a profiled run's times will be: in ``buffer``, for each of ``dispatches``, begin and end as u64 ticks."""

    buffer: Buffer
    dispatches: tuple[int, ...]
    tick_ns: float

    @property
    def request(self) -> tuple[Buffer, int, int]:
        """What to ask :meth:`Device.read` for."""
        return self.buffer, 0, STAMP_BYTES * len(self.dispatches)

    def intervals(self, raw: np.ndarray) -> list[Interval]:
        """The times in what was read, each at or after the end of the one before: passes may overlap a little."""
        found: list[Interval] = []
        last = 0
        for dispatch, (begin, end) in zip(self.dispatches, raw.view(np.uint64).reshape(-1, 2).tolist(), strict=True):
            begin_ns = max(round(begin * self.tick_ns), last)
            last = max(round(end * self.tick_ns), begin_ns)
            found.append(Interval(dispatch, begin_ns, last))
        return found


class Interval(NamedTuple):
    """When a dispatch ran, on the device's own clock."""

    dispatch: int
    begin_ns: int
    end_ns: int


class Device(ABC):
    """Runs programs. One instance per adapter, opened with :func:`tabgrad.devices.open_device`."""

    name: str
    info: AdapterInfo
    limits: Limits

    def __init__(self) -> None:
        self.counters = Counters()
        self.bench_counters = Counters()  # what benches made and did; not among the counters of programs
        self.gpu_ms: float | None = None  # GPU time of the newest timed run that has been resolved
        self.reason: str | None = None  # why `auto` chose this device in place of a GPU
        self._pool: dict[int, list[Buffer]] = defaultdict(list)
        self._living: set[Buffer] = set()  # or the garbage collector could finalize a handle with its last owner

    # Memory: freed buffers wait in a pool by size, so that a steady loop creates none.

    def allocate(self, size_bytes: int) -> Buffer:
        """A buffer of at least ``size_bytes`` (rounded up to 256), contents undefined.

        Raises:
            DeviceError: the device has no memory left, or the size is over its limit.
        """
        size = max(OFFSET_ALIGNMENT, -(-size_bytes // OFFSET_ALIGNMENT) * OFFSET_ALIGNMENT)
        if self._pool[size]:
            return self._pool[size].pop()
        if size > self.limits.max_buffer_bytes:
            raise DeviceError(
                f"{self.name}: expected a buffer of at most {self.limits.max_buffer_bytes} bytes, "
                f"got {size}; use a smaller batch or model"
            )
        self.counters.buffers_created += 1
        self.counters.bytes_allocated += size
        buffer = Buffer(self._create_buffer(size), size)
        self._living.add(buffer)
        return buffer

    def free(self, buffer: Buffer) -> None:
        """Give a buffer back to the pool; work already submitted still sees its old contents."""
        self._pool[buffer.size_bytes].append(buffer)

    def trim(self) -> None:
        """Destroy the buffers that wait in the pool."""
        for buffers in self._pool.values():
            for buffer in buffers:
                self.counters.bytes_allocated -= buffer.size_bytes
                self._destroy_buffer(buffer.handle)
                self._living.discard(buffer)
            buffers.clear()

    @abstractmethod
    def _create_buffer(self, size_bytes: int) -> object: ...

    @abstractmethod
    def _destroy_buffer(self, handle: object) -> None: ...

    @abstractmethod
    def write(self, buffer: Buffer, data: np.ndarray, offset: int = 0) -> None:
        """Queue an upload of a C-contiguous array; ordered after work already submitted."""

    # Programs

    @abstractmethod
    def load(self, program: Program) -> Executable:
        """Make pipelines and scratch buffers at once; the driver may still compile behind it.

        Raises:
            DeviceError: a shader does not compile; names the kernel and the compiler's message.
        """

    def load_suspending(self, program: Program) -> Executable:
        """As :meth:`load`, for a caller who may be suspended while kernels are compiled side by side; other tasks run
        meanwhile.
        """
        return self.load(program)

    async def load_async(self, program: Program, on_progress: Progress | None = None) -> Executable:
        """As :meth:`load`, compiling off the caller's thread and reporting progress."""
        executable = self.load(program)
        if on_progress is not None:
            on_progress(len(program.shaders), len(program.shaders))
        return executable

    @abstractmethod
    def bind(self, executable: Executable, buffers: Sequence[Buffer]) -> BoundProgram:
        """Bind external buffers, in the order of ``program.externals``."""

    @abstractmethod
    def run(
        self,
        bound: BoundProgram,
        scalars: np.ndarray,
        writes: Sequence[tuple[Buffer, np.ndarray]] = (),
        *,
        timed: bool = False,
    ) -> None:
        """Upload ``writes`` and ``scalars`` (u32, 4 bytes each), then submit every dispatch once.

        Returns as soon as the work is queued. ``timed`` asks for GPU time, later in :attr:`gpu_ms`.
        """

    # Kernels apart from programs, for those who look for faster ones

    async def compile_kernel(self, kernel: KernelSource) -> CompiledKernel:
        """Compile off the caller's thread, or take what a program has compiled already.

        Raises:
            DeviceError: it does not compile; a program's run never hears of it.
            NotImplementedError: this device interprets programs and compiles nothing.
        """
        raise NotImplementedError(f"{self.name}: expected a device that compiles kernels; it interprets programs")

    def open_bench(self, sizes: Sequence[int], accesses: Sequence[Access], num_scalars: int | None) -> Bench:
        """Buffers for one kernel's bindings, of these sizes in bytes; ``None`` scalars: it uses none.

        Raises:
            DeviceError: there is no memory for them (a browser says so at the first run).
            NotImplementedError: as :meth:`compile_kernel`.
        """
        raise NotImplementedError(f"{self.name}: expected a device that measures kernels; it interprets programs")

    def replace(self, executable: Executable, index: int, kernel: CompiledKernel) -> None:
        """Let dispatch ``index`` launch another kernel with the same bindings from the next run on.

        Everything that is bound to the executable changes with it. Its program stays as it was compiled;
        :attr:`Executable.replaced` says what runs instead.
        """
        raise NotImplementedError(f"{self.name}: expected a device that compiles kernels; it interprets programs")

    @property
    def keeps_time(self) -> bool:
        """Whether :meth:`profile` works here."""
        return "timestamp-query" in self.info.features

    @abstractmethod
    def profile(
        self, bound: BoundProgram, scalars: np.ndarray, writes: Sequence[tuple[Buffer, np.ndarray]] = ()
    ) -> Stamps:
        """As :meth:`run`, with each dispatch timed by itself, which makes the step a little slower.

        The caller reads the stamps and frees their buffer.

        Raises:
            DeviceError: the adapter keeps no time.
        """

    def require_time(self) -> None:
        """Raise if the adapter keeps no time."""
        if not self.keeps_time:
            raise DeviceError(
                f"profile: expected an adapter that keeps time (the WebGPU feature timestamp-query), got "
                f"{self.info.name!r}, which does not; measure whole steps, or profile on another device"
            )

    # Reads

    @abstractmethod
    async def read(self, requests: Sequence[tuple[Buffer, int, int]]) -> list[np.ndarray]:
        """Read ``(buffer, offset, size_bytes)`` ranges in one transaction; uint8 arrays come back."""

    @abstractmethod
    def read_now(self, requests: Sequence[tuple[Buffer, int, int]]) -> list[np.ndarray]:
        """As :meth:`read`, suspending the caller.

        Raises:
            DeviceError: this platform cannot suspend Python; the message names the ``await`` form.
        """

    @abstractmethod
    async def fence(self) -> None:
        """Return when all submitted work has finished, letting other tasks and messages run."""

    @abstractmethod
    async def breathe(self) -> None:
        """Let the event loop deliver messages once, then return; costs well under a millisecond."""

    def close(self) -> None:
        """Release everything; the device is of no use afterwards."""
        self.trim()
