"""In-place writes: a tensor's memory is overwritten when it is next needed, or at the end of a compiled step."""

from __future__ import annotations

from tabgrad.dtypes import whole_words
from tabgrad.grad_mode import no_grad
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import target_storage, written_buffer
from tabgrad.graph.node import ASSIGN, BUFFER, Node
from tabgrad.graph.op import Kind, View
from tabgrad.runtime.evaluation import part, readers, realize_all
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of

_HELD = (
    "copy_ of a parameter that an optimizer holds is not supported inside tabgrad.compile; "
    "do it outside the compiled step"
)


def assign(target: Tensor, value: Tensor, *, fresh: bool = True) -> None:
    """Overwrite what a tensor shows with ``value`` (same shape and dtype) when it is next needed.

    All tensors that show the same memory see it. Where its value has not been computed, they just stand for another one
    from now on; for a copy of it, if it is not ``fresh`` but a tensor that may change.

    Raises:
        RuntimeError: several elements of the tensor are one in memory.
        NotImplementedError: an optimizer holds the memory, and a step is being recorded.
    """
    session = session_of((target, value)) or current()
    with session.lock:
        _assign(session, target, value, fresh)


def _assign(session: Session, target: Tensor, value: Tensor, fresh: bool) -> None:
    _check(target)
    recording = session.capturing()
    # a step writes the memory itself, also where nobody else shows it
    if target._path and (recording is not None or not target._claim()):
        with no_grad():
            value, fresh = _put(target, value), True
    memory = target._memory
    members = [target] if memory is None else memory.members()
    if recording is not None and any(recording.has_written(t) for t in members):
        raise NotImplementedError(_HELD)
    for tensor in members:
        tensor._version += 1
    node = target._node if memory is None else memory.node
    if node.op is not BUFFER and node.op.kind is not Kind.ASSIGN:
        if recording is None or id(node) not in recording.earlier:
            target._become((value if fresh else value.clone())._node, session_of((value,)))
            return
        realize_all([Tensor._from_node(node, session)])  # from before the step, which changes it at each replay
    if recording is None and node.op is BUFFER and _assign_from_host(session, node, value._node):
        if memory is not None:
            memory.set(node)  # views that were read are read anew
        return
    assert node.op.kind is Kind.ASSIGN or node.storage is not None
    part(session, session.aliases.among([written_buffer(node)]))
    shared = target_storage(node).shared
    if recording is not None:
        if shared:
            raise NotImplementedError(_HELD)
        recording.assigned.append(target._own())
    target._become(graph.make(ASSIGN, node, value._node), session)
    if shared:
        realize_all([Tensor._from_node(target._node if memory is None else memory.node, session)])


def _check(target: Tensor) -> None:
    for op, _ in target._path:
        if isinstance(op.lowering, View) and op.lowering.put is None:
            raise RuntimeError(
                f"in-place op: expected a tensor each of whose elements has memory of its own, got one of shape "
                f"{list(target.shape)} that expand() repeats; change a clone() of it"
            )


def _put(target: Tensor, value: Tensor) -> Tensor:
    """The memory's whole value, with another one where ``target`` shows it."""
    assert target._memory is not None
    wholes = [Tensor._from_node(target._memory.node, target._session)]
    for op, attrs in target._path[:-1]:
        wholes.append(Tensor._from_node(graph.make(op, wholes[-1]._node, **attrs), target._session))
    for whole, (op, attrs) in zip(reversed(wholes), reversed(target._path), strict=True):
        view = op.lowering
        assert isinstance(view, View)
        assert view.put is not None
        value = view.put(attrs, whole, value)
    return value


def _assign_from_host(session: Session, node: Node, value: Node) -> bool:
    """Write values that lie on the host straight into memory that lies there too, or on the device."""
    storage = node.storage
    assert storage is not None
    source = value.storage
    if value.op is not BUFFER or source is None or source.host is None:
        return False
    host = source.host.reshape(-1)[value.offset : value.offset + value.size]  # a run below may upload and drop it
    realize_all(readers(session, {id(storage)}))
    part(session, session.aliases.over({id(storage)}))
    storage = node.storage  # another one, if it was parted
    assert storage is not None
    if storage.host is not None:
        flat = storage.host.reshape(-1)
        flat[node.offset : node.offset + node.size] = host
    else:
        device = session.device
        device.write(storage.on(device), whole_words(host), node.offset_bytes)
    return True
