"""Measure one kernel: its variants run on the same operands, are checked, and are timed alternately."""

from __future__ import annotations

import asyncio
import math
import statistics
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from tabgrad.compiler.variant import Variant
from tabgrad.compiler.work import Work
from tabgrad.devices.kernel_trials import Bench, CompiledKernel, KernelSource
from tabgrad.dtypes import BY_NAME
from tabgrad.errors import DeviceError, DeviceLostError
from tabgrad.tuner.comparison import difference, terms
from tabgrad.tuner.operands import Data, operands, scalars
from tabgrad.tuner.turns import Turns

if TYPE_CHECKING:
    from tabgrad.devices.base import Device

T = TypeVar("T")
Compiling = asyncio.Future[CompiledKernel]

LIMIT_S = 10.0  # for one answer of the device; then the candidate is dropped
AHEAD = 4  # candidates that compile in parallel
MOST_BYTES = 512 << 20  # of a kernel's operands
WINDOW, WINDOWS = 256 << 10, 16  # bytes per comparison, and comparisons per output
SAMPLE_MS = 4.0  # of GPU time: 60 times Chrome's timestamp resolution of 65,536 ns
WALL_SAMPLE_MS = 8.0
READABLE_MS = 0.5  # a shorter quantised time is not reliable
MOST_REPEATS = 1024
ROUNDS = 5
FINALISTS = 6
MARGIN = 0.97  # fraction of the incumbent's time that a winner may take
HOPELESS = 2.0  # a candidate slower than this multiple of the incumbent's time is dropped
WARM_MS = 60.0  # of work after which a GPU's clock has risen, if training keeps it busy too,
COLD_MS = 500.0  # and if nothing else does
FILL_S = 0.002  # for uploads, per slice


class Skipped(Exception):
    """The kernel cannot be measured; the message is the reason."""


class BudgetSpent(Exception):
    """The user's time budget is spent."""


@dataclass
class Candidate:
    """A variant that is being measured."""

    variant: Variant
    kernel: CompiledKernel
    repeats: int = 1
    ms: float = 0.0  # per launch
    samples: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """The best variant and the heuristic's; times in ms per launch, 0 if too short to tell."""

    best: Candidate
    heuristic_ms: float
    ms: float


Reject = Callable[[Variant, str], None]


