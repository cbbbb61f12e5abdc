"""``tabgrad.compile``: record a step once, then replay it without tracing.

Recording runs the function on placeholders and keeps the graph of everything that it computes and
overwrites. A replay asks the step's scalars (learning rate, step count, random draws) again, uploads the
inputs, and submits one program.
"""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Hashable
from functools import update_wrapper
from typing import Any

from tabgrad.devices.base import Progress
from tabgrad.grad_mode import is_recording
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import assigned_storages, linearize, topological
from tabgrad.graph.node import BUFFER, Node
from tabgrad.graph.op import Kind
from tabgrad.graph.storage import Storage
from tabgrad.runtime.arguments import constants_of, distinct, kinds_of, replaced, signature, tensors_of
from tabgrad.runtime.dependencies import MODES, Capture, refusal
from tabgrad.runtime.evaluation import (
    is_lost,
    part,
    realize_all,
    refresh,
    shows_memory,
    waits_for_a_write,
    whole,
)
from tabgrad.runtime.program_cache import ProgramCache
from tabgrad.runtime.recordings import WARN_FROM, Recordings
from tabgrad.runtime.replay import Replay
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of
from tabgrad.tuner import TunerRegistry


def _name(fn: Callable[..., Any]) -> str:
    return getattr(fn, "__name__", type(fn).__name__).strip("_")


class LeavesRecord(Exception):
    """Gradients may still flow through what a function returns: it is a part of a step."""


