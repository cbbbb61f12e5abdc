"""In-place writes: a tensor's memory is overwritten when it is next needed, or at the end of a compiled step."""

from __future__ import annotations

from tabgrad.dtypes import whole_words
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import target_storage, written_buffer
from tabgrad.graph.node import ASSIGN, BUFFER, Node
from tabgrad.graph.op import Kind
from tabgrad.runtime.evaluation import part, readers, realize_all
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of

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
    session = session_of((target, value)) or current()
    with session.lock:
        _assign(session, target, value, fresh)


def _assign(session: Session, target: Tensor, value: Tensor, fresh: bool) -> None:
    if target._is_view:
        raise NotImplementedError(
            f"in-place op: expected a tensor with memory of its own, got a view (reshape, slice, permute or expand) of "
            f"shape {list(target.shape)}; change the whole tensor, or a clone() of the view"
        )
    recording = session.capturing()
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
                tensor._node, tensor._session = value._node, value._session
                tensor._watch()
            return
        realize_all([target])  # from before the step, which is to change it at each replay: it needs memory
        node = target._node
    if recording is None and node.op is BUFFER and _assign_from_host(session, node, value._node):
        return
    assert node.op.kind is Kind.ASSIGN or node.storage is not None
    part(session, session.aliases.among([written_buffer(node)]))
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
        realize_all([target])


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