class Measurement:
    """The measurement of one kernel.

    Args:
        kernel: the program's kernel; variants differ in source and launch size.
        num_scalars: number of the program's scalars.
        reject: called for every variant that failed or was wrong, with the reason.
    """

    def __init__(
        self, device: Device, turns: Turns, work: Work, kernel: KernelSource, num_scalars: int, reject: Reject
    ) -> None:
        assert device.trials is not None
        self._device, self._turns, self._work, self._kernel = device, turns, work, kernel
        self._trials = device.trials
        self._num_scalars = num_scalars if kernel.uses_scalars else None
        self._reject = reject
        self._operands = operands(work)
        self._terms = terms(work)
        self._software = device.info.kind == "software"
        self._bench: Bench | None = None

    async def run(self) -> Outcome:
        """Find the fastest variant.

        Raises:
            Skipped: the kernel cannot be measured.
            BudgetSpent: before there is a result.
            DeviceLostError: the GPU was lost.
        """
        narrow = {o.dtype for o in self._operands if BY_NAME[o.dtype].is_narrow}
        if narrow:
            raise Skipped(f"its operands are of {' and '.join(sorted(narrow))}, for which there are no samples yet")
        total = sum(o.size_bytes for o in self._operands)
        if total > MOST_BYTES:
            raise Skipped(f"its operands take {total >> 20} MiB, more than the {MOST_BYTES >> 20} MiB for trials")
        async with self._turns.turn():
            heuristic, *others = self._work.variants()
            try:
                self._bench = self._trials.open_bench(
                    [o.size_bytes for o in self._operands], self._kernel.accesses, self._num_scalars
                )
            except DeviceLostError:
                raise
            except DeviceError as error:
                raise Skipped(str(error)) from error
        try:
            return await self._compete(self._bench, heuristic, others)
        finally:
            self._bench.close()

    async def _compete(self, bench: Bench, heuristic: Variant, others: list[Variant]) -> Outcome:
        try:
            incumbent = Candidate(heuristic, await self._compiled(await self._begin(heuristic)))
            expected = await self._expected(bench, incumbent)
            incumbent.ms = await self._calibrate(bench, incumbent, math.inf)
        except (DeviceLostError, Skipped):
            raise
        except Exception as error:
            raise Skipped(f"the heuristic's {heuristic} failed: {reason(error)}") from error
        if incumbent.repeats == MOST_REPEATS and incumbent.ms * MOST_REPEATS < READABLE_MS:
            return Outcome(incumbent, 0.0, 0.0)
        running = await self._admitted(bench, others, expected)
        if running:
            incumbent.ms = await self._warm(bench, incumbent)
        for candidate in running:
            await self._glance(bench, candidate, incumbent.ms)
        promising = [c for c in running if math.isfinite(c.ms)]
        return await self._final(bench, incumbent, sorted(promising, key=lambda c: c.ms)[:FINALISTS])

    async def _warm(self, bench: Bench, incumbent: Candidate) -> float:
        """Run the kernel until the GPU's clock has risen after idling in compilation; returns ms per launch."""
        done = 0.0
        while True:
            ms = await self._time(bench, incumbent.kernel, incumbent.repeats)
            done += max(ms, READABLE_MS)
            if done >= (COLD_MS if self._turns.hurried else WARM_MS) or self._software:
                return ms / incumbent.repeats

    async def _glance(self, bench: Bench, candidate: Candidate, incumbent_ms: float) -> None:
        """Time a candidate once; infinite if it is much slower than the incumbent."""
        try:
            candidate.ms = await self._calibrate(bench, candidate, incumbent_ms)
        except (DeviceLostError, Skipped):
            raise
        except Exception as error:  # noqa: BLE001 - a candidate's error must not end a run
            candidate.ms = math.inf
            self._reject(candidate.variant, reason(error))

    async def _final(self, bench: Bench, incumbent: Candidate, others: list[Candidate]) -> Outcome:
        """Choose by the medians of interleaved samples, so that other load affects all candidates equally."""
        finalists = [incumbent, *others] if others else []
        for _ in range(ROUNDS):
            for candidate in list(finalists):
                if self._turns.settings.is_spent:
                    raise BudgetSpent
                try:
                    candidate.samples.append(await self._time(bench, candidate.kernel, candidate.repeats))
                except (DeviceLostError, Skipped):
                    raise
                except Exception as error:
                    if candidate is incumbent:
                        raise Skipped(f"the heuristic's {incumbent.variant} failed: {reason(error)}") from error
                    self._reject(candidate.variant, reason(error))
                    finalists.remove(candidate)
        for candidate in finalists:
            candidate.ms = statistics.median(candidate.samples) / candidate.repeats
        best = min([incumbent, *finalists], key=lambda c: c.ms)
        if best.ms > MARGIN * incumbent.ms:
            best = incumbent
        return Outcome(best, incumbent.ms, best.ms)

    async def _admitted(self, bench: Bench, others: list[Variant], expected: list[np.ndarray]) -> list[Candidate]:
        """The candidates that compile and are correct; the next ones compile while one is checked."""
        waiting, begun, running = deque(others), deque[tuple[Variant, Compiling]](), []
        most = AHEAD if self._turns.hurried or not self._software else 1
        while waiting or begun:
            while waiting and len(begun) < most:
                if self._turns.settings.is_spent:
                    raise BudgetSpent
                variant = waiting.popleft()
                try:
                    begun.append((variant, await self._begin(variant)))
                except (DeviceLostError, Skipped):
                    raise
                except Exception as error:  # noqa: BLE001 - a candidate's error must not end a run
                    self._reject(variant, reason(error))
            if begun:
                if self._turns.settings.is_spent:
                    raise BudgetSpent
                candidate = await self._admit(bench, *begun.popleft(), expected)
                running += [] if candidate is None else [candidate]
        return running

    async def _admit(
        self, bench: Bench, variant: Variant, compiling: Compiling, expected: list[np.ndarray]
    ) -> Candidate | None:
        """The candidate if it compiles and computes the right values; others are reported."""
        try:
            candidate = Candidate(variant, await self._compiled(compiling))
            wrong = self._compare(expected, await self._values(bench, candidate))
            if wrong is not None:
                self._reject(variant, f"wrong: {wrong}")
                return None
        except (DeviceLostError, Skipped):
            raise
        except Exception as error:  # noqa: BLE001 - a candidate's error must not end a run
            self._reject(variant, reason(error))
            return None
        return candidate

    # Compiling

    async def _begin(self, variant: Variant) -> Compiling:
        """Render and start to compile; if the measurement is cancelled, the compiled kernel is dropped."""
        async with self._turns.turn():
            rendered = self._work.render(variant)
        kernel = KernelSource(
            label=self._kernel.label,
            source=rendered.source,
            accesses=self._kernel.accesses,
            uses_scalars=self._kernel.uses_scalars,
            workgroups=rendered.workgroups,
        )
        compiling = asyncio.ensure_future(self._trials.compile(kernel))
        compiling.add_done_callback(_heed)
        return compiling

    async def _compiled(self, compiling: Compiling) -> CompiledKernel:
        """The kernel; ``LIMIT_S`` counts from here, because drivers may compile one kernel at a time."""
        async with self._turns.turn() as turn:
            start = time.perf_counter()
            compiled = await limited(compiling)
            elapsed = time.perf_counter() - start
            if not self._software:  # the driver compiles while the GPU works
                turn.pace_s, turn.spent_s = min(elapsed, 0.005), elapsed
        return compiled

    # Values

    async def _expected(self, bench: Bench, incumbent: Candidate) -> list[np.ndarray]:
        """The incumbent's output. If most of it is NaN, positive operands are used instead."""
        self._data = Data(self._work)
        values = await self._values(bench, incumbent)
        floats = [v for v in values if v.dtype == np.float32]
        if floats and sum(int(np.isfinite(v).sum()) for v in floats) < 0.5 * sum(v.size for v in floats):
            self._data = Data(self._work, positive=True)
            values = await self._values(bench, incumbent)
            if not any(np.isfinite(v).any() for v in values if v.dtype == np.float32):
                raise Skipped("its values are not finite on any operands, so variants cannot be compared")
        return values

    async def _values(self, bench: Bench, candidate: Candidate) -> list[np.ndarray]:
        """A variant's output for the original operands."""
        await self._fill(bench)
        async with self._turns.turn() as turn:
            ms = await limited(bench.run(candidate.kernel, 1))
            turn.pace_s = ms / 1000
        async with self._turns.turn() as turn:
            turn.pace_s = 0.001
            raws = await limited(bench.read(self._windows()))
        stored = [o for o in self._operands if o.stored for _ in _windows(o.size_bytes)]
        return [raw.view(BY_NAME[o.dtype].storage) for raw, o in zip(raws, stored, strict=True)]

    def _windows(self) -> list[tuple[int, int, int]]:
        outputs = [(n, o) for n, o in enumerate(self._operands) if o.stored]
        return [(n, at, size) for n, o in outputs for at, size in _windows(o.size_bytes)]

    def _compare(self, expected: list[np.ndarray], got: list[np.ndarray]) -> str | None:
        dtypes = [o.dtype for o in self._operands if o.stored for _ in _windows(o.size_bytes)]
        for a, b, dtype in zip(expected, got, dtypes, strict=True):
            wrong = difference(a, b, dtype, self._terms)
            if wrong is not None:
                return wrong
        return None

    async def _fill(self, bench: Bench) -> None:
        """Write all operands, including outputs, so that missing writes of a variant are detected."""
        waiting = [(n, at, part) for n, o in enumerate(self._operands) for at, part in self._data.chunks(o)]
        if self._num_scalars is not None:
            bench.write_scalars(scalars(self._work, self._num_scalars))
        while waiting:
            async with self._turns.turn() as turn:
                bench.write(*waiting.pop())  # at least one per slice, even after a late start
                while waiting and time.perf_counter() - turn.start < FILL_S:
                    bench.write(*waiting.pop())

    # Times

    async def _calibrate(self, bench: Bench, candidate: Candidate, incumbent_ms: float) -> float:
        """Find the number of launches in a readable sample; returns ms per launch, infinite if much slower."""
        target = WALL_SAMPLE_MS if bench.uses_wall_clock else SAMPLE_MS
        while True:
            n = candidate.repeats
            ms = await self._time(bench, candidate.kernel, n)
            if ms > READABLE_MS and ms / n > HOPELESS * incumbent_ms:
                return math.inf
            if ms >= target / 2 or n >= MOST_REPEATS:
                return ms / n
            more = target / ms if ms > 0 else 8
            candidate.repeats = min(MOST_REPEATS, math.ceil(n * min(8, max(2, more))))

    async def _time(self, bench: Bench, kernel: CompiledKernel, repeats: int) -> float:
        for _ in range(20):
            async with self._turns.turn(quiet=bench.uses_wall_clock) as turn:
                before = self._device.counters.submits
                ms = await limited(bench.run(kernel, repeats))
                turn.pace_s = ms / 1000
                if not bench.uses_wall_clock or self._device.counters.submits == before:
                    return ms
        raise Skipped("the adapter has no timestamps, and training left no idle time for measuring")


