"""From lazy tensors to running programs: choose a device, compile what is wanted, run it, read values back."""

from __future__ import annotations

import asyncio
import threading
import time
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tabgrad import dtypes
from tabgrad.compiler.compile import Compiled, Output, compile_graph
from tabgrad.compiler.target import target_of
from tabgrad.compiler.tuner import Tuner, set_listener, tuner_of, tuning
from tabgrad.devices import DeviceKind, open_device
from tabgrad.devices.base import Buffer, Device, Progress
from tabgrad.dtypes import ITEM_BYTES
from tabgrad.errors import DeviceError
from tabgrad.graph import aliases
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import Linear, assigned_storages, linearize, target_storage, topological, written_buffer
from tabgrad.graph.node import ASSIGN, BUFFER, Node
from tabgrad.graph.op import Kind
from tabgrad.graph.storage import Storage
from tabgrad.observers import Launch, Observer, Profiler
from tabgrad.ops.elementwise import COPY
from tabgrad.ops.movement import RESHAPE
from tabgrad.programs import MOST_BINDINGS, MOST_PROGRAMS, CachedProgram, Programs, pack_scalars
from tabgrad.tensor import Tensor, lazy_tensors

if TYPE_CHECKING:
    from tabgrad.capture import Capture

_device: Device | None = None
_programs: weakref.WeakKeyDictionary[Device, Programs] = weakref.WeakKeyDictionary()
lock = threading.RLock()  # graphs, programs and memory are one thread's at a time
capture: Capture | None = None  # the step that is being recorded, if one is; see :func:`capturing`
profiler: Profiler | None = None  # what runs programs in the device's place, while a profile is taken
observer: Observer | None = None  # what is told of each graph before it is compiled, if anyone asked


# Devices


def device(kind: DeviceKind | None = None) -> Device:
    """The device in use; with a kind, choose it: ``auto``, ``web``, ``native`` or ``reference``.

    Choose before making tensors: data stays where it was first used.

    Raises:
        DeviceError: this machine cannot offer the device; says why and what to do.
    """
    global _device
    if kind is not None or _device is None:
        with lock:
            if kind is not None or _device is None:
                _device = open_device(kind or "auto")
    return _device


def tuner() -> Tuner:
    """The tuner of the device in use."""
    return tuner_of(device())


def check_device(tensor: Tensor, target: Any) -> Tensor:
    """``tensor`` itself, if ``target`` names the device in use.

    Raises:
        DeviceError: it names another one; there is one device per process.
    """
    name = getattr(target, "name", target)
    if name not in (device().name, "auto"):
        raise DeviceError(
            f"to: expected the device in use, '{device().name}', got {name!r}; "
            f"all tensors share one device: choose it first with tabgrad.device(...)"
        )
    return tensor


# Running


def capturing() -> Capture | None:
    """The step that is being recorded, if the caller is part of it; another thread waits until it has been.

    Raises:
        RuntimeError: another task records a step, and was suspended while it did.
    """
    if capture is None:
        return None
    with lock:
        if capture is None or capture.owner == whose():
            return capture
    raise RuntimeError(
        f"compile: expected a recording to end before other tasks compute, got an operation of another task while "
        f"{capture.name!r} was being recorded; a compiled step may not wait (await, run_sync, item()) while it is "
        f"recorded: call `await step.ready(...)` before other tasks start, and leave waiting out of the step"
    )


