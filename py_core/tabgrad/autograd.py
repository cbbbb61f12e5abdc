"""Reverse-mode differentiation over recorded ops.

A tensor that needs a gradient remembers the op that made it, the op's inputs, and its attributes.
:func:`backward` walks those records from the result to the leaves; every op's gradient is itself
written in ops, so gradients can be differentiated again (``create_graph=True``).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from tabgrad.errors import GradError, ShapeError
from tabgrad.grad_mode import enable_grad, is_grad_enabled, is_recording, no_grad, set_grad_enabled
from tabgrad.graph.node import Node, buffer, const, make
from tabgrad.graph.op import Elementwise, Op, Pack, View
from tabgrad.graph.storage import Storage
from tabgrad.graph.walk import in_order, reached
from tabgrad.names import public
from tabgrad.session import current
from tabgrad.tensor import Tensor, session_of
from tabgrad.tracing.tracer import Tracer

GradFn = Callable[..., tuple[Any, ...]]


class Context:
    """How a tensor was made: what :func:`backward` needs to go one op back.

    It does not change when the tensor, or one that it was made from, is changed in place: those get other records.
    """

    __slots__ = ("attrs", "changed", "edges", "grad_fn", "inputs", "made", "name", "node", "retains", "versions")

    def __init__(
        self, name: str, grad_fn: GradFn, out: Tensor, inputs: tuple[Tensor, ...], attrs: dict[str, Any]
    ) -> None:
        self.name = name
        self.grad_fn = grad_fn
        self.inputs = inputs
        self.attrs = attrs
        self.edges = tuple([edge_of(t) for t in inputs])
        self.versions = tuple([t._version for t in inputs])
        self.made = weakref.ref(out)
        self.node = out._node
        self.changed = False  # whether the tensor that it made was changed in place since
        self.retains = False  # whether the tensor that it made is given its gradient, as leaves are

    def __repr__(self) -> str:
        return f"<{self.name.title()}Backward>"

    def give_to(self, tensor: Tensor) -> None:
        """From now on this is how ``tensor`` was made."""
        if tensor._ctx is not None:
            self.retains, tensor._ctx.retains = tensor._ctx.retains, False
        tensor._ctx, tensor._requires_grad = self, True
        self.made = weakref.ref(tensor)

    def out(self) -> Tensor:
        """The tensor that was made, with the value that it had then."""
        tensor = self.made()
        if tensor is None or tensor._ctx is not self:
            tensor = Tensor._from_node(self.node, session_of(self.inputs))
            tensor._ctx, tensor._requires_grad = self, True
        return tensor

    @property
    def is_freed(self) -> bool:
        """Whether a backward pass has gone through it, so that no other one can."""
        return self.grad_fn is _freed

    @property
    def is_spent(self) -> bool:
        """Whether no backward pass can go through it, as one has gone through it or through what it was made from."""
        if self.is_freed:
            return True
        records = reached([self], lambda c: [e for e in c.edges if isinstance(e, Context)])
        return any(record.is_freed for record in records)

    @classmethod
    def freed(cls, name: str, out: Tensor) -> Context:
        """The record of a tensor that a backward pass has gone through."""
        ctx = cls.__new__(cls)
        ctx.name, ctx.made, ctx.node, ctx.changed, ctx.retains = name, weakref.ref(out), out._node, False, False
        ctx.free()
        return ctx

    def free(self) -> None:
        """Let go of the values."""
        self.grad_fn, self.inputs, self.versions, self.edges, self.attrs = _freed, (), (), (), {}


Edge = Context | Tensor
"""Where a gradient goes on to: the record of an op, or a leaf."""


def edge_of(tensor: Tensor) -> Edge | None:
    """Where a tensor's gradient goes to; None if it needs none."""
    if tensor._ctx is not None:
        return tensor._ctx
    return tensor if tensor.requires_grad else None


def apply(op: Op, *inputs: Tensor, **attrs: Any) -> Tensor:
    """Record one primitive op on tensors of matching shapes and dtypes.

    Raises:
        DeviceError: the tensors belong to different sessions.
    """
    for t in inputs:
        if t._node.dtype.wide is not None and not _moves(op):
            return _apply_wide(op, inputs, attrs)
    node = make(op, *(t._node for t in inputs), **attrs)
    out = Tensor._from_node(node, session_of(inputs))
    if isinstance(op.lowering, View):
        out._show(inputs[0], op, attrs)
    if op.grad is not None:
        record(out, op.name, op.grad, inputs, attrs)
    return out


def _moves(op: Op) -> bool:
    """Whether an op does not compute with elements: it moves them, or makes values of another dtype of them."""
    return isinstance(op.lowering, View | Pack) or (isinstance(op.lowering, Elementwise) and op.lowering.converts)


def _apply_wide(op: Op, inputs: tuple[Tensor, ...], attrs: dict[str, Any]) -> Tensor:
    """On dtypes of one or two bytes: computed in float32 or int32, then rounded or wrapped around."""
    dtype = op.dtype_rule(attrs, *(t.dtype for t in inputs))
    return apply(op, *(t.to(t.dtype.computed) for t in inputs), **attrs).to(dtype)


