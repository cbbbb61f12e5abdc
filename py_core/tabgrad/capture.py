"""``tabgrad.compile``: record a step once, then replay it without tracing.

Recording runs the function on placeholders and keeps the graph of everything that it computes and
overwrites. A replay asks the step's scalars (learning rate, step count, random draws) anew, uploads the
inputs, and submits one program.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from functools import update_wrapper
from typing import Any

import numpy as np

from tabgrad import runtime
from tabgrad.compiler.compile import Compiled
from tabgrad.devices.base import BoundProgram, Buffer, Progress
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import Linear, linearize, topological
from tabgrad.graph.node import BUFFER, Node
from tabgrad.graph.op import Kind
from tabgrad.graph.storage import Storage
from tabgrad.tensor import Tensor

SETS_AT_START = 2  # sets of output buffers made with the first run: the last result lives while the next is made


class Capture:
    """What is noted while a step is recorded."""

    def __init__(self, inputs: list[Storage]) -> None:
        self.inputs = {id(s) for s in inputs}
        self.scalars: list[Node] = []
        self.assigned: list[Tensor] = []
        self.views: list[tuple[Tensor, Node]] = []  # tensors over memory that was assigned as a whole, and that memory
        self.guards: list[tuple[Callable[[], Any], Any]] = []
        self.consumed: list[Tensor] = []  # leaves whose .grad an optimizer has used
        self.abandoned: set[Node] = set()

    def guard(self, get: Callable[[], Any]) -> Any:
        """Read a Python value that the recorded graph depends on; a replay records anew when it has changed."""
        value = get()
        self.guards.append((get, value))
        return value

    def holds(self) -> bool:
        """Whether all guarded values are as they were."""
        return all(get() == value for get, value in self.guards)

    def refuse_inputs(self, roots: list[Node]) -> None:
        """Raise if a value is needed that will exist only when the step runs."""
        for node in topological(roots):
            if node.op is BUFFER and id(node.storage) in self.inputs:
                raise RuntimeError(
                    "compile: expected a step that does not look at values while it is recorded, got item(), numpy() "
                    "or a condition on a tensor that depends on the step's inputs; return the tensor instead"
                )


def guarded(get: Callable[[], Any]) -> Any:
    """The value of ``get()``; a step that is being recorded is recorded again when it changes."""
    return get() if runtime.capture is None else runtime.capture.guard(get)


class _OutputSet:
    """Buffers for the results of one run, free again when the results are gone."""

    def __init__(self, storages: list[Storage], bound: BoundProgram) -> None:
        self.storages = storages
        self.bound = bound
        self.results: list[weakref.ref[Node]] = []

    @property
    def free(self) -> bool:
        return all(ref() is None for ref in self.results)


class RecordedStep:
    """One recording: for inputs of certain shapes and dtypes, and Python values as they were."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.placeholders: list[tuple[Storage, Node]] = []
        assert runtime.capture is None, "a compiled step may not record another"
        tensors = _tensors((args, kwargs))
        stand_ins = {id(t): self._placeholder(t) for t in tensors}
        self._capture = runtime.capture = Capture([s for s, _ in self.placeholders])
        try:
            result = fn(*_replace(args, stand_ins), **_replace(kwargs, stand_ins))
        finally:
            runtime.capture = None
            self._release()
        self.result = result
        self._link(result)

    def _placeholder(self, tensor: Tensor) -> Tensor:
        storage = Storage(max(tensor.numel(), 1) * 4)
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
        self.outputs = _tensors(result)
        passed = {id(n) for _, n in self.placeholders}
        for t in self.outputs:
            if t._node.op is BUFFER:
                what = "an input" if id(t._node) in passed else "a tensor made outside the step"
                raise NotImplementedError(f"compile: expected results computed in the step, got {what} returned as it is")
        roots = [*(t._node for t in self.outputs), *self._writes]
        if not roots:
            raise RuntimeError("compile: expected a step that returns or overwrites tensors, got one that does neither")
        self.linear: Linear = linearize(roots)
        self._scalar_nodes = list(self.linear.scalars)
        used = {id(n) for n in self._scalar_nodes}
        self._providers = [(n, id(n) in used) for n in self._capture.scalars]
        slots = {id(s): n for n, s in enumerate(self.linear.storages)}
        self._input_slots = [slots.get(id(s)) for s, _ in self.placeholders]
        self._shapes = [(n.shape, n.dtype) for n in (t._node for t in self.outputs)]
        self._uploads: dict[int, Storage] = {}  # input position -> memory that host data is written to
        self._sets: dict[tuple[int, ...], list[_OutputSet]] = {}
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

    def run(self, inputs: list[Tensor]) -> list[Tensor]:
        """Replay once; returns the results as soon as the work is queued."""
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
        outputs = self._output_set(chosen)
        device.run(outputs.bound, scalars, writes)
        return self._results(outputs)

    def _input(self, position: int, tensor: Tensor, writes: list[tuple[Buffer, np.ndarray]]) -> Storage:
        device = runtime.device()
        node = tensor._node
        if node.op is not BUFFER:
            tensor.realize()
            node = tensor._node
        storage = node.storage
        assert storage is not None
        if storage.host is None and node.offset == 0:
            return storage
        if position not in self._uploads:
            self._uploads[position] = Storage(max(node.size, 1) * 4)
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

    def _output_set(self, chosen: dict[int, Storage]) -> _OutputSet:
        """A bound set of output buffers for these inputs, none of whose results is still in use."""
        device = runtime.device()
        storages = [chosen.get(n, s) for n, s in enumerate(self.linear.storages)]
        buffers = [s.on(device) for s in storages]
        key = tuple(b.id for b in buffers)
        sets = self._sets.setdefault(key, [])
        for candidate in sets:
            if candidate.free:
                return candidate
        for _ in range(1 if sets else SETS_AT_START):
            outputs = [Storage(n) for n in self.compiled.output_bytes]
            assert self.cached is not None and self.cached.executable is not None
            bound = device.bind(self.cached.executable, [*buffers, *(s.on(device) for s in outputs)])
            sets.append(_OutputSet(outputs, bound))
        return sets[-1]

    def _results(self, outputs: _OutputSet) -> list[Tensor]:
        results, outputs.results = [], []
        for place, (shape, dtype) in zip(self.compiled.outputs, self._shapes, strict=True):
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
        update_wrapper(self, fn)

    def record(self, *args: Any, **kwargs: Any) -> RecordedStep:
        """The recording that serves these arguments; made if there is none yet."""
        known = self._recorded.setdefault(_signature((args, kwargs)), [])
        for recorded in known:
            if recorded.holds():
                return recorded
        known.append(RecordedStep(self._fn, args, kwargs))
        return known[-1]

    async def ready(self, *args: Any, on_progress: Progress | None = None, **kwargs: Any) -> RecordedStep:
        """Record and compile for these arguments in the background, without running."""
        recorded = self.record(*args, **kwargs)
        if recorded.cached is None:
            await recorded.ready(on_progress)
        return recorded

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the step; returns what the function returns, with results that are computed on the device."""
        recorded = self.record(*args, **kwargs)
        results = recorded.run(_tensors((args, kwargs)))
        return _replace(recorded.result, dict(zip(map(id, recorded.outputs), results, strict=True)))


def compile(fn: Callable[..., Any]) -> CompiledStep:
    """Record ``fn`` (a training or evaluation step) at its first call and replay it afterwards.

    Tensor arguments are inputs; other arguments are constants, and another value records anew. Everything that
    the step overwrites (parameters, optimizer state, running statistics) is overwritten by each replay.
    The step may not look at values (``item()``, ``if loss > 1``): return them instead.
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


def _signature(tree: Any) -> Hashable:
    if isinstance(tree, Tensor):
        return ("tensor", tree.shape, tree.dtype.name, tree.requires_grad)
    if isinstance(tree, tuple | list):
        return (type(tree).__name__, tuple(_signature(part) for part in tree))
    if isinstance(tree, dict):
        return ("dict", tuple((name, _signature(part)) for name, part in tree.items()))
    return tree if isinstance(tree, Hashable) else id(tree)


__all__ = ["CompiledStep", "RecordedStep", "compile", "guarded"]