def whose() -> tuple[int, Any]:
    """The thread and the asyncio task that ask."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no event loop
        task = None
    return threading.get_ident(), task


def announce_scalar(node: Node) -> None:
    """Note a number that changes from step to step: asked now, or at each replay of the step being recorded.

    Raises:
        DTypeError: it does not fit its dtype; nothing that depends on it has been recorded yet.
    """
    recording = capturing()
    if recording is not None:
        recording.scalars.append(node)
    else:
        assert node.provider is not None
        node.value = node.provider()
        pack_scalars([(node.value, node.dtype)])


def compiled(linear: Linear) -> CachedProgram:
    """The program for a graph on the device in use; compiled at the first request, not yet loaded."""
    with lock:
        return _compiled(linear)


def _compiled(linear: Linear) -> CachedProgram:
    cache = _programs.get(device())
    if cache is None:
        cache = _programs[device()] = Programs()
    found = cache.pop(linear.key, None)
    if found is None:
        if observer is not None:
            observer.graph(linear)
        start = time.perf_counter()
        target = target_of(device().info, device().limits)
        with tuner().turns.held():
            found = CachedProgram(compile_graph(linear, target, tuner().choice, cache.works))
        if profiler is not None:
            profiler.span("compile", start)
    cache[linear.key] = found  # last: the one used longest ago is dropped first
    if len(cache) > MOST_PROGRAMS:
        del cache[next(iter(cache))]
    return found


def forget(linear: Linear) -> None:
    """A graph will not run again soon: let its program go, unless somebody else holds it."""
    with lock:
        _programs.get(device(), Programs()).pop(linear.key, None)


def prepare(linear: Linear, *, suspending: bool = False) -> CachedProgram:
    """The program for a graph, loaded at once; ``suspending``: other tasks may run meanwhile."""
    found = compiled(linear)
    if found.executable is None:
        load = device().load_suspending if suspending else device().load
        with tuner().turns.held():
            found.loaded(load(found.compiled.program))
    return found


async def prepare_async(linear: Linear, on_progress: Progress | None = None) -> CachedProgram:
    """As :func:`prepare`, with shaders compiled in the background and progress reported."""
    found = compiled(linear)
    if found.executable is None:
        with tuner().turns.held():
            found.loaded(await device().load_async(found.compiled.program, on_progress))
    return found


def realize(tensors: Sequence[Tensor]) -> None:
    """Compute tensors on the device, and whatever a write among them would otherwise spoil.

    Returns as soon as the work is queued.

    Raises:
        RuntimeError: the value depends on the inputs of a compiled step, which exist only while it runs.
    """
    with lock:
        roots = list(dict.fromkeys(t._node for t in tensors if t._node.op is not BUFFER))
        roots = [n for n in roots if not _alias(n)]
        if roots:
            _realize(roots)


def _realize(roots: list[Node]) -> None:
    capturing()
    roots = _with_endangered(roots)
    linear = linearize(roots)
    refuse_placeholders(linear)
    cached = prepare(linear)
    storages = _outputs(cached.compiled)
    run_program(cached, linear, storages)
    settle_outputs(roots, cached.compiled, linear.storages, storages)


def _alias(node: Node) -> bool:
    """Turn a reshape of a buffer into a buffer over the same memory."""
    if node.op is not RESHAPE:
        return False
    source = node.args[0]
    if source.op is not BUFFER and not _alias(source):
        return False
    _become_buffer(node, source.storage, source.offset, source)
    aliases.note(node)
    return True


def _become_buffer(node: Node, storage: Storage | None, offset: int, owner: Node | None = None) -> None:
    # In place, so that every graph that holds the node reads the value instead of computing it again.
    node.op, node.args, node.attrs = BUFFER, (), {}
    node.storage, node.offset = storage, offset
    node.owner = None if owner is None else owner.owner or owner


def refuse_placeholders(linear: Linear) -> None:
    """Raise if a value is needed that exists only while a compiled step runs."""
    if any(s.placeholder for s in linear.storages):
        raise RuntimeError(_looked())


def _looked() -> str:
    if capturing() is not None:
        return (
            "compile: expected a step that does not look at values while it is recorded, got item(), numpy() "
            "or a condition on a tensor that depends on the step's inputs; return the tensor instead"
        )
    return (
        "compile: expected a tensor that the compiled step returned, got one that it computed and did not return "
        "(perhaps a .grad that it left behind); return it from the step"
    )


def _with_endangered(roots: list[Node]) -> list[Node]:
    """``roots`` and all lazy values that read memory which computing ``roots`` overwrites."""
    while True:
        written = assigned_storages(topological(roots))
        known = {id(n) for n in roots}
        added = list(dict.fromkeys(t._node for t in _readers(written) if id(t._node) not in known))
        if not added:
            part(aliases.over(written))
            return roots
        roots = [*roots, *added]


def _readers(written: set[int]) -> list[Tensor]:
    """Lazy tensors that read one of these storages, given by ``id``; those that no run can compute left out."""
    found: list[Tensor] = []
    reads: dict[int, bool] = {}
    lost: dict[int, bool] = {}
    for tensor in lazy_tensors() if written else ():
        for n in topological([tensor._node]):
            if id(n) not in reads:
                memory = n.storage
                reads[id(n)] = id(memory) in written or any(reads[id(a)] for a in n.args)
                lost[id(n)] = (memory is not None and memory.placeholder) or any(lost[id(a)] for a in n.args)
        if reads[id(tensor._node)] and not lost[id(tensor._node)]:
            found.append(tensor)
    return found


def settle_before(used: set[int], written: set[int]) -> None:
    """Before a program runs that was recorded earlier: do the writes that wait for storages which it uses, and
    compute the lazy tensors that read storages which it overwrites. Storages are given by ``id``.
    """
    if lazy := lazy_tensors():  # mostly there are none
        waiting = [t for t in lazy if t._node.op.kind is Kind.ASSIGN and id(target_storage(t._node)) in used]
        realize([*waiting, *_readers(written)])
    part(aliases.over(written))


def part(nodes: Sequence[Node]) -> None:
    """Give buffers that share another one's memory a copy of their own."""
    for node in nodes:
        copy = Tensor._from_node(graph.make(COPY, node))
        realize([copy])
        _become_buffer(node, copy._node.storage, copy._node.offset)
        aliases.forget(node)