class RecordedStep(Replay):
    """One recording: for inputs of certain shapes and dtypes, and Python values as they were.

    Args:
        is_whole: gradients are not to flow through its results.

    Raises:
        LeavesRecord: they would, and ``is_whole``.
    """

    def __init__(
        self,
        session: Session,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        is_whole: bool = False,
    ) -> None:
        self.session = session
        self.placeholders: list[tuple[Storage, Node]] = []
        self._kinds = None if kwargs else kinds_of(args)
        args, kwargs = distinct((args, kwargs))
        tensors = tensors_of((args, kwargs))
        # writes that wait would become part of the step, and happen at each replay
        realize_all([t for t in session.lazy_tensors() if waits_for_a_write(t)])
        stand_ins = {id(t): self._placeholder(t) for t in tensors}
        # views are read again at each replay, and what they show may be written to
        refresh(session)
        realize_all([whole(t) for t in session.lazy_tensors() if t._path and not (shows_memory(t) or is_lost(t))])
        earlier = [t._node for t in session.lazy_tensors() if not shows_memory(t)]
        self._capture = session.capture = Capture(_name(fn), earlier)
        is_part = False
        try:
            with session, self._capture.state as state:
                for value in (fn, *constants_of((args, kwargs))):
                    state.meet(value)
                result = fn(*replaced(args, stand_ins), **replaced(kwargs, stand_ins))
            is_part = any(t._ctx is not None and not t._ctx.is_spent for t in tensors_of(result))
        finally:
            session.capture = None
            self._release()
        self._guards, self.changed = self._capture.conclude()
        if is_part and is_whole:
            raise LeavesRecord
        self._link(result)
        self.linear.name = self._capture.name
        del self._capture  # and what it has met

    def _placeholder(self, tensor: Tensor) -> Tensor:
        memory = Storage(tensor._node.size_bytes)
        memory.placeholder = True
        node = graph.buffer(memory, tensor.shape, tensor.dtype)
        self.placeholders.append((memory, node))
        stand_in = Tensor._from_node(node, self.session)
        stand_in._requires_grad = tensor.requires_grad
        return stand_in

    def _release(self) -> None:
        """Give overwritten tensors back their memory, so that outside the step they read what it left there."""
        self._writes: list[Node] = []
        for memory in self._capture.assigned:
            node = memory.node
            if node.op.kind is not Kind.ASSIGN:
                continue
            if node not in self._writes:
                self._writes.append(node)
            target = node
            while target.op.kind is Kind.ASSIGN:
                target = target.args[0]
            memory.set(target)
        for recorded, ctx in reversed(self._capture.recorded):
            if isinstance(recorded, Tensor):
                recorded._ctx, recorded._requires_grad = ctx, ctx is not None
            else:
                recorded.ctx = ctx
        for tensor, node in self._capture.views:
            tensor._become(node, self.session)
        self._capture.forget_grads()

    def _link(self, result: Any) -> None:
        outputs = tensors_of(result)
        passed = {id(n) for _, n in self.placeholders}
        for t in outputs:
            if t._node.op is BUFFER or id(t._node) in self._capture.earlier:
                what = "an input" if id(t._node) in passed else "a tensor made outside the step"
                raise NotImplementedError(
                    f"compile: expected results computed in the step, got {what} returned as it is; "
                    f"use it where the step is called, or return its clone()"
                )
        roots = [*(t._node for t in outputs), *self._writes]
        if not roots:
            raise RuntimeError("compile: expected a step that returns or overwrites tensors, got one that does neither")
        # what was lazy before the step is a value that the step reads, not a part of it
        used = {id(n) for n in topological(roots)}
        realize_all([Tensor._from_node(n, self.session) for i, n in self._capture.earlier.items() if i in used])
        self._capture.earlier.clear()
        part(
            self.session, self.session.aliases.among(topological(roots))
        )  # later replays read the memory that is used now
        linear = linearize(roots)
        drawn = self._capture.arrays
        own = {id(s) for s, _ in (*self.placeholders, *drawn)} | {id(n) for n in self._capture.scalars}
        if any(s.placeholder and id(s) not in own for s in linear.storages) or any(
            id(n) not in own for n in linear.scalars
        ):
            raise RuntimeError(
                "compile: expected values made in the step or outside of any, got one that another compiled step "
                "computed and did not return; return it from that step"
            )
        types = [(t.shape, t.dtype) for t in outputs]
        inputs = [memory for memory, _ in self.placeholders]
        written = assigned_storages(self._writes)
        super().__init__(self.session, linear, inputs, written, self._capture.scalars, types, drawn)
        # only stand-ins of the results are kept: the recorded graph must not be computed again
        stubs = {id(t): Tensor._from_node(graph.buffer(Storage(0), t.shape, t.dtype), self.session) for t in outputs}
        self.result = replaced(result, stubs)
        self.outputs = [stubs[id(t)] for t in outputs]
        self._writes = []

        self.used = 0  # when it was last, on the clock of those who keep recordings
        self._moves = self.session.moves

    @property
    def values(self) -> list[tuple[str, Any]]:
        """What it has read of Python's state: names in words, and values."""
        return [(read.label, read.value) for read in self._guards.reads]

    @property
    def is_stale(self) -> bool:
        """Whether it served one call, or tensors that it reads or writes have moved to other memory."""
        return bool(self.changed) or any(s.left for s in self.linear.storages)

    def takes(self, args: tuple[Any, ...]) -> bool:
        """Whether its signature is that of these arguments; of others than tensors it does not tell."""
        kinds, session = self._kinds, self.session
        if kinds is None or len(args) != len(kinds):
            return False
        for arg, (shape, dtype, requires_grad) in zip(args, kinds, strict=True):
            if (
                type(arg) is not Tensor
                or arg._session is not session
                or arg._shape != shape
                or arg._dtype is not dtype
                or arg.requires_grad is not requires_grad
            ):
                return False
        return True

    def holds(self) -> bool:
        """Whether the recording still describes what the function would do."""
        if self.changed:
            return False
        if self._moves != self.session.moves:
            if self.is_stale:
                return False
            self._moves = self.session.moves
        return self._guards.hold()

    def outcome(self, results: list[Tensor]) -> Any:
        """What the function returns, with these results in it."""
        if len(results) == 1 and self.result is self.outputs[0]:
            return results[0]
        return replaced(self.result, dict(zip(map(id, self.outputs), results, strict=True)))

    def drop(self) -> None:
        """Let the program go with the recording."""
        self.session.own(ProgramCache).forget(self.linear)


