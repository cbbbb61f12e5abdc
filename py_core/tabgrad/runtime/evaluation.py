"""From lazy tensors to running programs: compile what is wanted, run it, and make nodes of the graph its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tabgrad.compiler.compile import Compiled, Output
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import Linear, assigned_storages, linearize, target_storage, topological, written_buffer
from tabgrad.graph.node import BUFFER, SCALAR, Node
from tabgrad.graph.op import Kind
from tabgrad.graph.storage import Storage
from tabgrad.graph.walk import in_order
from tabgrad.memory import shown
from tabgrad.names import public
from tabgrad.ops.arithmetic import COPY
from tabgrad.ops.movement import RESHAPE
from tabgrad.runtime.observers import Launch
from tabgrad.runtime.program_cache import CachedProgram, ProgramCache
from tabgrad.runtime.traced_launch import traced_launch
from tabgrad.scalars import pack_scalars
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of
from tabgrad.tracing.segment import has
from tabgrad.tracing.tracer import Tracer


@public(top=False, method=True)
def realize(input: Tensor) -> Tensor:
    """Compute the value on the device now, and return the tensor as soon as the work is queued.

    Raises:
        RuntimeError: the value depends on the inputs of a compiled step, which exist only while it runs.
    """
    realize_all([input], suspending=True)
    return input


def realize_all(tensors: Sequence[Tensor], *, suspending: bool = False) -> Session:
    """Compute tensors on their session's device, and whatever a write among them would otherwise spoil.

    Returns as soon as the work is queued; the session is theirs, or the current one.

    Args:
        suspending: other tasks may run while kernels are compiled side by side, on platforms that can suspend Python.

    Raises:
        RuntimeError: as :func:`realize`.
        DeviceError: the tensors belong to different sessions.
    """
    session = session_of(tensors) or current()
    with session.lock:
        while roots := _lazy_roots(session, tensors):  # a write may give a view that was computed another value
            unloaded = _realize(session, roots, suspending=suspending and _may_suspend(session))
            if unloaded is not None:
                with session.own(Tracer).aside():
                    unloaded.load(suspending=True)  # other tasks may change what is wanted: then all begins anew
    for tensor in tensors:
        tensor._session = session  # numbers that lay nowhere lie there now
        # what lacks a path was computed in a round that goes on; asking for it has all calls of the round executed
        if has(tensor, "_path") and tensor._path and tensor._memory is not None:
            for view in tensor._memory.members():
                session.note_view(view)
    return session


def _may_suspend(session: Session) -> bool:
    return session.capture is None and not session.own(Tracer).is_aside and session.device.suspends()


def _lazy_roots(session: Session, tensors: Sequence[Tensor]) -> list[Node]:
    roots = dict.fromkeys(t._node for t in tensors if t._node.op is not BUFFER)
    return [n for n in roots if not _alias(session, n)]


def _realize(
    session: Session, roots: list[Node], *, alone: bool = False, noted: bool = True, suspending: bool = False
) -> CachedProgram | None:
    """Run a program that computes these; if ``suspending``, one that is still to be loaded is returned instead."""
    session.capturing()
    roots = _with_endangered(session, roots, alone=alone)
    linear = linearize(roots)
    refuse_placeholders(session, linear)
    cached = session.own(ProgramCache).of(linear, awaited=suspending)
    if suspending and cached.executable is None:
        return cached
    cached.load()
    if noted:
        session.own(Tracer).launches(
            lambda segment, own: traced_launch(segment, own, session, cached, linear, roots, settle_before)
        )
    storages = output_storages(cached.compiled)
    run_program(session, cached, linear, storages)
    settle_outputs(session, roots, cached.compiled, linear.storages, storages)
    return None


def _alias(session: Session, node: Node) -> bool:
    """Turn a reshape of a buffer into a buffer over the same memory."""
    if node.op is not RESHAPE:
        return False
    source = node.args[0]
    if source.op is not BUFFER and not _alias(session, source):
        return False
    node.become_buffer(source.storage, source.offset, source)
    session.aliases.note(node)
    return True


def refuse_placeholders(session: Session, linear: Linear) -> None:
    """Raise if a value is needed that exists only while a compiled step runs."""
    if any(s.placeholder for s in linear.storages) or any(n.is_stand_in for n in linear.scalars):
        raise RuntimeError(looked_at(session))


def looked_at(session: Session) -> str:
    """What is wrong with looking at such a value."""
    if session.capturing() is not None:
        return (
            "compile: expected a step that does not look at values while it is recorded, got item(), numpy() "
            "or a condition on a tensor that depends on the step's inputs; return the tensor instead"
        )
    return (
        "compile: expected a tensor that the compiled step returned, got one that it computed and did not return "
        "(perhaps a .grad that it left behind); return it from the step"
    )


def _with_endangered(session: Session, roots: list[Node], *, alone: bool) -> list[Node]:
    """``roots`` and all lazy values that read memory which computing ``roots`` overwrites.

    Unless they are computed ``alone``, also what else waits; see :func:`_waiting`.
    """
    while True:
        below = topological(roots)
        # a write is done once: later readers find its value in memory
        roots = list(dict.fromkeys([*roots, *(n for n in below if n.op.kind is Kind.ASSIGN)]))
        written = assigned_storages(below)
        refresh(session, written)
        known = {id(n) for n in roots}
        added = [t._node for t in readers(session, written)]
        waiting = not alone and session.own(Tracer).settles_all()
        of_round = session.own(Tracer).nodes_of_round()
        if of_round is not None and (earlier := [n for n in added if _is_value_of_before(n, of_round)]):
            _realize(session, earlier, alone=True, noted=False)  # by itself, as when the round comes again
            added = [n for n in added if n.op is not BUFFER]
        if waiting:
            found = _waiting(session, also_values=bool(written))
            added += [n for n in found if of_round is None or not _is_value_of_before(n, of_round)]
        added = list(dict.fromkeys(n for n in added if id(n) not in known))
        if not added:
            part(session, session.aliases.over(written))
            return roots
        roots = [*roots, *added]


def _is_value_of_before(node: Node, of_round: set[int]) -> bool:
    """Whether an earlier round of a loop has left it behind, and computing it writes nothing."""
    return id(node) not in of_round and not any(n.op.kind is Kind.ASSIGN for n in topological([node]))


def _waiting(session: Session, *, also_values: bool) -> list[Node]:
    """Writes that wait, and perhaps all values that do: counters and sums would otherwise grow from step to step."""
    found: list[Node] = []
    varies: dict[int, bool] = {}
    lost: dict[int, bool] = {}
    for lazy in session.lazy_tensors():
        is_write = lazy._node.op.kind is Kind.ASSIGN
        if not is_write and (not also_values or (lazy._path and shows_memory(lazy))):
            continue
        node = whole(lazy)._node
        if (
            node.op is not BUFFER
            and _any_below(node, lambda n: n.storage is not None or n.op is SCALAR, varies)
            and not _any_below(node, lambda n: n.is_stand_in, lost)
        ):
            found.append(node)
    return found


def _any_below(root: Node, holds: Callable[[Node], bool], known: dict[int, bool]) -> bool:
    """Whether something holds for a node, or for one that it is computed of; ``known`` keeps it of each, by ``id``."""
    for n in in_order([root], lambda n: tuple([a for a in n.args if id(a) not in known])):
        if id(n) not in known:
            known[id(n)] = holds(n) or any(known[id(a)] for a in n.args)
    return known[id(root)]


def readers(session: Session, written: set[int]) -> list[Tensor]:
    """Lazy tensors that read one of these storages, given by ``id``; those that no run can compute left out."""
    found: list[Tensor] = []
    reads: dict[int, bool] = {}
    lost: dict[int, bool] = {}
    for lazy in session.lazy_tensors() if written else ():
        tensor = whole(lazy)  # of which views show parts
        if tensor._node.op is BUFFER:
            continue  # a view of memory shows what is written there
        if _any_below(tensor._node, lambda n: id(n.storage) in written, reads) and not _any_below(
            tensor._node, lambda n: n.is_stand_in, lost
        ):
            found.append(tensor)
    return found


def whole(tensor: Tensor) -> Tensor:
    """What a view shows a part of; a tensor that is no view itself."""
    if not tensor._path or tensor._memory is None:
        return tensor
    node = tensor._memory.node
    if node.op is not BUFFER and node.op.kind is not Kind.ASSIGN and (tensor._session or current()).capture is None:
        tensor._claim()  # nobody has that memory yet: it need not come to be
    return tensor if tensor._memory is None else Tensor._from_node(node, tensor._session)


def shows_memory(tensor: Tensor) -> bool:
    """Whether it is a view of what lies in memory, or is about to be written there."""
    if not tensor._path or tensor._memory is None:
        return False
    node = tensor._memory.node
    return node.op is BUFFER or node.op.kind is Kind.ASSIGN


def is_lost(tensor: Tensor) -> bool:
    """Whether no run can compute it: it was made of the inputs of a step whose recording has ended."""
    return any(n.is_stand_in for n in topological([tensor._node]))


def waits_for_a_write(tensor: Tensor) -> bool:
    """Whether computing it writes memory."""
    return any(n.op.kind is Kind.ASSIGN for n in topological([tensor._node])) and not is_lost(tensor)


def _reads_memory(tensor: Tensor) -> bool:
    """Whether a view's node reads what it is a view of, and not a value that a view in between was computed to."""
    node = tensor._node
    for _ in tensor._path:
        if not node.args:
            return False
        node = node.args[0]
    return tensor._memory is not None and node is tensor._memory.node