def _outputs(compiled: Compiled) -> list[Storage]:
    return [Storage(n) for n in compiled.output_bytes]


def run_program(cached: CachedProgram, linear: Linear, outputs: Sequence[Storage]) -> None:
    """Queue one run over a graph's storages."""
    dev = device()
    buffers = [s.on(dev) for s in (*linear.storages, *outputs)]
    scalars = pack_scalars([(n.value, n.dtype) for n in linear.scalars])
    launch = Launch(cached.bind(dev, buffers), scalars)
    if profiler is None:
        launch.on(dev)
    else:
        profiler.run(launch)


def settle_outputs(
    roots: Sequence[Node], compiled: Compiled, storages: Sequence[Storage], outputs: Sequence[Storage]
) -> None:
    """Make computed nodes buffers over the memory they were computed into."""
    places = iter(compiled.outputs)
    taken: set[Output] = set()
    for node in roots:
        if node.op.kind is Kind.ASSIGN:
            target = written_buffer(node)
            _become_buffer(node, target.storage, target.offset, target)
            continue
        place = next(places)
        n = place.external - compiled.num_storages
        _become_buffer(node, outputs[n] if n >= 0 else storages[place.external], place.offset)
        if place in taken:
            aliases.note(node)
        taken.add(place)


# In-place writes

_HELD = (
    "copy_ of a parameter that an optimizer holds is not supported inside tabgrad.compile; "
    "do it outside the compiled step"
)


def assign(target: Tensor, value: Tensor, *, fresh: bool = True) -> None:
    """Overwrite a tensor's memory with ``value`` (same shape and dtype) when it is next needed.

    A tensor that has no memory yet just stands for another value from now on; for a copy of it, if it is not ``fresh``
    but a tensor that may change.

    Raises:
        NotImplementedError: the tensor is a view of another one, which PyTorch would change too.
    """
    with lock:
        _assign(target, value, fresh)


