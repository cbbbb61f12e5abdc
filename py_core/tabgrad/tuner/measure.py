"""Measure one kernel: its variants are run side by side on the same operands, checked, and timed in turn."""

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
from tabgrad.tuner.check import difference, terms
from tabgrad.tuner.samples import Data, operands, scalars
from tabgrad.tuner.turns import Turns

if TYPE_CHECKING:
    from tabgrad.devices.base import Device

T = TypeVar("T")
Compiling = asyncio.Future[CompiledKernel]

LIMIT_S = 10.0  # for one answer of the device; what takes longer is given up
AHEAD = 4  # candidates that compile at once
MOST_BYTES = 512 << 20  # of a kernel's operands
WINDOW, WINDOWS = 256 << 10, 16  # bytes compared at a time, and how many times per output
SAMPLE_MS = 4.0  # of GPU time: 60 of Chrome's steps of 65,536 ns
WALL_SAMPLE_MS = 8.0
READABLE_MS = 0.5  # below this a quantised time says little
MOST_REPEATS = 1024
ROUNDS = 5
FINALISTS = 6
MARGIN = 0.97  # of the incumbent's time that a winner may take
HOPELESS = 2.0  # times the incumbent's at the first look: dropped
WARM_MS = 60.0  # of work, after which a GPU's clock has risen while training keeps it busy too,
COLD_MS = 500.0  # and where nothing else does
FILL_S = 0.002  # uploading, per slice


class Skipped(Exception):
    """The kernel cannot be measured here; says why."""


class BudgetSpent(Exception):
    """The time that the user granted is over."""


@dataclass
class Candidate:
    """A variant in the running."""

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
    """One kernel's trial.

    Args:
        kernel: as the program has it; variants differ in source and launch size.
        num_scalars: of the program.
        reject: told of every variant that failed or was wrong, and why.
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
            BudgetSpent: before a result was there.
            DeviceLostError: the GPU is gone.
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
        """Work until the GPU's clock has risen, for compiling leaves it idle; ms per launch by then."""
        done = 0.0
        while True:
            ms = await self._time(bench, incumbent.kernel, incumbent.repeats)
            done += max(ms, READABLE_MS)
            if done >= (COLD_MS if self._turns.hurried else WARM_MS) or self._software:
                return ms / incumbent.repeats

    async def _glance(self, bench: Bench, candidate: Candidate, incumbent_ms: float) -> None:
        """Take a candidate's time once; it is infinite if that is hopeless."""
        try:
            candidate.ms = await self._calibrate(bench, candidate, incumbent_ms)
        except (DeviceLostError, Skipped):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a candidate does, it never ends a run
            candidate.ms = math.inf
            self._reject(candidate.variant, reason(error))

    async def _final(self, bench: Bench, incumbent: Candidate, others: list[Candidate]) -> Outcome:
        """Interleaved samples, so that whatever else the machine does meets all alike; medians decide."""
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
        """Those that may compete; while one is checked, the next ones compile."""
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
                except Exception as error:  # noqa: BLE001 - whatever a candidate does, it never ends a run
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
        """A candidate that compiles and computes the right values; others are told of."""
        try:
            candidate = Candidate(variant, await self._compiled(compiling))
            wrong = self._compare(expected, await self._values(bench, candidate))
            if wrong is not None:
                self._reject(variant, f"wrong: {wrong}")
                return None
        except (DeviceLostError, Skipped):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a candidate does, it never ends a run
            self._reject(variant, reason(error))
            return None
        return candidate

    # Compiling

    async def _begin(self, variant: Variant) -> Compiling:
        """Render, and let the device compile; what nobody waits for any more is dropped once it is there."""
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
        """The kernel; ``LIMIT_S`` counts from here, for drivers may compile one after the other."""
        async with self._turns.turn() as turn:
            start = time.perf_counter()
            compiled = await limited(compiling)
            elapsed = time.perf_counter() - start
            if not self._software:  # the driver compiles beside the GPU's work
                turn.pace_s, turn.spent_s = min(elapsed, 0.005), elapsed
        return compiled

    # Values

    async def _expected(self, bench: Bench, incumbent: Candidate) -> list[np.ndarray]:
        """The incumbent's output. Where most of it is NaN, operands are made positive instead."""
        self._data = Data(self._work)
        values = await self._values(bench, incumbent)
        floats = [v for v in values if v.dtype == np.float32]
        if floats and sum(int(np.isfinite(v).sum()) for v in floats) < 0.5 * sum(v.size for v in floats):
            self._data = Data(self._work, positive=True)
            values = await self._values(bench, incumbent)
            if not any(np.isfinite(v).any() for v in values if v.dtype == np.float32):
                raise Skipped("its values are not finite on any operands that were tried, so they prove nothing")
        return values

    async def _values(self, bench: Bench, candidate: Candidate) -> list[np.ndarray]:
        """What a variant stores, from operands as they were at the start."""
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
        """Write all operands, stored ones included: what a variant forgets to write shows."""
        waiting = [(n, at, part) for n, o in enumerate(self._operands) for at, part in self._data.chunks(o)]
        if self._num_scalars is not None:
            bench.write_scalars(scalars(self._work, self._num_scalars))
        while waiting:
            async with self._turns.turn() as turn:
                bench.write(*waiting.pop())  # one, however late the slice began
                while waiting and time.perf_counter() - turn.start < FILL_S:
                    bench.write(*waiting.pop())

    # Times

    async def _calibrate(self, bench: Bench, candidate: Candidate, incumbent_ms: float) -> float:
        """Find how many launches make a readable sample; ms per launch, infinite if it is hopeless."""
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
        raise Skipped("the adapter keeps no time, and training left no quiet moment to measure in")


def _heed(compiling: Compiling) -> None:
    """Take note of an error, which nobody waits for once a measurement has ended."""
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
    """Wait for the device, but not for ever.

    Raises:
        TimeoutError: it has not answered within ``LIMIT_S``.
    """
    # not wait_for: until Python 3.12 it may swallow a cancellation that comes with the answer
    async with asyncio.timeout(LIMIT_S):
        return await work


def _windows(size_bytes: int) -> list[tuple[int, int]]:
    """Ranges of an output that are compared: all of it, or the first, the last and some between."""
    if size_bytes <= WINDOW * WINDOWS:
        return [(0, size_bytes)]
    step = (size_bytes - WINDOW) // (WINDOWS - 1)
    return [(n * step // 4 * 4, WINDOW) for n in range(WINDOWS - 1)] + [(size_bytes - WINDOW, WINDOW)]