def refresh(session: Session, written: set[int] | None = None) -> None:
    """Views of storages that are overwritten, given by ``id``, and whose values have been computed, are read again.

    Without storages: all views.
    """
    for key, ref in list(session.views.items()) if written is None or written else ():
        tensor = ref()
        if tensor is None or tensor._memory is None or _reads_memory(tensor):
            session.views.pop(key, None)
        elif shows_memory(tensor) and (written is None or id(target_storage(tensor._memory.node)) in written):
            session.views.pop(key, None)
            tensor._node = shown(tensor._memory.node, tensor._path)
            tensor._watch()


def settle_before(session: Session, used: set[int], written: set[int]) -> None:
    """Before a program runs that was recorded earlier: do the writes that wait for storages which it uses, and
    compute the lazy tensors that read storages which it overwrites. Storages are given by ``id``.
    """
    refresh(session, written)
    if lazy := session.lazy_tensors():  # mostly there are none
        wholes = [whole(t) for t in lazy]
        waiting = [t for t in wholes if t._node.op.kind is Kind.ASSIGN and id(target_storage(t._node)) in used]
        realize_all([*waiting, *readers(session, written)])
    part(session, session.aliases.over(written))


def part(session: Session, nodes: Sequence[Node]) -> None:
    """Give buffers that share another one's memory a copy of their own."""
    for node in nodes:
        copy = Tensor._from_node(graph.make(COPY, node), session)
        _realize(session, [copy._node], alone=True)
        node.become_buffer(copy._node.storage, copy._node.offset)
        session.aliases.forget(node)


