"""``tabgrad.profile``: while a profile is active, it runs the steps on the device and times them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tabgrad.atomic_file import write_atomically
from tabgrad.devices.kernel_trials import KernelSource, source_of
from tabgrad.errors import DeviceError, TabgradError
from tabgrad.profiler import averages, table, timeline, trace
from tabgrad.session import current

if TYPE_CHECKING:
    import numpy as np

    from tabgrad.devices.base import Device
    from tabgrad.devices.clock import Interval, Stamps
    from tabgrad.program import Program
    from tabgrad.runtime.observers import Launch

EAGER = "eager"  # the name of programs outside of compiled steps


@dataclass
class ProfiledRun:
    """One run of a program; times are in seconds of ``time.perf_counter``.

    Attributes:
        name: of the compiled step, or ``eager``.
        start_s, end_s: while the host queued it.
        replaced: dispatches that launched another kernel than the program's.
        intervals: start and end of each dispatch, on the device's clock; empty if the adapter has no timestamps.
    """

    name: str
    program: Program
    start_s: float
    end_s: float
    replaced: dict[int, KernelSource] = field(default_factory=dict)
    intervals: list[Interval] = field(default_factory=list)

    def kernel(self, index: int) -> KernelSource:
        """The kernel that a dispatch launched."""
        return self.replaced.get(index) or source_of(self.program, self.program.dispatches[index])


@dataclass(frozen=True)
class Span:
    """Host work: ``record``, ``compile``, ``replay``, ``submit`` (part of a replay), or waiting for a ``read``."""

    what: str
    start_s: float
    end_s: float


class Profile:
    """The profile of some steps; see :func:`profile`. Every step runs once, as without a profile.

    Attributes:
        runs: the profiled runs in order; their intervals are set by :meth:`read`.
        spans: the host's work at that time.
        keeps_time: whether the adapter times kernels; if not, only whole steps have times.
    """

    def __init__(
        self,
        *,
        steps: int | None = None,
        skip: int = 0,
        only: str | None = None,
        on_ready: Callable[[Profile], None] | None = None,
    ) -> None:
        if (steps is not None and steps < 1) or skip < 0:
            raise TabgradError(f"profile: expected at least one step and skip >= 0, got {steps} and {skip}")
        self._session = current()
        self.runs: list[ProfiledRun] = []
        self.spans: list[Span] = []
        self.keeps_time = True
        self._steps, self._skip, self._only, self._on_ready = steps, skip, only, on_ready
        self._counts: dict[int, tuple[Program, int]] = {}
        self._waiting: list[tuple[ProfiledRun, Stamps]] = []
        self._task: asyncio.Future[None] | None = None

    @property
    def device(self) -> Device:
        """The profiled device."""
        return self._session.device

    # Recording

    def start(self) -> Self:
        """Profile what runs from now on.

        Raises:
            TabgradError: another profile is being taken.
        """
        if self._session.profiler is not None:
            raise TabgradError("profile: expected no other profile under way, got one; end it first")
        self.keeps_time = self._session.device.clock is not None
        self._session.profiler = self
        return self

    def stop(self) -> None:
        """Stop profiling; later runs have no overhead."""
        if self._session.profiler is self:
            self._session.profiler = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(self, kind: object, *_: object) -> None:
        self.stop()
        if kind is None:
            await self.read()

    def run(self, launch: Launch) -> None:
        """Run a program; as :meth:`tabgrad.runtime.observers.Profiler.run`."""
        device, executable = self.device, launch.bound.executable
        program, name = executable.program, launch.name
        _, before = self._counts.get(id(program), (program, 0))
        self._counts[id(program)] = program, before + 1
        if before < self._skip or self._only not in (None, name):
            launch.on(device)
            return
        start_s = time.perf_counter()
        stamps = None
        if device.clock is not None:
            stamps = device.clock.profile(launch.bound, launch.scalars, launch.writes)
        else:
            launch.on(device)
        replaced = dict(executable.replaced)
        run = ProfiledRun(name or EAGER, program, start_s, time.perf_counter(), replaced)
        self.runs.append(run)
        self.spans.append(Span("submit", run.start_s, run.end_s))
        if stamps is not None:
            self._waiting.append((run, stamps))
        if self._steps is not None and self._steps <= self._alike(run):
            self._complete()

    def span(self, what: str, start_s: float) -> None:
        """Record host work; as :meth:`tabgrad.runtime.observers.Profiler.span`."""
        self.spans.append(Span(what, start_s, time.perf_counter()))

    def _alike(self, run: ProfiledRun) -> int:
        """The number of profiled runs of this step; programs that are not steps (initial values) do not count."""
        if run.name != EAGER:
            return sum(other.name == run.name for other in self.runs)
        trains = any(b.role == "state" for b in run.program.buffers)
        return sum(other.program is run.program for other in self.runs) if trains else 0

    def _complete(self) -> None:
        self.stop()
        if self._on_ready is None:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no event loop: the caller must call finish()
            return
        self._task = loop.create_task(self._tell())

    async def _tell(self) -> None:
        on_ready, self._on_ready = self._on_ready, None
        await self.read()
        if on_ready is not None:
            on_ready(self)

    async def finish(self) -> None:
        """End the profile if needed, and wait until it is read and ``on_ready`` was called."""
        self.stop()
        if self._task is None:
            self._task = asyncio.ensure_future(self._tell())
        await self._task

    # Reading

    async def read(self) -> Self:
        """Read the GPU's times without blocking the event loop. Needed before the methods below only where
        ``tensor.item()`` cannot block either.
        """
        waiting, self._waiting = self._waiting, []
        if waiting:
            raws = await self.device.read([stamps.request for _, stamps in waiting])
            self._settle(waiting, raws)
        return self

    def _read_now(self) -> None:
        if not self._waiting:
            return
        try:
            raws = self.device.read_now([stamps.request for _, stamps in self._waiting])
        except DeviceError as error:
            raise DeviceError(
                "profile: expected the GPU's times to be there, or a browser that can suspend Python (JSPI), got "
                "neither; write `await prof.read()` first, or `async with tabgrad.profile() as prof:`"
            ) from error
        waiting, self._waiting = self._waiting, []
        self._settle(waiting, raws)

    def _settle(self, waiting: list[tuple[ProfiledRun, Stamps]], raws: Sequence[np.ndarray]) -> None:
        for (run, stamps), raw in zip(waiting, raws, strict=True):
            run.intervals = stamps.intervals(raw)
            self.device.free(stamps.buffer)
        timeline.measure(self)

    # Results

    def key_averages(self) -> list[averages.KernelAverage]:
        """One entry per kernel, the largest total time first."""
        self._read_now()
        return averages.key_averages(self.runs)

    def table(self, row_limit: int | None = None) -> str:
        """The averages as text, followed by notes on their accuracy.

        Args:
            row_limit: show only so many kernels, those with the largest total time.
        """
        self._read_now()
        return str(table.sheet(self, row_limit))

    def chrome_trace(self) -> dict[str, Any]:
        """Events of kernels and host in the format of Chrome's tracing, which https://ui.perfetto.dev shows."""
        self._read_now()
        return trace.chrome_trace(self)

    def export_chrome_trace(self, path: str | Path) -> None:
        """Write :meth:`chrome_trace` to a file."""
        text = trace.to_json(self.chrome_trace())
        write_atomically(text.encode(), path, caller="export_chrome_trace", durable=False)


def profile(*, steps: int | None = None, skip: int = 0) -> Profile:
    """Profile the steps inside a ``with`` (or ``async with``) block, kernel by kernel.

    Profiled steps have the same results; they are a little slower, because each kernel needs its own pass.

    Args:
        steps: end after this many runs of a compiled step; default: at the end of the block.
        skip: do not profile this many first runs of each program, in which drivers warm up.

    Example::

        with tg.profile() as prof:
            for x, y in batches:
                step(x, y)
        print(prof.table())
        prof.export_chrome_trace("step.json")
    """
    return Profile(steps=steps, skip=skip)
