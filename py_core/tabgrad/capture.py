"""``tabgrad.compile``: record a step once, then replay it without tracing.

Recording runs the function on placeholders and keeps the graph of everything that it computes and
overwrites. A replay asks the step's scalars (learning rate, step count, random draws) anew, uploads the
inputs, and submits one program.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Hashable
from functools import update_wrapper
from typing import Any

import numpy as np

from tabgrad import runtime
from tabgrad.compiler.compile import Compiled
from tabgrad.devices.base import BoundProgram, Buffer, Progress
from tabgrad.dtypes import ITEM_BYTES
from tabgrad.errors import TabgradError
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import Linear, assigned_storages, linearize, topological
from tabgrad.graph.node import BUFFER, Node
from tabgrad.graph.op import Kind
from tabgrad.graph.storage import Storage
from tabgrad.tensor import Tensor, lazy_tensors

SETS_AT_START = 2  # sets of output buffers made with the first run: the last result lives while the next is made


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


class _OutputSet:
    """Buffers for the results of one run, free again when the results are gone."""

    def __init__(self, storages: list[Storage]) -> None:
        self.storages = storages
        self.results: list[weakref.ref[Node]] = []
        self.bound: dict[tuple[int, ...], BoundProgram] = {}  # by the inputs' buffers

    @property
    def free(self) -> bool:
        return all(ref() is None for ref in self.results)


class RecordedStep:
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
        self.linear: Linear = linearize(roots)
        own = {id(s) for s, _ in self.placeholders}
        if any(s.placeholder and id(s) not in own for s in self.linear.storages):
            raise RuntimeError(
                "compile: expected values made in the step or outside of any, got one that another compiled step "
                "computed and did not return; return it from that step"
            )
        self._used = {id(s) for s in self.linear.storages}
        self._written = assigned_storages(self._writes)
        self._scalar_nodes = list(self.linear.scalars)
        used = {id(n) for n in self._scalar_nodes}
        self._providers = [(n, id(n) in used) for n in self._capture.scalars]
        slots = {id(s): n for n, s in enumerate(self.linear.storages)}
        self._input_slots = [slots.get(id(s)) for s, _ in self.placeholders]
        self._types = [(n.shape, n.dtype) for n in (t._node for t in outputs)]
        # only stand-ins of the results are kept: nobody shall compute the recorded graph again
        stubs = {id(t): Tensor._from_node(graph.buffer(Storage(0), t.shape, t.dtype)) for t in outputs}
        self.result = _replace(result, stubs)
        self.outputs = [stubs[id(t)] for t in outputs]
        self._writes = []
        self._uploads: dict[int, Storage] = {}  # input position -> memory that host data is written to
        self._sets: list[_OutputSet] = []
        self.cached: runtime.CachedProgram | None = None

    @property
    def compiled(self) -> Compiled:
        """The program; it exists after :meth:`ready` or the first run."""
        assert self.cached is not None
        return self.cached.compiled

    def holds(self) -> bool:
        """Whether the recording still describes what the function would do."""
        return self._capture.holds()

    def num_kernels(self) -> int:
        """Compile to WGSL, without the driver's part; returns how many shaders there are."""
        return len(runtime.compiled(self.linear).compiled.program.shaders)

    async def ready(self, on_progress: Progress | None = None) -> None:
        """Compile in the background."""
        self.cached = await runtime.prepare_async(self.linear, on_progress)

    async def tune(self) -> None:
        """Measure the program's kernels now, within the budget; nothing runs meanwhile."""
        assert self.cached is not None
        self.cached.tune(runtime.device())
        await runtime.tuner().finish()

    def run(self, inputs: list[Tensor], *, timed: bool = False) -> list[Tensor]:
        """Replay once; returns the results as soon as the work is queued. ``timed`` asks for the GPU time."""
        device = runtime.device()
        if self.cached is None:
            self.cached = runtime.prepare(self.linear)
        writes: list[tuple[Buffer, np.ndarray]] = []
        chosen: dict[int, Storage] = {}
        for position, (tensor, slot) in enumerate(zip(inputs, self._input_slots, strict=True)):
            if slot is None:
                continue
            chosen[slot] = self._input(position, tensor, writes)
        for node, _ in self._providers:
            assert node.provider is not None
            node.value = node.provider()
        scalars = runtime.pack_scalars([(n.value, n.dtype) for n in self._scalar_nodes])
        runtime.settle_before(self._used, self._written)
        outputs, bound = self._output_set(chosen)
        profiler = runtime.profiler
        if profiler is None:
            device.run(bound, scalars, writes, timed=timed)
        else:
            profiler.run(bound, scalars, writes, timed=timed, name=self.linear.name)
        return self._results(outputs)

    def _input(self, position: int, tensor: Tensor, writes: list[tuple[Buffer, np.ndarray]]) -> Storage:
        device = runtime.device()
        node = tensor._node
        if node.op is not BUFFER:
            tensor.realize()
            node = tensor._node
        storage = node.storage
        assert storage is not None
        if id(storage) in self._written:
            raise NotImplementedError(
                "compile: expected inputs that the step does not overwrite, got one that it does; "
                "pass input.clone(), or use it in the step without passing it"
            )
        if storage.host is None and node.offset == 0:
            return storage
        if position not in self._uploads:
            self._uploads[position] = Storage(max(node.size, 1) * ITEM_BYTES)
        upload = self._uploads[position]
        if storage.host is None:
            raise NotImplementedError(
                "compile: expected inputs that are tensors of their own, got a view into another tensor's memory; "
                "pass input.clone()"
            )
        host = storage.host.reshape(-1)[node.offset : node.offset + node.size]
        if host.size:
            writes.append((upload.on(device), np.ascontiguousarray(host)))
        return upload

    def _output_set(self, chosen: dict[int, Storage]) -> tuple[_OutputSet, BoundProgram]:
        """A set of output buffers none of whose results is still in use, and the program bound to it and the inputs."""
        device = runtime.device()
        assert self.cached is not None
        cached, inputs = self.cached, [s.on(device).id for s in chosen.values()]

        def bind(outputs: _OutputSet) -> BoundProgram:
            # all other storages keep their buffers, so inputs and outputs tell
            bound = outputs.bound.get(key := tuple(inputs))
            if bound is None:
                buffers = [chosen.get(n, s).on(device) for n, s in enumerate(self.linear.storages)]
                bound = cached.bind(device, [*buffers, *(s.on(device) for s in outputs.storages)])
                if len(outputs.bound) >= runtime.MOST_BINDINGS:
                    outputs.bound.pop(next(iter(outputs.bound)))
                outputs.bound[key] = bound
            else:
                cached.count_use(device)
            return bound

        free = next((s for s in self._sets if s.free), None)
        if free is not None:
            return free, bind(free)
        made = [
            _OutputSet([Storage(n) for n in self.compiled.output_bytes])
            for _ in range(1 if self._sets else SETS_AT_START)
        ]
        self._sets += made
        bound = [bind(s) for s in made]
        return made[0], bound[0]

    def _results(self, outputs: _OutputSet) -> list[Tensor]:
        results, outputs.results = [], []
        for place, (shape, dtype) in zip(self.compiled.outputs, self._types, strict=True):
            storage = outputs.storages[place.external - self.compiled.num_storages]
            node = graph.buffer(storage, shape, dtype, place.offset)
            outputs.results.append(weakref.ref(node))
            results.append(Tensor._from_node(node))
        return results


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