def record(out: Tensor, name: str, grad_fn: GradFn, inputs: tuple[Tensor, ...], attrs: dict[str, Any]) -> None:
    """Make ``out`` remember how it was computed, if anybody may want its gradient.

    For composed ops with a gradient of their own: compute the value under :class:`no_grad`,
    then record it with ``grad_fn(grad, out, *inputs, **attrs)``.
    """
    if is_recording() and out.dtype.is_floating_point and any(t.requires_grad for t in inputs):
        out._requires_grad = True
        out._ctx = Context(name, grad_fn, out, inputs, attrs)
        if out._lineage is not None and out._lineage.first() is out:
            out._lineage.ctx = out._ctx


def _order(roots: Sequence[Edge]) -> list[Edge]:
    """Records and leaves below ``roots``, each after all that it was made from."""

    def needs(edge: Edge) -> tuple[Edge, ...]:
        return () if isinstance(edge, Tensor) else tuple([e for e in reversed(edge.edges) if e is not None])

    return in_order(roots, needs)


def _check_seed(root: Tensor, gradient: Tensor | None) -> Tensor:
    if not root.requires_grad:
        raise GradError(
            "backward: expected a tensor that requires grad, got one that does not; "
            "it was made under no_grad, or no input had requires_grad=True"
        )
    if gradient is None:
        if root.numel() != 1:
            raise GradError(
                f"backward: expected a scalar, got shape {list(root.shape)}; "
                f"reduce it (for example with .mean()) or pass gradient="
            )
        return Tensor._from_node(const(1.0, root.shape, root.dtype))
    if not isinstance(gradient, Tensor):
        raise TypeError(f"backward: expected gradient as a Tensor, got {type(gradient).__name__}")
    if gradient.shape != root.shape:
        raise ShapeError(f"backward: expected gradient {list(root.shape)}, got {list(gradient.shape)}")
    return gradient


def _walk(
    roots: Sequence[Tensor],
    seeds: Sequence[Tensor],
    *,
    retain_graph: bool,
    create_graph: bool,
    wanted: Sequence[Tensor] | None = None,
) -> tuple[dict[int, Tensor], list[Edge]]:
    """Gradients by the ``id`` of a record or leaf, and these in the order in which they were made.

    Args:
        wanted: whose gradients are asked for: records that lie beyond them are left alone; None for all leaves'.
    """
    grads: dict[int, Tensor] = {}
    starts = [e for e in map(edge_of, roots) if e is not None]
    order = _order(starts)
    for start, seed in zip(starts, seeds, strict=True):
        grads[id(start)] = grads[id(start)] + seed if id(start) in grads else seed
    beside = set() if wanted is None else _beside(order, wanted)
    with set_grad_enabled(bool(create_graph)):
        for edge in reversed(order):
            grad = grads.get(id(edge))
            if isinstance(edge, Tensor) or grad is None or id(edge) in beside:
                continue
            pieces = _pieces(edge, grad)
            for source, tensor, piece in zip(edge.edges, edge.inputs, pieces, strict=True):
                if piece is None or source is None:
                    continue
                if piece.dtype is not tensor.dtype:
                    piece = piece.to(tensor.dtype)
                previous = grads.get(id(source))
                grads[id(source)] = piece if previous is None else previous + piece
            if not (retain_graph or create_graph):
                edge.free()
    return grads, order


def _pieces(ctx: Context, grad: Tensor) -> tuple[Tensor | None, ...]:
    """The gradients of an op's arguments.

    Raises:
        GradError: they need a value that was changed in place since, or the record was freed.
    """
    if ctx.is_freed:
        raise GradError(
            f"backward: expected the record of '{ctx.name}', got one that an earlier backward() freed; "
            f"pass retain_graph=True to the earlier call"
        )
    inputs = ctx.inputs
    is_old = [t._version != version for t, version in zip(inputs, ctx.versions, strict=True)]
    if not ctx.changed and True not in is_old:
        return ctx.grad_fn(grad, ctx.out(), *inputs, **ctx.attrs)
    # values that no longer exist: gradients may use their shapes, and gradients that are not needed may use the values
    gone: dict[Node, str] = {}

    def stand_in(tensor: Tensor, edge: Edge | None, what: str) -> Tensor:
        storage = Storage(0)
        storage.placeholder = True
        out = Tensor._from_node(buffer(storage, tensor.shape, tensor.dtype), tensor._session)
        out._ctx = edge if isinstance(edge, Context) else None
        out._requires_grad = edge is not None
        gone[out._node] = f"{what} of '{ctx.name}', shape {list(tensor.shape)}"
        return out

    passed = [stand_in(t, edge, "input") if old else t for t, edge, old in zip(inputs, ctx.edges, is_old, strict=True)]
    out = stand_in(ctx.out(), ctx, "result") if ctx.changed else ctx.out()
    pieces = ctx.grad_fn(grad, out, *passed, **ctx.attrs)
    needed = [p._node for p, edge in zip(pieces, ctx.edges, strict=True) if p is not None and edge is not None]
    for node in in_order(needed, lambda node: node.args):
        if node in gone:
            raise GradError(
                f"backward: expected the {gone[node]}, unchanged since the forward pass, as the gradient is computed "
                f"from it, got it modified in place; clone() it before the change"
            )
    return pieces