def _heed(compiling: Compiling) -> None:
    """Retrieve the exception so that asyncio does not warn after a measurement has ended."""
    if not compiling.cancelled():
        compiling.exception()


def reason(error: BaseException) -> str:
    """An error in a few words."""
    if isinstance(error, TimeoutError):
        return f"no answer within {LIMIT_S:g} s"
    text = str(error).strip().splitlines()
    first = text[0][:200] if text else ""
    return first if isinstance(error, DeviceError) else f"{type(error).__name__}: {first}"


async def limited(work: Awaitable[T]) -> T:
    """Wait for the device, with a time limit.

    Raises:
        TimeoutError: no answer within ``LIMIT_S``.
    """
    # not wait_for: until Python 3.12 it may swallow a cancellation that comes with the answer
    async with asyncio.timeout(LIMIT_S):
        return await work


def _windows(size_bytes: int) -> list[tuple[int, int]]:
    """The ranges of an output that are compared: all, or the first, the last and some in between."""
    if size_bytes <= WINDOW * WINDOWS:
        return [(0, size_bytes)]
    step = (size_bytes - WINDOW) // (WINDOWS - 1)
    return [(n * step // 4 * 4, WINDOW) for n in range(WINDOWS - 1)] + [(size_bytes - WINDOW, WINDOW)]