def output_storages(compiled: Compiled) -> list[Storage]:
    """Memory for a program's results."""
    return [Storage(n) for n in compiled.output_bytes]


def run_program(session: Session, cached: CachedProgram, linear: Linear, outputs: Sequence[Storage]) -> None:
    """Queue one run over a graph's storages."""
    device = session.device
    buffers = [s.on(device) for s in (*linear.storages, *outputs)]
    scalars = pack_scalars([(n.value, n.dtype) for n in linear.scalars])
    launch = Launch(cached.bind(buffers), scalars)
    if session.profiler is None:
        launch.on(device)
    else:
        session.profiler.run(launch)


def settle_outputs(
    session: Session,
    roots: Sequence[Node],
    compiled: Compiled,
    storages: Sequence[Storage],
    outputs: Sequence[Storage],
) -> None:
    """Make computed nodes buffers over the memory they were computed into."""
    places = iter(compiled.outputs)
    taken: set[Output] = set()
    for node in roots:
        if node.op.kind is Kind.ASSIGN:
            target = written_buffer(node)
            node.become_buffer(target.storage, target.offset, target)
            continue
        place = next(places)
        n = place.external - compiled.num_storages
        node.become_buffer(
            outputs[n] if n >= 0 else storages[place.external], place.offset_bytes // node.dtype.itemsize
        )
        if place in taken:
            session.aliases.note(node)
        taken.add(place)
