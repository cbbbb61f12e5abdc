"""Ops on tensors: the node of the graph, and the record that gradients go back through."""

from __future__ import annotations

from typing import Any

from tabgrad.autograd.records import Context, GradFn
from tabgrad.grad_mode import is_recording
from tabgrad.graph.node import make
from tabgrad.graph.op import Elementwise, Op, Pack, View
from tabgrad.tensor import Tensor, session_of


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


__all__ = ["apply", "record"]
