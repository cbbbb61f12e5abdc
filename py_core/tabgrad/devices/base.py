"""What a device is: bytes, programs, and reads that never block.

:class:`Device` is the whole interface. To add a device, write a subclass in a file beside this one, and a line in
the table of :mod:`tabgrad.devices`.
"""

from __future__ import annotations

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from tabgrad.errors import DeviceError
from tabgrad.program import OFFSET_ALIGNMENT, Dispatch, Program

if TYPE_CHECKING:
    from tabgrad.devices.clock import Clock
    from tabgrad.devices.kernel_trials import KernelSource, KernelTrials
    from tabgrad.devices.mark import Marks

Raw = np.ndarray
"""Bytes, C-contiguous: the array's dtype and shape mean nothing. What a device returns is one dimension of uint8."""

Progress = Callable[[int, int], None]
"""Called with (kernels compiled, kernels in all)."""


@dataclass(frozen=True, kw_only=True)
class AdapterInfo:
    """What a device runs on, in words; ``kind`` tells a real GPU from a software adapter."""

    name: str
    vendor: str
    backend: str
    kind: str  # "gpu" | "software" | "numpy": interprets instructions, and needs no shaders
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


Writes = Sequence[tuple[Buffer, Raw]]
"""What to upload to the beginnings of buffers, in whole words."""

Ranges = Sequence[tuple[Buffer, int, int]]
"""What to read: (buffer, offset, size in bytes)."""


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


class Device(ABC):
    """Runs programs; one for each adapter, opened with :func:`tabgrad.devices.open_device`.

    A device knows bytes and programs. It must not know what the bytes mean: no dtypes, shapes, tensors, graphs,
    gradients, steps or files, nor when it is used and by whom. It keeps the order of calls: a run sees the writes
    before it, a read the runs before it.

    A subclass sets ``name``, ``info`` and ``limits``, and implements the abstract methods; the others do what suits
    most devices. Memory is pooled here. ``clock`` and ``trials`` are for devices that can time and swap kernels.

    Attributes:
        name: its kind, as in the table of devices.
        counters: what it has done, which the methods keep count of.
        clock: times runs and kernels; None if the adapter keeps no time.
        trials: compiles and measures kernels apart from programs; None if it interprets programs.
        marks: notes places in the order of work; None where a task that waits for a fence costs little.
        expect: begins to compile a kernel of a program that will be loaded while other tasks run; None where that takes
            the caller's time.
        defers: while it is set, a run may wait to be submitted together with later ones, until the next call of
            another kind: a fence, a read, a write, a breath. It saves time where the device is busy anyway.
    """

    name: str
    info: AdapterInfo
    limits: Limits
    clock: Clock | None = None
    trials: KernelTrials | None = None
    marks: Marks | None = None
    expect: Callable[[Dispatch, str], None] | None = None
    defers: bool = False

    def __init__(self) -> None:
        self.counters = Counters()
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
    def _create_buffer(self, size_bytes: int) -> object:
        """The handle of new memory, of a multiple of 256 bytes."""

    @abstractmethod
    def _destroy_buffer(self, handle: object) -> None:
        """Release it; work already submitted may still use it."""

    @abstractmethod
    def write(self, buffer: Buffer, data: Raw, offset: int = 0) -> None:
        """Queue an upload of whole words, ordered after work already submitted; ``data`` may change afterwards."""

    # Programs

    def suspends(self) -> bool:
        """Whether the caller can wait, here and now, while kernels are compiled side by side and other tasks run."""
        return False

    @abstractmethod
    def load(self, program: Program, *, may_suspend: bool = False) -> Executable:
        """Make pipelines and scratch buffers at once; the driver may still compile behind it.

        Args:
            may_suspend: other tasks may run while kernels are compiled side by side.

        Raises:
            DeviceError: a shader does not compile; names the kernel and the compiler's message.
        """

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
    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        """Upload ``writes`` and ``scalars`` (four bytes each), then submit every dispatch once.

        Returns as soon as the work is queued. After a program's first run, another one creates nothing.
        """

    # Reads, and waiting

    @abstractmethod
    async def read(self, ranges: Ranges) -> list[Raw]:
        """Read ranges of buffers in one transaction, letting other tasks run."""

    def read_now(self, ranges: Ranges) -> list[Raw]:
        """As :meth:`read`, suspending the caller.

        Raises:
            DeviceError: this platform cannot suspend Python; the message names the ``await`` form.
        """
        raise DeviceError(
            f"{self.name}: expected a device that can be waited for, to read a tensor's value at once; "
            f"write `await t.read()` instead of .item(), .numpy() or .tolist()"
        )

    @abstractmethod
    async def fence(self) -> None:
        """Return when all submitted work has finished, letting other tasks and messages run."""

    async def breathe(self) -> None:
        """Let the event loop deliver messages once, then return; costs well under a millisecond."""
        await asyncio.sleep(0)

    def close(self) -> None:
        """Release everything; the device is of no use afterwards."""
        self.trim()

    @property
    def gpu_ms(self) -> float | None:
        """GPU time of the newest timed run that has been resolved, in ms; see :attr:`Clock.gpu_ms`."""
        return None if self.clock is None else self.clock.gpu_ms