def _assign(target: Tensor, value: Tensor, fresh: bool) -> None:
    if target._is_view:
        raise NotImplementedError(
            f"in-place op: expected a tensor with memory of its own, got a view (reshape, slice, permute or expand) of "
            f"shape {list(target.shape)}; change the whole tensor, or a clone() of the view"
        )
    recording = capturing()
    if recording is not None and recording.has_written(target):
        raise NotImplementedError(_HELD)
    sharers = target._over_same_memory()
    for tensor in sharers:
        tensor._version += 1
    node = target._node
    if node.op is not BUFFER and node.op.kind is not Kind.ASSIGN:
        if recording is None or id(node) not in recording.earlier:
            value = value if fresh else value.clone()
            for tensor in sharers:
                tensor._node = value._node
                tensor._watch()
            return
        realize([target])  # from before the step, which is to change it at each replay: it needs memory
        node = target._node
    if recording is None and node.op is BUFFER and _assign_from_host(node, value._node):
        return
    assert node.op.kind is Kind.ASSIGN or node.storage is not None
    part(aliases.among([written_buffer(node)]))
    shared = target_storage(node).shared
    if recording is not None:
        if shared:
            raise NotImplementedError(_HELD)
        recording.assigned += sharers
    written = graph.make(ASSIGN, node, value._node)
    for tensor in sharers:
        tensor._node = written
        tensor._watch()
    if shared:
        realize([target])


def _assign_from_host(node: Node, value: Node) -> bool:
    """Write values that lie on the host straight into memory that lies there too, or on the device."""
    storage = node.storage
    assert storage is not None
    source = value.storage
    if value.op is not BUFFER or source is None or source.host is None:
        return False
    host = source.host.reshape(-1)[value.offset : value.offset + value.size]  # a run below may upload and drop it
    realize(_readers({id(storage)}))
    part(aliases.over({id(storage)}))
    storage = node.storage  # another one, if it was parted
    assert storage is not None
    if storage.host is not None:
        flat = storage.host.reshape(-1)
        flat[node.offset : node.offset + node.size] = host
    else:
        device().write(storage.on(device()), np.ascontiguousarray(host), node.offset * ITEM_BYTES)
    return True


# Reading


def _request(tensor: Tensor) -> tuple[Buffer, int, int] | np.ndarray:
    """What to ask the device for; or the words themselves, if they lie on the host."""
    node = tensor._node
    storage = node.storage
    assert storage is not None
    if storage.placeholder:
        raise RuntimeError(_looked())
    if not node.size:
        return np.zeros(0, np.uint32)
    if storage.host is not None:
        return storage.host.reshape(-1)[node.offset : node.offset + node.size].copy()
    return storage.on(device()), node.offset * ITEM_BYTES, node.size * ITEM_BYTES


Requests = Sequence[tuple[Buffer, int, int] | np.ndarray]


def _asked(requests: Requests) -> list[tuple[Buffer, int, int]]:
    return [r for r in requests if not isinstance(r, np.ndarray)]


def _values(tensors: Sequence[Tensor], requests: Requests, raws: Sequence[np.ndarray]) -> list[np.ndarray]:
    found = iter(raws)
    words = [r.view(np.uint8) if isinstance(r, np.ndarray) else next(found) for r in requests]
    return [
        dtypes.from_storage(raw, t._node.dtype).reshape(t._node.shape) for raw, t in zip(words, tensors, strict=True)
    ]


async def read(*tensors: Tensor) -> list[np.ndarray]:
    """Values of tensors as NumPy arrays, all read in one transaction, without blocking the event loop."""
    with lock:
        realize(tensors)
        requests = [_request(t) for t in tensors]
    start = time.perf_counter()
    asked = _asked(requests)
    raws = await device().read(asked) if asked else []
    if profiler is not None:
        profiler.span("read", start)
    return _values(tensors, requests, raws)


def read_now(*tensors: Tensor) -> list[np.ndarray]:
    """As :func:`read`, suspending the caller until the values are there.

    Raises:
        DeviceError: this platform cannot suspend Python; use ``await tensor.read()``.
    """
    with lock:
        realize(tensors)
        requests = [_request(t) for t in tensors]
        start = time.perf_counter()
        asked = _asked(requests)
        raws = device().read_now(asked) if asked else []
    if profiler is not None:
        profiler.span("read", start)
    return _values(tensors, requests, raws)


__all__ = [
    "MOST_BINDINGS",
    "CachedProgram",
    "Launch",
    "Observer",
    "Profiler",
    "assign",
    "check_device",
    "device",
    "pack_scalars",
    "prepare",
    "read",
    "read_now",
    "realize",
    "set_listener",
    "tuner",
    "tuning",
]
