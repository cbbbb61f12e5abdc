"""Programs that have been compiled: kept by the structure of their graph, and bound to buffers once per set."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Hashable, Sequence

from tabgrad.compiler.compile import Compiled, compile_graph
from tabgrad.compiler.target import Target, target_of
from tabgrad.compiler.work import Works
from tabgrad.devices.base import BoundProgram, Buffer, Device, Executable, Progress
from tabgrad.graph.linearize import Linear
from tabgrad.runtime.quick_start import QuickStart
from tabgrad.session import Session
from tabgrad.tuner import Tuner, TunerRegistry

MOST_PROGRAMS = 256  # kept per device; compiled steps keep theirs themselves
MOST_BINDINGS = 64  # sets of buffers that a program stays bound to
TUNED_FROM = 3  # requests for a binding, of which a compiled step's first run makes two: then it runs repeatedly


class CachedProgram:
    """A compiled program on a device, and the buffer sets it has been bound to."""

    def __init__(self, compiled: Compiled, device: Device, tuner: Tuner) -> None:
        self.compiled = compiled
        self.executable: Executable | None = None  # once it is loaded
        self._device, self._tuner = device, tuner
        self._bound: dict[tuple[int, ...], BoundProgram] = {}
        self._requests = 0
        self._quick: QuickStart | None = None  # until all kernels are those that run fast, as far as is known

    def load(self, *, suspending: bool = False) -> None:
        """Load it at once, if it is not loaded; ``suspending``: other tasks may run meanwhile."""
        if self.executable is None:
            with self._tuner.turns.held():
                self._loaded(self._device.load(self.compiled.program, may_suspend=suspending))

    async def load_async(self, on_progress: Progress | None = None) -> None:
        """As :meth:`load`, with shaders compiled in the background and progress reported."""
        if self.executable is None:
            with self._tuner.turns.held():
                self._loaded(await self._device.load_async(self.compiled.program, on_progress))

    def _loaded(self, executable: Executable) -> None:
        """Take what the device made of it, unless somebody else was quicker."""
        if self.executable is None:
            self.executable = executable

    def tune(self) -> None:
        """Hand the program to the tuner, once."""
        assert self.executable is not None
        if self._requests <= TUNED_FROM:
            self._requests = TUNED_FROM + 1
            self._tuner.add(self.compiled, self.executable)
            if self.compiled.quick:
                self._quick = QuickStart(self._tuner, self.compiled, self.executable)

    def bind(self, buffers: Sequence[Buffer]) -> BoundProgram:
        """The program bound to these buffers; made once per set."""
        self.count_use()
        key = tuple(b.id for b in buffers)
        bound = self._bound.get(key)
        if bound is None:
            if len(self._bound) >= MOST_BINDINGS:
                self._bound.pop(next(iter(self._bound)))
            assert self.executable is not None
            bound = self._bound[key] = self._device.bind(self.executable, buffers)
        return bound

    def count_use(self) -> None:
        """Note a run; a program that runs again and again is worth tuning."""
        if self._requests > TUNED_FROM:
            if self._quick is not None and self._quick.over_after():
                self._quick = None
            return
        self._requests += 1
        if self._requests == TUNED_FROM:
            self.tune()
            if not self._tuner.turns.driven:
                self._tuner.begin()


class _OfDevice(dict[Hashable, CachedProgram]):
    """A device's programs by the key of their graph, the one used longest ago first."""

    def __init__(self) -> None:
        super().__init__()
        self.works = Works()  # programs for other batch sizes and for validation have kernels in common


class ProgramCache:
    """A session's programs, for each of its devices.

    ``target`` says what the compiler is to take a device for; tests have it take a processor for a GPU.
    """

    def __init__(self, session: Session) -> None:
        self.target: Callable[[Device], Target] = lambda device: target_of(device.info, device.limits)
        self._session = session
        self._known: weakref.WeakKeyDictionary[Device, _OfDevice] = weakref.WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._known.get(self._session.device, ()))

    def of(self, linear: Linear, *, awaited: bool = False) -> CachedProgram:
        """The program for a graph on the session's device; compiled at the first request, not yet loaded.

        Args:
            awaited: it will be loaded while other tasks run, so its kernels may begin to compile before.
        """
        session = self._session
        with session.lock:
            device = session.device
            known = self._known.get(device)
            if known is None:
                known = self._known[device] = _OfDevice()
            found = known.pop(linear.key, None)
            if found is None or (found.compiled.quick and session.own(TunerRegistry).settings.is_off):
                found = self._compile(linear, device, known.works, awaited=awaited)
            known[linear.key] = found  # last: the one used longest ago is dropped first
            if len(known) > MOST_PROGRAMS:
                del known[next(iter(known))]
            return found

    def _compile(self, linear: Linear, device: Device, works: Works, *, awaited: bool) -> CachedProgram:
        session = self._session
        if session.observer is not None:
            session.observer.graph(linear)
        start = time.perf_counter()
        tuner = session.own(TunerRegistry).of(device)
        with tuner.turns.held():
            target = self.target(device)
            compiled = compile_graph(
                linear,
                target,
                tuner.choice,
                works,
                quick=tuner.begins_quickly and not target.software,
                written=device.expect if awaited else None,
            )
        if session.observer is not None:
            session.observer.compiled(compiled)
        if session.profiler is not None:
            session.profiler.span("compile", start)
        return CachedProgram(compiled, device, tuner)

    def forget(self, linear: Linear) -> None:
        """A graph will not run again soon: let its program go, unless somebody else holds it."""
        with self._session.lock:
            self._known.get(self._session.device, _OfDevice()).pop(linear.key, None)

    def clear(self) -> None:
        """Forget all, of all devices."""
        self._known.clear()


__all__ = ["MOST_BINDINGS", "MOST_PROGRAMS", "CachedProgram", "ProgramCache"]