class CompiledStep:
    """A function whose calls are recorded once per input signature and then replayed."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        self._recorded: Recordings[RecordedStep] = Recordings(fn, _name(fn))
        self._changing: dict[Hashable, tuple[int, set[str]]] = {}  # recordings one after the other, what all changed
        self._parts: set[Hashable] = set()  # signatures of calls through whose results gradients may flow
        self.timed = False  # whether the device is asked for the GPU time of each run
        update_wrapper(self, fn)

    def record(self, *args: Any, **kwargs: Any) -> RecordedStep:
        """The recording that serves these arguments; made if there is none yet."""
        session = session_of(tensors_of((args, kwargs))) or current()
        with session.lock:
            return self._record(session, args, kwargs)

    def _record(
        self, session: Session, args: tuple[Any, ...], kwargs: dict[str, Any], *, is_whole: bool = False
    ) -> RecordedStep:
        recording = session.capturing()
        if recording is not None:
            raise RuntimeError(
                f"compile: expected a step that calls plain functions, got a call of the compiled step "
                f"{_name(self._fn)!r} inside {recording.name!r}; compile the outer one only"
            )
        key = (session, signature((args, kwargs)))
        recorded = self._recorded.find(key)
        if recorded is None:
            start = time.perf_counter()
            recorded = RecordedStep(session, self._fn, args, kwargs, is_whole=is_whole)
            self._check_changes(key, recorded)
            self._recorded.add(key, recorded)
            if session.profiler is not None:
                session.profiler.span("record", start)
        return recorded

    def _check_changes(self, key: Hashable, recorded: RecordedStep) -> None:
        """A step may fill a cache or set a flag once; one that changes what it reads each time cannot be replayed.

        Raises:
            TabgradError: two recordings in a row have changed the same.
        """
        if not recorded.changed:
            self._changing.pop(key, None)
            return
        count, changed = self._changing.get(key, (0, recorded.changed))
        self._changing[key] = count + 1, changed & recorded.changed
        lasting = sorted(changed & recorded.changed - MODES)
        if count and lasting:
            raise refusal(_name(self._fn), lasting[0])
        if count + 1 == WARN_FROM:
            warnings.warn(
                f"compile: {_name(self._fn)!r} changes {', '.join(sorted(recorded.changed))} at each call, so that it "
                f"is recorded again each time, which is slow; leave them as they were when it returns",
                stacklevel=4,
            )

    @property
    def recordings(self) -> list[RecordedStep]:
        """All recordings that are kept."""
        return list(self._recorded)

    async def ready(self, *args: Any, on_progress: Progress | None = None, **kwargs: Any) -> RecordedStep:
        """Record and compile for these arguments in the background, without running."""
        recorded = self.record(*args, **kwargs)
        if recorded.cached is None:
            await recorded.ready(on_progress)
        if recorded.session.own(TunerRegistry).settings.tuning.mode == "before":
            await recorded.tune()
        return recorded

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the step; returns what the function returns, with results that are computed on the device."""
        if not kwargs and args and isinstance(args[0], Tensor):  # as loops call it, again and again
            session = args[0]._session or current()
            if session.profiler is None and session.capture is None:
                with session.lock:
                    known = self._recorded.again(args)
                    if known is not None:
                        return known.outcome(known.run(args, timed=self.timed))
        tensors = tensors_of((args, kwargs))
        session = session_of(tensors) or current()
        profiler = session.profiler
        start = 0.0 if profiler is None else time.perf_counter()
        if self._parts and (session, signature((args, kwargs)), is_recording()) in self._parts:
            return self._fn(*args, **kwargs)
        with session.lock:
            try:
                recorded = self._record(session, args, kwargs, is_whole=True)
            except LeavesRecord:
                self._parts.add((session, signature((args, kwargs)), is_recording()))
                return self._fn(*args, **kwargs)
            results = recorded.run(tensors, timed=self.timed)
        if profiler is not None:
            profiler.span("replay", start)
        return recorded.outcome(results)


def compile(fn: Callable[..., Any]) -> CompiledStep:
    """Record ``fn`` at its first call and replay it afterwards; :func:`tabgrad.compile` says all of it.

    Raises:
        TypeError: ``fn`` is no plain function.
    """
    if isinstance(fn, CompiledStep):
        return fn
    called = fn if inspect.isroutine(fn) else getattr(fn, "__call__", None)  # noqa: B004 - it is looked into
    waits = inspect.iscoroutinefunction(called) or inspect.isgeneratorfunction(called)
    if not callable(fn) or waits or inspect.isasyncgenfunction(called):
        got = "one that waits or yields" if waits or callable(fn) else type(fn).__name__
        raise TypeError(
            f"compile: expected a plain function from tensors to tensors, got {got}; "
            f"leave `await` and `yield` to the code that calls the step"
        )
    return CompiledStep(fn)


__all__ = ["CompiledStep", "RecordedStep", "compile"]
