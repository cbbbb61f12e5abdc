"""How tensors were made: what a gradient needs to go back through an op."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

from tabgrad.autograd.hooks import RecordHooks, RemovableHandle
from tabgrad.errors import GradError
from tabgrad.graph.node import Node, buffer
from tabgrad.graph.storage import Storage
from tabgrad.graph.walk import in_order, reached
from tabgrad.tensor import Tensor, session_of

GradFn = Callable[..., tuple[Any, ...]]


class Context:
    """How a tensor was made: what :meth:`Tensor.backward` needs to go one op back; users see it as ``grad_fn``.

    It does not change when the tensor, or one that it was made from, is changed in place: those get other records.
    """

    __slots__ = (
        "__weakref__", "attrs", "changed", "edges", "grad_fn", "hooks", "inputs", "made", "node", "op_name", "retains",
        "versions",
    )  # fmt: skip

    grad_fn: GradFn
    inputs: tuple[Tensor, ...]
    edges: tuple[Edge | None, ...]
    versions: tuple[int, ...]
    made: Callable[[], Tensor | None]
    hooks: RecordHooks | None

    def __init__(
        self, op_name: str, grad_fn: GradFn, out: Tensor, inputs: tuple[Tensor, ...], attrs: dict[str, Any]
    ) -> None:
        self.op_name = op_name
        self.grad_fn = grad_fn
        self.inputs = inputs
        self.attrs = attrs
        self.edges = tuple([edge_of(t) for t in inputs])
        self.versions = tuple([t._version for t in inputs])
        self.made = weakref.ref(out)
        self.node = out._node
        self.changed = False  # whether the tensor that it made was changed in place since
        self.retains = False  # whether the tensor that it made is given its gradient, as leaves are
        self.hooks = None

    def __repr__(self) -> str:
        return f"<{self.name()}>"

    # What users ask of it

    def name(self) -> str:
        """Such as ``MulBackward0``: after the op of this package, where PyTorch's may be another one."""
        return "".join(word[:1].upper() + word[1:] for word in self.op_name.split("_")) + "Backward0"

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Where gradients go on to: pairs of a record, or of an :class:`AccumulateGrad` of a leaf, and 0."""
        return tuple([(AccumulateGrad(e) if isinstance(e, Tensor) else e, 0) for e in self.edges])

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)``, tuples, after its gradient; it may return other ``grad_inputs``."""
        return self._hooks().after.add(hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before its gradient; it may return other ones."""
        return self._hooks().before.add(hook)

    def grad_fn_of_tensor(self) -> Context:
        """What users see as the ``grad_fn`` of the tensor that it made."""
        return self

    def _hooks(self) -> RecordHooks:
        if self.hooks is None:
            self.hooks = RecordHooks()
        return self.hooks

    # What goes through it

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

    def pieces(self, grad: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of an op's arguments.

        Raises:
            GradError: they need a value that was changed in place since, or the record was freed.
        """
        self.check()
        inputs = self.inputs
        is_old = [t._version != version for t, version in zip(inputs, self.versions, strict=True)]
        if not self.changed and True not in is_old:
            return self.grad_fn(grad, self.out(), *inputs, **self.attrs)
        return _pieces_of_changed(self, grad, is_old)

    def check(self) -> None:
        """Raises ``GradError`` if it was freed."""
        if self.is_freed:
            raise GradError(
                f"backward: expected the record of '{self.op_name}', got one that an earlier backward() freed; "
                f"pass retain_graph=True to the earlier call"
            )

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
    def freed(cls, op_name: str, out: Tensor) -> Context:
        """The record of a tensor that a backward pass has gone through."""
        ctx = Context.__new__(Context)
        ctx.op_name, ctx.made, ctx.node, ctx.changed, ctx.retains = op_name, weakref.ref(out), out._node, False, False
        ctx.hooks = None
        ctx.free()
        return ctx

    def free(self) -> None:
        """Let go of the values."""
        self.grad_fn, self.inputs, self.versions, self.edges, self.attrs = _freed, (), (), (), {}


Edge = Context | Tensor
"""Where a gradient goes on to: the record of an op, or a leaf."""


class AccumulateGrad:
    """What PyTorch's graph ends with: it adds to the ``.grad`` of ``variable``, a leaf."""

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

    def name(self) -> str:
        """PyTorch's."""
        return "torch::autograd::AccumulateGrad"

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """Nothing comes after a leaf."""
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AccumulateGrad) and other.variable is self.variable

    def __hash__(self) -> int:
        return id(self.variable)

    def __repr__(self) -> str:
        return "<AccumulateGrad>"


def edge_of(tensor: Tensor) -> Edge | None:
    """Where a tensor's gradient goes to; None if it needs none."""
    if tensor._ctx is not None:
        return tensor._ctx
    return tensor if tensor.requires_grad else None


def before(edge: Edge) -> Iterator[Edge]:
    """What an op's arguments were made by; nothing of a leaf."""
    return iter(()) if isinstance(edge, Tensor) else (e for e in edge.edges if e is not None)


def _pieces_of_changed(ctx: Context, grad: Tensor, is_old: list[bool]) -> tuple[Tensor | None, ...]:
    """Of values that no longer exist, gradients may use the shapes, and gradients that are not needed the values."""
    gone: dict[Node, str] = {}

    def stand_in(tensor: Tensor, edge: Edge | None, what: str) -> Tensor:
        storage = Storage(0)
        storage.placeholder = True
        out = Tensor._from_node(buffer(storage, tensor.shape, tensor.dtype), tensor._session)
        out._ctx = edge if isinstance(edge, Context) else None
        out._requires_grad = edge is not None
        gone[out._node] = f"{what} of '{ctx.op_name}', shape {list(tensor.shape)}"
        return out

    given = zip(ctx.inputs, ctx.edges, is_old, strict=True)
    passed = [stand_in(t, edge, "input") if old else t for t, edge, old in given]
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


def _freed(*_: Any) -> tuple[Any, ...]:
    raise AssertionError("a freed record is detected before it is called")


__all__ = ["AccumulateGrad", "Context", "Edge", "GradFn", "before", "edge_of"]