def _beside(order: Sequence[Edge], wanted: Sequence[Tensor]) -> set[int]:
    """``id`` of what, given with arguments first, was not made from a wanted tensor."""
    leading = {id(edge_of(t)) for t in wanted}  # wanted themselves, or made from such
    beside = set()
    for edge in order:
        if not isinstance(edge, Tensor) and any(e is not None and id(e) in leading for e in edge.edges):
            leading.add(id(edge))
        else:
            beside.add(id(edge))
    return beside


def _freed(*_: Any) -> tuple[Any, ...]:
    raise AssertionError("a freed record is detected before it is called")


@public(top=False, method=True)
def detach(input: Tensor) -> Tensor:
    """The same memory, outside the record: a change in place of one is seen through the other."""
    out = Tensor._from_node(input._node, input._session)
    out._share(input)
    return out


@public(top=False, method=True)
def backward(
    tensor: Tensor, gradient: Tensor | None = None, retain_graph: bool = False, create_graph: bool = False
) -> None:
    """Add d ``tensor`` / d leaf to ``leaf.grad`` for every leaf that requires a gradient.

    Raises:
        GradError: ``tensor`` records nothing, is not a scalar without ``gradient``, or was freed.
    """
    seed = _check_seed(tensor, gradient)
    grads, order = _walk([tensor], [seed], retain_graph=retain_graph, create_graph=create_graph)
    found = []
    for edge in order:
        grad = grads.pop(id(edge), None)
        taker = edge if isinstance(edge, Tensor) else edge.made() if edge.retains else None
        if grad is not None and taker is not None and taker.requires_grad:
            found.append((taker, grad))
    del grad
    for taker, grad in found:
        _accumulate(taker, grad, create_graph=bool(create_graph))


def _accumulate(tensor: Tensor, grad: Tensor, *, create_graph: bool) -> None:
    """Add to ``tensor.grad``: in place, so that every reference to it sees the sum.

    Not so if the sum is recorded itself, nor if the gradient shows another living tensor, which must not change.
    """
    recording = None if tensor._session is None else tensor._session.capturing()
    if recording is not None:
        recording.finds_grad(tensor)
    held = tensor.grad
    current().own(Tracer).sets_grad(tensor)
    with set_grad_enabled(create_graph):
        if held is None:
            grad._claim()  # mostly a view of what nobody else shows
            tensor.grad = grad
        elif create_graph or (held._path and not held._claim()):
            tensor.grad = held + grad
        else:
            held.add_(grad)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Tensor | None, ...]:
    """Gradients of the sum of ``outputs`` with respect to ``inputs``; ``.grad`` is not touched.

    Raises:
        GradError: an input was not used and ``allow_unused`` is False.
    """
    for name, given in (("outputs", outputs), ("inputs", inputs), ("grad_outputs", grad_outputs)):
        if not isinstance(given, Tensor | list | tuple) and (given is not None or name != "grad_outputs"):
            raise TypeError(f"grad: expected {name} as tensors, got {type(given).__name__}")
    if isinstance(grad_outputs, Tensor):
        grad_outputs = [grad_outputs]
    roots = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    wanted = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    strange = [t for t in (*roots, *wanted) if not isinstance(t, Tensor)]
    if strange or not roots:
        got = f"a list with {type(strange[0]).__name__}" if strange else "no outputs"
        raise TypeError(f"grad: expected outputs and inputs as tensors, got {got}")
    if grad_outputs is not None and len(grad_outputs) != len(roots):
        raise GradError(f"grad: expected as many grad_outputs as outputs, {len(roots)}, got {len(grad_outputs)}")
    given = list(grad_outputs or [None] * len(roots))
    flags = {"retain_graph": retain_graph, "create_graph": create_graph, "allow_unused": allow_unused}
    found: tuple[Tensor | None, ...] = current().own(Tracer).call(_grad, (roots, wanted, given), flags)
    return found


def _grad(
    roots: Sequence[Tensor],
    wanted: Sequence[Tensor],
    given: Sequence[Tensor | None],
    *,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
) -> tuple[Tensor | None, ...]:
    seeds = [_check_seed(r, g) for r, g in zip(roots, given, strict=True)]
    grads, _ = _walk(roots, seeds, retain_graph=retain_graph, create_graph=create_graph, wanted=wanted)
    found = tuple(grads.get(id(edge_of(t))) for t in wanted)
    if not allow_unused:
        for position, g in enumerate(found):
            if g is None:
                raise GradError(
                    f"grad: expected input {position} in the graph of the outputs, got one that is not; "
                    f"pass allow_unused=True to get None for it"
                )
    return found


__all__ = [
    "Context", "apply", "backward", "enable_grad", "grad", "is_grad_enabled", "no_grad", "record", "set_grad_enabled",
]  # fmt: skip
