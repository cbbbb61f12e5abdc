"""In-place writes: a tensor's memory is overwritten when it is next needed, or at the end of a compiled step."""

from __future__ import annotations

from tabgrad.autograd import apply, record
from tabgrad.dtypes import whole_words
from tabgrad.errors import GradError
from tabgrad.grad_mode import is_grad_enabled, no_grad
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import target_storage, written_buffer
from tabgrad.graph.node import ASSIGN, BUFFER, Node
from tabgrad.graph.op import Kind, View
from tabgrad.memory import Lineage, Path, shown
from tabgrad.runtime.evaluation import part, readers, realize_all
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of
from tabgrad.tracing.tracer import Tracer

_HELD = (
    "copy_ of a parameter that an optimizer holds is not supported inside tabgrad.compile; "
    "do it outside the compiled step"
)


def assign(target: Tensor, value: Tensor, *, fresh: bool = True) -> None:
    """Overwrite what a tensor shows with ``value`` (same shape and dtype) when it is next needed.

    All tensors that show the same memory see it. Where its value has not been computed, they just stand for another one
    from now on; for a copy of it, if it is not ``fresh`` but a tensor that may change.

    If a gradient is to flow through ``value``, or to what was there before, the tensor and its views get other records.

    Raises:
        GradError: a gradient is asked of the tensor or of what it is a view of, and it is no result of an op; or it is
            a view that was made under ``no_grad()``.
        RuntimeError: several elements of the tensor are one in memory.
        NotImplementedError: an optimizer holds the memory, and a step is being recorded.
    """
    session = session_of((target, value)) or current()
    with session.lock:
        _check(target)
        if is_grad_enabled() and (target.requires_grad or value.requires_grad) and target.dtype.is_floating_point:
            _record(session, target, value if fresh else value.clone())
        else:
            _assign(session, target, value, fresh)


def _assign(session: Session, target: Tensor, value: Tensor, fresh: bool) -> None:
    recording = session.capturing()
    # a step writes the memory itself, also where no other tensor shows it
    if target._path and (recording is not None or not target._claim()):
        with no_grad():
            value, fresh = _put(_memory_of(target), target._path, value), True
    _change(session, target)
    _hold(session, target, value, fresh=fresh, recorded=False)


def _change(session: Session, target: Tensor) -> None:
    """All tensors that show the memory are about to change."""
    recording = session.capturing()
    members = [target] if target._memory is None else target._memory.members()
    tracer = session.own(Tracer)
    for tensor in members:
        tracer.changes(tensor)
    if recording is not None and any(recording.has_written(t) for t in members):
        raise NotImplementedError(_HELD)
    for tensor in members:
        tensor._version += 1
        if tensor._ctx is not None:
            tensor._ctx.changed = True


def _hold(session: Session, target: Tensor, value: Tensor, *, fresh: bool, recorded: bool) -> None:
    """Let the memory hold ``value``, which is all of it; elsewhere, if the value before is part of a record."""
    memory, recording = target._memory, session.capturing()
    node = target._node if memory is None else memory.node
    if (recorded and recording is None) or (node.op is not BUFFER and node.op.kind is not Kind.ASSIGN):
        if recording is None or id(node) not in recording.earlier:
            target._become((value if fresh else value.clone())._node, session_of((value,)))
            return
        realize_all([Tensor._from_node(node, session)])  # from before the step, which changes it at each replay
    if recording is None and node.op is BUFFER and _assign_from_host(session, node, value._node):
        if memory is not None:
            memory.set(node)  # views that were read are read again
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


# Writes that a gradient flows through: the memory's value before, and after, are two values of one graph


