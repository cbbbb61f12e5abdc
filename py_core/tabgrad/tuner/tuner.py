"""The tuner of one device: finds faster variants of running programs' kernels, and swaps them in."""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from collections import deque
from typing import TYPE_CHECKING

from tabgrad.compiler.compile import Compiled
from tabgrad.compiler.variant import Choose, Measured, Variant, heuristic
from tabgrad.compiler.work import Work
from tabgrad.devices.base import Executable
from tabgrad.errors import DeviceLostError
from tabgrad.messages import TuningDone, TuningFailed, TuningFound, TuningMeasuring, TuningRejected, TuningSkipped
from tabgrad.tuner import winners
from tabgrad.tuner.measure import BudgetSpent, Measurement, Outcome, Skipped, reason
from tabgrad.tuner.store import shipped_winners
from tabgrad.tuner.subjects import Site, Subject, heaviest, seconds, subject
from tabgrad.tuner.swaps import Swaps
from tabgrad.tuner.turns import Turns
from tabgrad.tuner.winners import Winner

if TYPE_CHECKING:
    from tabgrad.devices.base import Device
    from tabgrad.tuner.registry import TunerRegistry

_log = logging.getLogger("tabgrad.tuning")
SCAN_S = 0.002  # for scanning a program, per slice


class Tuner:
    """Measures kernels between steps; see :func:`tabgrad.tuning` for the modes.

    A candidate's error is reported and the candidate is dropped; a lost device ends tuning.
    """

    def __init__(self, device: Device, tuners: TunerRegistry) -> None:
        self.turns = Turns(device, tuners.settings)
        self._device, self._tuners, self._settings = device, tuners, tuners.settings
        self._held: dict[str, Winner] | None = None
        self._programs: deque[tuple[weakref.ref[Executable], Compiled, int]] = deque()  # not scanned yet
        self._subjects: dict[str, Subject] = {}
        self._sites: dict[str, list[Site]] = {}
        self._given_up: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._count = 0  # programs added
        self._done = 0  # kernels measured since the queue was last empty
        self._trials = device.trials
        self._swaps = None if device.trials is None else Swaps(device.trials, self.turns, tuners.tell)
        self._ended = device.info.kind == "numpy"
        self.measured = 0

    # Winners

    @property
    def choice(self) -> Choose:
        """The choice of variants for the compiler: the fastest ones found."""
        if self._ended or self._settings.is_off or not self._winners:
            return heuristic
        return self._choose

    @property
    def begins_quickly(self) -> bool:
        """Whether programs may begin with kernels that compile fast: those that run fast are swapped in later."""
        if self._trials is None or self._ended or self._settings.tuning.mode != "background":
            return False
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False  # without an event loop nothing happens later
        return True

    def _choose(self, key: str) -> Measured | None:
        found = self._winners.get(key)
        return None if found is None else found.measured

    @property
    def _winners(self) -> dict[str, Winner]:
        if self._held is None:
            self._held = {}
            shipped = shipped_winners()
            documents = [d for d in (shipped, self._tuners.store.read()) if d["adapters"]]
            name = winners.adapter_id(self._device.info, self._device.limits) if documents else ""
            for document in documents:
                entry = document["adapters"].get(name, {"winners": {}})
                self._held |= {key: winners.read_winner(w) for key, w in entry["winners"].items()}
        return self._held

    def forget(self) -> None:
        """Read the store again, after a change from outside."""
        self._held = None
        self._given_up.clear()

    # Queue

    def add(self, compiled: Compiled, executable: Executable) -> None:
        """Add a program that runs repeatedly; its kernels come after those of earlier programs."""
        if self._trials is not None and not self._ended and (compiled.quick or not self._settings.is_off):
            self._programs.append((weakref.ref(executable), compiled, self._count))
            self._count += 1

    def bring_in_now(self, compiled: Compiled, executable: Executable) -> None:
        """Let a program that began quickly go on with what runs fast; the caller waits while it is compiled."""
        if self._swaps is None or self._ended:
            return
        known: list[tuple[Site, Variant]] = []
        for index, work in enumerate(compiled.works):
            if work.quick is not None and 0 not in executable.program.dispatches[index].workgroups:
                found = None if self._settings.is_off else work.measured(self._choose)
                known.append((Site(weakref.ref(executable), index, work), found or work.variants()[0]))
        self._swaps.bring_in_now(known)

    def begin(self) -> None:
        """Start work in the background, if there is any, and a running event loop."""
        if not self._has_work():
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # without an event loop there is no idle time
        if self._task is not None and self._task.get_loop() is loop and not self._task.done():
            return
        self._task = loop.create_task(self._work())
        self._task.add_done_callback(self._finished)

    def _has_work(self) -> bool:
        if self._ended:
            return False
        if self._settings.is_off or self._settings.is_spent:
            return any(compiled.quick for _, compiled, _ in self._programs)
        return bool(self._programs or self._subjects)

    def _finished(self, task: asyncio.Task[None]) -> None:
        if self._task is task:
            self._task = None

    async def finish(self) -> None:
        """Work until all kernels are measured or the budget is spent, without waiting between slices."""
        if self._trials is None:
            self._tuners.tell(TuningSkipped(text=f"nothing to tune: the {self._device.name} device swaps no kernels"))
        self.turns.hurry(True)
        try:
            self.begin()
            if self._task is not None:
                await asyncio.shield(self._task)
        except asyncio.CancelledError:
            await self.stop()
            raise
        finally:
            self.turns.hurry(False)

    async def stop(self) -> None:
        """End the work in the background; the queue continues with the next :meth:`begin`."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def clear(self) -> None:
        """Empty the queue: its programs are of a script that has ended."""
        self._programs.clear()
        self._subjects.clear()
        self._sites.clear()

    # Work

    async def _work(self) -> None:
        try:
            await self._device.fence()  # the step that was just submitted comes first
            while self._has_work():
                if self._programs:
                    await self._look_through(*self._programs[0])
                    self._programs.popleft()
                    continue
                await self._measure(heaviest(list(self._subjects.values())))
            self._conclude()
        except DeviceLostError as error:
            self._ended = True
            self._tuners.tell(TuningFailed(text=f"tuning ended: {error}"))
        except Exception as error:  # noqa: BLE001 - an error of the tuner must not end the run
            self._ended = True
            self._tuners.tell(TuningFailed(text=f"tuning ended by an internal error: {reason(error)}"))
            _log.debug("tuning ended", exc_info=error)

    def _conclude(self) -> None:
        if not self._done:
            return
        left = len(self._subjects)
        text = f"tuned {self._done} kernels in {self._settings.spent_s:.1f} s"
        text += f"; {left} left, as the budget is spent" if left else ""
        self._tuners.tell(TuningDone(text=text, done=self._done, left=left))
        self._done = 0

    async def _look_through(self, ref: weakref.ref[Executable], compiled: Compiled, order: int) -> None:
        """Queue a program's kernels, and swap in winners that are not in use yet, and what runs fast."""
        assert self._swaps is not None
        works = deque(enumerate(compiled.works))
        known: list[tuple[Site, Variant]] = []
        while works:
            async with self.turns.turn() as turn:
                known += self._look_at_some(ref(), works, order, turn.start + SCAN_S, quick=compiled.quick)
        await self._swaps.bring_in(sorted(known, key=_weight))

    def _look_at_some(
        self, executable: Executable | None, works: deque[tuple[int, Work]], order: int, until_s: float, *, quick: bool
    ) -> list[tuple[Site, Variant]]:
        """Scan at least one kernel, and more while there is time."""
        if executable is None:  # the program was released
            works.clear()
            return []
        known = self._look_at(executable, *works.popleft(), order, quick=quick)
        while works and time.perf_counter() < until_s:
            known += self._look_at(executable, *works.popleft(), order, quick=quick)
        return known

    def _look_at(
        self, executable: Executable, index: int, work: Work, order: int, *, quick: bool
    ) -> list[tuple[Site, Variant]]:
        dispatch = executable.program.dispatches[index]
        if 0 in dispatch.workgroups:
            return []
        variants = work.variants()
        site = Site(weakref.ref(executable), index, work)
        fast = [(site, variants[0])] if quick else []
        if len(variants) < 2 or work.key in self._given_up or self._settings.is_off:
            return fast
        found = work.measured(self._choose)
        if found is not None:
            return [(site, found)]
        self._sites.setdefault(work.key, []).append(site)
        waiting = self._subjects.get(work.key)
        if waiting is None:
            waiting = self._subjects[work.key] = subject(work.key, order, executable, index, work)
        if waiting.order == order:
            waiting.seconds += seconds(dispatch)
        return fast

    async def _measure(self, item: Subject) -> None:
        sites = self._sites.get(item.key, [])
        if all(site.executable() is None for site in sites):
            self._drop(item)
            return
        total = self._done + len(self._subjects)
        text = f"tuning {self._done + 1} of {total}: {item.name}"
        self._tuners.tell(TuningMeasuring(text=text, done=self._done, total=total, kernel=item.name))

        def reject(variant: Variant, why: str) -> None:
            text = f"{item.name}: {variant} rejected: {why}"
            self._tuners.tell(TuningRejected(text=text, kernel=item.name, variant=str(variant), reason=why))

        work = Measurement(self._device, self.turns, item.work, item.kernel, item.num_scalars, reject)
        try:
            outcome = await work.run()
        except BudgetSpent:
            return
        except Skipped as why:
            self._given_up.add(item.key)
            self._drop(item)
            text = f"{item.name} is not tuned: {why}"
            self._tuners.tell(TuningSkipped(text=text, kernel=item.name, reason=str(why)))
            return
        self.measured += 1
        self._done += 1
        await self._settle(item, outcome)

    async def _settle(self, item: Subject, outcome: Outcome) -> None:
        assert self._swaps is not None
        variant, sites = outcome.best.variant, self._sites.get(item.key, [])
        async with self.turns.turn():
            measured = Measured(variant, item.work.fingerprint(variant))
        found = winners.winner(measured, item.name, round(outcome.heuristic_ms, 5), round(outcome.ms, 5))
        if await self._swaps.swap(sites, variant, outcome.best.kernel) and outcome.ms < outcome.heuristic_ms:
            gain = outcome.heuristic_ms / max(outcome.ms, 1e-9)
            text = f"{item.name}: {gain:.2f}x: {outcome.heuristic_ms:.3g} -> {outcome.ms:.3g} ms, {variant}"
            self._tuners.tell(
                TuningFound(
                    text=text,
                    kernel=item.name,
                    variant=str(variant),
                    before_ms=outcome.heuristic_ms,
                    ms=outcome.ms,
                )
            )
        self._winners[item.key] = found
        self._drop(item)
        name = winners.adapter_id(self._device.info, self._device.limits)
        entry = winners.entry_of(self._device.info, {item.key: found})
        self._tuners.store.add({**winners.empty(), "adapters": {name: entry}})

    def _drop(self, item: Subject) -> None:
        self._subjects.pop(item.key, None)
        self._sites.pop(item.key, None)


def _weight(chosen: tuple[Site, Variant]) -> float:
    """To sort by: what takes most of a step first."""
    dispatch = chosen[0].dispatch
    return 0.0 if dispatch is None else -seconds(dispatch)
