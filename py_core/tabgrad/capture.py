"""``tabgrad.compile``: record a step once, then replay it without tracing.

Recording runs the function on placeholders and keeps the graph of everything that it computes and
overwrites. A replay asks the step's scalars (learning rate, step count, random draws) anew, uploads the
inputs, and submits one program.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from functools import update_wrapper
from typing import Any

from tabgrad import runtime
from tabgrad.devices.base import Progress
from tabgrad.dtypes import ITEM_BYTES
from tabgrad.errors import TabgradError
from tabgrad.graph import aliases
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import assigned_storages, linearize, topological
from tabgrad.graph.node import BUFFER, Node
from tabgrad.graph.op import Kind
from tabgrad.graph.storage import Storage
from tabgrad.replay import Replay
from tabgrad.tensor import Tensor, lazy_tensors


class Capture:
    """What is noted while a step is recorded."""

    def __init__(self, earlier: list[Node]) -> None:
        self.earlier = {id(n): n for n in earlier}  # values that were lazy before the step
        self.scalars: list[Node] = []
        self.assigned: list[Tensor] = []
        self.views: list[tuple[Tensor, Node]] = []  # tensors over memory that was assigned as a whole, and that memory
        self.guards: list[tuple[Callable[[], Any], Any]] = []
        self.consumed: list[Tensor] = []  # leaves whose .grad an optimizer has used

    def guard(self, get: Callable[[], Any]) -> Any:
        """Read a Python value that the recorded graph depends on; a replay records anew when it has changed."""
        value = get()
        self.guards.append((get, value))
        return value

    def has_written(self, tensor: Tensor) -> bool:
        """Whether an optimizer has updated this parameter in the step."""
        return any(t is tensor for t, _ in self.views)

    def holds(self) -> bool:
        """Whether all guarded values are as they were."""
        return all(get() == value for get, value in self.guards)


def guarded(get: Callable[[], Any]) -> Any:
    """The value of ``get()``; a step that is being recorded is recorded again when it changes."""
    return get() if runtime.capture is None else runtime.capture.guard(get)


class RecordedStep(Replay):
    """One recording: for inputs of certain shapes and dtypes, and Python values as they were."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.placeholders: list[tuple[Storage, Node]] = []
        assert runtime.capture is None, "a compiled step may not record another"
        args, kwargs = _distinct((args, kwargs))
        tensors = _tensors((args, kwargs))
        # writes that wait would become part of the step, and happen at each replay
        runtime.realize([t for t in lazy_tensors() if t._node.op.kind is Kind.ASSIGN])
        stand_ins = {id(t): self._placeholder(t) for t in tensors}
        self._capture = runtime.capture = Capture([t._node for t in lazy_tensors()])
        try:
            result = fn(*_replace(args, stand_ins), **_replace(kwargs, stand_ins))
        finally:
            runtime.capture = None
            self._release()
        self._link(result)
        self.linear.name = getattr(fn, "__name__", type(fn).__name__).strip("_")

    def _placeholder(self, tensor: Tensor) -> Tensor:
        storage = Storage(max(tensor.numel(), 1) * ITEM_BYTES)
        storage.placeholder = True
        node = graph.buffer(storage, tensor.shape, tensor.dtype)
        self.placeholders.append((storage, node))
        stand_in = Tensor._from_node(node)
        stand_in.requires_grad = tensor.requires_grad
        return stand_in

    def _release(self) -> None:
        """Give overwritten tensors back their memory, so that outside the step they read what it left there."""
        self._writes: list[Node] = []
        for tensor in self._capture.assigned:
            node = tensor._node
            if node.op.kind is not Kind.ASSIGN:
                continue
            if node not in self._writes:
                self._writes.append(node)
            target = node
            while target.op.kind is Kind.ASSIGN:
                target = target.args[0]
            tensor._node = target
        for tensor, memory in self._capture.views:
            tensor._node = memory
        for tensor in self._capture.consumed:
            tensor.grad = None

    def _link(self, result: Any) -> None:
        outputs = _tensors(result)
        passed = {id(n) for _, n in self.placeholders}
        for t in outputs:
            if t._node.op is BUFFER:
                what = "an input" if id(t._node) in passed else "a tensor made outside the step"
                raise NotImplementedError(
                    f"compile: expected results computed in the step, got {what} returned as it is"
                )
        roots = [*(t._node for t in outputs), *self._writes]
        if not roots:
            raise RuntimeError("compile: expected a step that returns or overwrites tensors, got one that does neither")
        # what was lazy before the step is a value that the step reads, not a part of it
        used = {id(n) for n in topological(roots)}
        runtime.realize([Tensor._from_node(n) for i, n in self._capture.earlier.items() if i in used])
        self._capture.earlier.clear()
        runtime.part(aliases.among(topological(roots)))  # later replays read the memory that is used now
        linear = linearize(roots)
        own = {id(s) for s, _ in self.placeholders}
        if any(s.placeholder and id(s) not in own for s in linear.storages):
            raise RuntimeError(
                "compile: expected values made in the step or outside of any, got one that another compiled step "
                "computed and did not return; return it from that step"
            )
        types = [(t.shape, t.dtype) for t in outputs]
        inputs = [storage for storage, _ in self.placeholders]
        super().__init__(linear, inputs, assigned_storages(self._writes), self._capture.scalars, types)
        # only stand-ins of the results are kept: nobody shall compute the recorded graph again
        stubs = {id(t): Tensor._from_node(graph.buffer(Storage(0), t.shape, t.dtype)) for t in outputs}
        self.result = _replace(result, stubs)
        self.outputs = [stubs[id(t)] for t in outputs]
        self._writes = []

    def holds(self) -> bool:
        """Whether the recording still describes what the function would do."""
        return self._capture.holds()


