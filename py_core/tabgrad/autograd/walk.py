"""From results to leaves: every record's gradient once, each after the gradients of all that it was used for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tabgrad.autograd.anomaly import check_pieces, is_anomaly_enabled
from tabgrad.autograd.hooks import after_record, before_record, changed_by, note_leaves
from tabgrad.autograd.records import Context, Edge, before, edge_of
from tabgrad.errors import GradError, ShapeError
from tabgrad.grad_mode import set_grad_enabled
from tabgrad.graph.node import const
from tabgrad.graph.walk import in_order
from tabgrad.tensor import Tensor

Accumulate = Callable[[Tensor, Tensor], None]


def check_seed(root: Tensor, gradient: Tensor | None) -> Tensor:
    """The gradient of a result, which a pass begins with.

    Raises:
        GradError: the result is not recorded, or is no scalar and ``gradient`` is None.
        ShapeError: their shapes differ.
    """
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


def walk(
    roots: Sequence[Tensor],
    seeds: Sequence[Tensor],
    *,
    retain_graph: bool,
    create_graph: bool,
    wanted: Sequence[Tensor] | None = None,
    accumulate: Accumulate | None = None,
    ends: Sequence[Tensor] = (),
    with_hooks: bool = True,
) -> tuple[dict[int, Tensor], list[Edge]]:
    """Gradients by the ``id`` of a record or leaf, and these in the order in which they were made.

    Args:
        wanted: whose gradients are asked for: records that lie beyond them are left alone; None for all leaves'.
        accumulate: sets the ``.grad`` of a leaf with hooks that are called after that, as soon as it is known.
        ends: tensors among those wanted beyond which no gradient flows on.
        with_hooks: whether leaves' hooks are called; not so if the gradients are parts of those of another pass.
    """
    grads: dict[int, Any] = {}
    starts = [e for e in map(edge_of, roots) if e is not None]
    order = in_order(starts, lambda edge: tuple(before(edge))[::-1])
    for start, seed in zip(starts, seeds, strict=True):
        grads[id(start)] = grads[id(start)] + seed if id(start) in grads else seed
    beside = set() if wanted is None else _beside(order, wanted) | {id(edge_of(t)) for t in ends}
    leaves = [e for e in order if isinstance(e, Tensor)]
    note_leaves(leaves)
    asked = leaves if wanted is None else [e for e in map(edge_of, wanted) if isinstance(e, Tensor)]
    hooked = {id(t): t for t in asked if t._hooks is not None and with_hooks}
    uses = _uses(order, beside, hooked) if hooked else Counter[int]()
    is_checked = is_anomaly_enabled()
    given = {id(edge_of(t)) for t in wanted or ()}
    plain: dict[int, Tensor] = {}  # of results that are asked for, as PyTorch returns them: before their hooks
    with set_grad_enabled(bool(create_graph)):
        for leaf in hooked.values():
            if not uses[id(leaf)]:
                _finish(leaf, grads, accumulate)
        for edge in reversed(order):
            if isinstance(edge, Tensor) or id(edge) in beside:
                continue
            grad = grads.get(id(edge))
            if grad is not None:
                if edge.hooks is not None:
                    if id(edge) in given:
                        plain[id(edge)] = grad
                    grad = grads[id(edge)] = before_record(edge.hooks.before, changed_by(edge.hooks.tensor, grad))
                pieces = edge.pieces(grad)
                if edge.hooks is not None:
                    pieces = after_record(edge.hooks.after, pieces, grad)
                if is_checked:
                    check_pieces(edge.op_name, pieces)
                for source, tensor, piece in zip(edge.edges, edge.inputs, pieces, strict=True):
                    if piece is None or source is None:
                        continue
                    if piece.dtype is not tensor.dtype:
                        piece = piece.to(tensor.dtype)
                    previous = grads.get(id(source))
                    grads[id(source)] = piece if previous is None else previous + piece
            sources = edge.edges if hooked else ()
            if grad is not None and not (retain_graph or create_graph):
                edge.free()
            for source in sources:
                if id(source) in hooked:
                    uses[id(source)] -= 1
                    if not uses[id(source)]:
                        _finish(hooked[id(source)], grads, accumulate)
    if wanted is not None:
        _keep_wanted(order, beside, wanted, grads)
        grads.update(plain)
    return grads, order


def _keep_wanted(order: Sequence[Edge], beside: set[int], wanted: Sequence[Tensor], grads: dict[int, Tensor]) -> None:
    """Gradients of what lies beside are not complete, but those asked for; these their own hooks may change yet."""
    asked = {id(edge): edge for edge in map(edge_of, wanted)}
    for edge in order:
        key = id(edge)
        if key not in beside or key not in grads:
            continue
        if key not in asked:
            del grads[key]
        elif isinstance(edge, Context) and edge.hooks is not None:
            grads[key] = changed_by(edge.hooks.tensor, grads[key])


def _uses(order: Sequence[Edge], beside: set[int], hooked: dict[int, Tensor]) -> Counter[int]:
    """How many gradients flow to each of these leaves, which are given by ``id``."""
    records = [e for e in order if isinstance(e, Context) and id(e) not in beside]
    return Counter(id(e) for record in records for e in record.edges if id(e) in hooked)


def _finish(leaf: Tensor, grads: dict[int, Tensor], accumulate: Accumulate | None) -> None:
    """All of this leaf's gradient is known."""
    grad, hooks = grads.get(id(leaf)), leaf._hooks
    if grad is None or hooks is None:
        return
    grads[id(leaf)] = grad = changed_by(hooks.tensor, grad)
    if accumulate is not None and hooks.accumulated:
        del grads[id(leaf)]
        accumulate(leaf, grad)


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


__all__ = ["check_seed", "walk"]