def _record(session: Session, target: Tensor, value: Tensor) -> None:
    recording = session.capturing()
    if recording is None:
        target._claim()
    _refuse_record(target)
    if value._ctx is None:
        value = value.clone()
        if not value.requires_grad:  # nothing flows through it; what was there before gets a gradient of zeros
            record(value, "copy", _zeros, (target._at_present(),), {})
    lineage = None if target._memory is None else target._lineage
    changed = whole = value
    if lineage is not None:
        within = len(lineage.path)
        changed = whole = _put(_first_of(target, lineage), target._path[within:], value)
        if within:
            with no_grad():
                whole = _put(_memory_of(target), lineage.path, whole)
    _change(session, target)
    _hold(session, target, whole, fresh=True, recorded=True)
    members = [target]
    if target._memory is not None:
        lineage = target._lineage
        assert lineage is not None
        members = [t for t in target._memory.members() if t._lineage is lineage]
        if recording is not None:
            recording.recorded += [(lineage, lineage.ctx), *((t, t._ctx) for t in members)]
        lineage.ctx = changed._ctx
    for tensor in members:
        seen = changed
        for op, attrs in tensor._path[0 if lineage is None else len(lineage.path) :]:
            seen = apply(op, seen, **attrs)
        assert seen._ctx is not None
        seen._ctx.give_to(tensor)


def _refuse_record(target: Tensor) -> None:
    wrong = ""
    if target.requires_grad and target._ctx is None:
        wrong = "expected no leaf that requires grad, got one; use the out-of-place form, or tabgrad.no_grad()"
    elif target._path and target._lineage is None:
        wrong = (
            "expected a view that was made where gradients are recorded, got one made under no_grad(); "
            "make the view outside, or change it inside of no_grad()"
        )
    elif target._lineage is not None and target._lineage.has_leaf():
        wrong = (
            "expected no view of a leaf that requires grad, got one; "
            "use the out-of-place form, or make the view under tabgrad.no_grad()"
        )
    if wrong:
        raise GradError(f"in-place op: {wrong}")
    node = target._node if target._memory is None else target._memory.node
    if node.storage is not None and node.storage.shared:
        raise NotImplementedError(
            "in-place op: a gradient through a change of a parameter that an optimizer holds is not supported; "
            "change a clone() of it"
        )


def _zeros(grad: Tensor, out: Tensor, before: Tensor) -> tuple[Tensor, ...]:
    return (Tensor._from_node(graph.const(0.0, before.shape, before.dtype)),)


def _memory_of(target: Tensor) -> Tensor:
    """All of what it shows a part of."""
    assert target._memory is not None
    return Tensor._from_node(target._memory.node, target._session)


def _first_of(target: Tensor, lineage: Lineage) -> Tensor:
    """The value and record of what a lineage begins with."""
    assert target._memory is not None
    first = Tensor._from_node(shown(target._memory.node, lineage.path), target._session)
    first._ctx, first._requires_grad = lineage.ctx, lineage.ctx is not None
    return first


def _check(target: Tensor) -> None:
    for op, _ in target._path:
        if isinstance(op.lowering, View) and op.lowering.put is None:
            raise RuntimeError(
                f"in-place op: expected a tensor each of whose elements has memory of its own, got one of shape "
                f"{list(target.shape)} that expand() repeats; change a clone() of it"
            )


def _put(whole: Tensor, path: Path, value: Tensor) -> Tensor:
    """``whole`` with another value where the views of a path show it."""
    wholes = [whole]
    for op, attrs in path[:-1]:
        wholes.append(apply(op, wholes[-1], **attrs))
    for shown_from, (op, attrs) in zip(reversed(wholes), reversed(path), strict=bool(path)):
        view = op.lowering
        assert isinstance(view, View)
        assert view.put is not None
        value = view.put(attrs, shown_from, value)
    return value


def _assign_from_host(session: Session, node: Node, value: Node) -> bool:
    """Write values that lie on the host straight into memory that lies there too, or on the device."""
    storage = node.storage
    assert storage is not None
    source = value.storage
    if value.op is not BUFFER or source is None or source.host is None:
        return False
    session.own(Tracer).happens_once("it writes what lies on the host")
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