class CompiledStep:
    """A function whose calls are recorded once per input signature and then replayed."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        self._recorded: dict[Hashable, list[RecordedStep]] = {}
        self.timed = False  # whether the device is asked for the GPU time of each run
        update_wrapper(self, fn)

    def record(self, *args: Any, **kwargs: Any) -> RecordedStep:
        """The recording that serves these arguments; made if there is none yet."""
        known = self._recorded.setdefault(_signature((args, kwargs)), [])
        for recorded in known:
            if recorded.holds():
                return recorded
        start = time.perf_counter()
        known.append(RecordedStep(self._fn, args, kwargs))
        if runtime.profiler is not None:
            runtime.profiler.span("record", start)
        return known[-1]

    @property
    def recordings(self) -> list[RecordedStep]:
        """All recordings made so far, oldest first."""
        return [recorded for known in self._recorded.values() for recorded in known]

    async def ready(self, *args: Any, on_progress: Progress | None = None, **kwargs: Any) -> RecordedStep:
        """Record and compile for these arguments in the background, without running."""
        recorded = self.record(*args, **kwargs)
        if recorded.cached is None:
            await recorded.ready(on_progress)
        if runtime.tuning().mode == "before":
            await recorded.tune()
        return recorded

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the step; returns what the function returns, with results that are computed on the device."""
        profiler = runtime.profiler
        start = 0.0 if profiler is None else time.perf_counter()
        recorded = self.record(*args, **kwargs)
        results = recorded.run(_tensors((args, kwargs)), timed=self.timed)
        if profiler is not None:
            profiler.span("replay", start)
        return _replace(recorded.result, dict(zip(map(id, recorded.outputs), results, strict=True)))


def compile(fn: Callable[..., Any]) -> CompiledStep:
    """Record ``fn`` (a training or evaluation step) at its first call and replay it afterwards.

    Tensor arguments are inputs; other arguments are constants, and another value records anew. Everything that
    the step overwrites (parameters, optimizer state, running statistics) is overwritten by each replay.
    The step may not look at values (``item()``, ``if loss > 1``): return them instead.

    Raises, when it is called:
        TabgradError: an argument is neither a tensor nor hashable (a NumPy array), so changes would go unseen.
        RuntimeError: the step looks at a value, or neither returns nor overwrites a tensor.
        NotImplementedError: it returns an input, or a tensor made outside, as it is.
    """
    return CompiledStep(fn)


# Arguments and results are nested tuples, lists and dicts of tensors and other values.


def _tensors(tree: Any) -> list[Tensor]:
    if isinstance(tree, Tensor):
        return [tree]
    if isinstance(tree, tuple | list):
        return [t for part in tree for t in _tensors(part)]
    if isinstance(tree, dict):
        return [t for part in tree.values() for t in _tensors(part)]
    return []


def _replace(tree: Any, by_id: dict[int, Tensor]) -> Any:
    if isinstance(tree, Tensor):
        return by_id[id(tree)]
    if isinstance(tree, tuple | list):
        return type(tree)(_replace(part, by_id) for part in tree)
    if isinstance(tree, dict):
        return {name: _replace(part, by_id) for name, part in tree.items()}
    return tree


def _distinct(tree: Any) -> Any:
    """The tree with a tensor of its own in every place: two arguments that are one tensor now may be two later."""
    if isinstance(tree, Tensor):
        own = Tensor._from_node(tree._node)
        own.requires_grad = tree.requires_grad
        return own
    if isinstance(tree, tuple | list):
        return type(tree)(_distinct(part) for part in tree)
    if isinstance(tree, dict):
        return {name: _distinct(part) for name, part in tree.items()}
    return tree


def _signature(tree: Any) -> Hashable:
    if isinstance(tree, Tensor):
        return ("tensor", tree.shape, tree.dtype.name, tree.requires_grad)
    if isinstance(tree, tuple | list):
        return (type(tree).__name__, tuple(_signature(part) for part in tree))
    if isinstance(tree, dict):
        return ("dict", tuple((name, _signature(part)) for name, part in tree.items()))
    if not isinstance(tree, Hashable):
        kind = type(tree).__name__
        raise TabgradError(
            f"compile: expected tensors and hashable constants, got {kind}; pass data as tabgrad.tensor(...)"
        )
    return (type(tree), tree)  # with the type, as 1 == True == 1.0


__all__ = ["CompiledStep", "RecordedStep", "compile", "guarded"]
