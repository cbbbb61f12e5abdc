"""Reverse-mode differentiation over recorded ops.

A tensor that needs a gradient remembers the op that made it, the op's inputs, and its attributes.
:func:`backward` walks that record from the result to the leaves; every op's gradient is itself
written in ops, so gradients can be differentiated again (``create_graph=True``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tabgrad.errors import GradError, ShapeError
from tabgrad.grad_mode import enable_grad, is_grad_enabled, is_recording, no_grad, set_grad_enabled
from tabgrad.graph.node import const, make
from tabgrad.graph.op import Elementwise, Op, Pack, View
from tabgrad.graph.walk import in_order
from tabgrad.names import public
from tabgrad.tensor import Tensor, session_of

GradFn = Callable[..., tuple[Any, ...]]


class Context:
    """How a tensor was made: what :func:`backward` needs to go one op back."""

    __slots__ = ("attrs", "grad_fn", "inputs", "name", "versions")

    def __init__(self, name: str, grad_fn: GradFn, inputs: tuple[Tensor, ...], attrs: dict[str, Any]) -> None:
        self.name = name
        self.grad_fn = grad_fn
        self.inputs = inputs
        self.attrs = attrs
        self.versions = tuple(t._version for t in inputs)

    def __repr__(self) -> str:
        return f"<{self.name.title()}Backward>"


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
        out.requires_grad = True
        out._ctx = Context(name, grad_fn, inputs, attrs)


def _order(root: Tensor) -> list[Tensor]:
    """Recorded tensors below ``root``, each after all it was made from."""

    def recorded(tensor: Tensor) -> tuple[Tensor, ...]:
        inputs = () if tensor._ctx is None else tensor._ctx.inputs
        return tuple(t for t in reversed(inputs) if t.requires_grad)

    return in_order([root], recorded)


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
) -> tuple[dict[int, Tensor], list[Tensor]]:
    """Gradients by ``id(tensor)`` and the tensors in the order in which they were visited.

    Args:
        wanted: whose gradients are asked for: records that lie beyond them are left alone; None for all leaves'.
    """
    grads: dict[int, Tensor] = {}
    order: list[Tensor] = []
    known: set[int] = set()
    for root in roots:
        fresh = [t for t in _order(root) if id(t) not in known]
        known.update(id(t) for t in fresh)
        order.extend(fresh)
    for root, seed in zip(roots, seeds, strict=True):
        grads[id(root)] = grads[id(root)] + seed if id(root) in grads else seed
    beside = set() if wanted is None else _beside(order, wanted)
    with set_grad_enabled(bool(create_graph)):
        for tensor in reversed(order):
            ctx = tensor._ctx
            grad = grads.get(id(tensor))
            if ctx is None or grad is None or id(tensor) in beside:
                continue
            if ctx.grad_fn is _freed:
                raise GradError(
                    f"backward: expected the record of '{ctx.name}', got one that an earlier backward() freed; "
                    f"pass retain_graph=True to the earlier call"
                )
            for source, version in zip(ctx.inputs, ctx.versions, strict=True):
                if source._version != version:
                    raise GradError(
                        f"backward: expected the input of '{ctx.name}', shape {list(source.shape)}, unchanged since "
                        f"the forward pass, got it modified in place; clone() it before the change"
                    )
            for source, piece in zip(ctx.inputs, ctx.grad_fn(grad, tensor, *ctx.inputs, **ctx.attrs), strict=True):
                if piece is None or not source.requires_grad:
                    continue
                if piece.dtype is not source.dtype:
                    piece = piece.to(source.dtype)
                assert piece.shape == source.shape, (ctx.name, piece.shape, source.shape)
                previous = grads.get(id(source))
                grads[id(source)] = piece if previous is None else previous + piece
            if not (retain_graph or create_graph):
                ctx.grad_fn, ctx.inputs, ctx.versions, ctx.attrs = _freed, (), (), {}
    return grads, order


def _beside(order: Sequence[Tensor], wanted: Sequence[Tensor]) -> set[int]:
    """``id`` of the tensors, given with arguments first, that were not made from a wanted one."""
    leading = {id(t) for t in wanted}  # wanted themselves, or made from such
    beside = set()
    for tensor in order:
        inputs = () if tensor._ctx is None else tensor._ctx.inputs
        if any(id(t) in leading for t in inputs):
            leading.add(id(tensor))
        else:
            beside.add(id(tensor))
    return beside


def _freed(*_: Any) -> tuple[Any, ...]:
    raise AssertionError("a freed record is detected before it is called")


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
    for reached in order:
        grad = grads.get(id(reached))
        if grad is not None and (reached._ctx is None or reached._retains_grad):
            _accumulate(reached, grad, create_graph=bool(create_graph))


def _accumulate(tensor: Tensor, grad: Tensor, *, create_graph: bool) -> None:
    """Add to ``tensor.grad``: in place, so that whoever holds it sees the sum.

    Not so if the sum is recorded itself, nor if the gradient shows another living tensor, which must not change.
    """
    held = tensor.grad
    with set_grad_enabled(create_graph):
        if held is None:
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
    seeds = [_check_seed(r, g) for r, g in zip(roots, grad_outputs or [None] * len(roots), strict=True)]
    grads, _ = _walk(roots, seeds, retain_graph=retain_graph, create_graph=create_graph, wanted=wanted)
    found = tuple(grads.get(id(t)) for t in wanted)
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
