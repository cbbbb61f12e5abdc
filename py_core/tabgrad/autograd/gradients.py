"""What users call: ``backward``, which adds to ``.grad``, and ``grad``, which returns gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad.autograd.records import Edge, edge_of
from tabgrad.autograd.walk import check_seed, walk
from tabgrad.errors import ArgumentError, GradError, ShapeError
from tabgrad.grad_mode import set_grad_enabled
from tabgrad.graph.node import const
from tabgrad.names import PUBLIC, public
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer

Tensors = Tensor | Sequence[Tensor]


@public(top=False, method=True)
def detach(input: Tensor) -> Tensor:
    """The same memory, outside the record: a change in place of one is seen through the other."""
    out = Tensor._from_node(input._node, input._session)
    out._share(input)
    return out


def _backward(
    tensor: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Add d ``tensor`` / d leaf to ``leaf.grad`` for every leaf that requires a gradient.

    Args:
        tensor: what is differentiated; a scalar, or of the shape of ``gradient``.
        gradient: of what is computed from it further on.
        retain_graph: keep the records for another pass; as ``create_graph`` if not given.
        create_graph: record the gradients too, for derivatives of higher order.
        inputs: tensors whose ``.grad`` alone is added to; they need not be leaves.

    Raises:
        GradError: ``tensor`` records nothing, is not a scalar without ``gradient``, or was freed.
    """
    wanted = _given_tensors("backward", "inputs", inputs) if inputs is not None else None
    _accumulate_all([tensor], [gradient], wanted, retain_graph=retain_graph, create_graph=create_graph)


_backward.__name__ = _backward.__qualname__ = "backward"
public(top=False, method=True)(_backward)


def backward(
    tensors: Tensors,
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensor | Sequence[Tensor | None] | None = None,
    inputs: Tensors | None = None,
) -> None:
    """As :meth:`Tensor.backward` of the sum of several tensors, each with a gradient of its own.

    Raises:
        GradError: as there; or the numbers of tensors and gradients differ.
    """
    if grad_variables is not None:
        if grad_tensors is not None:
            raise ArgumentError("backward: expected grad_tensors or grad_variables, its former name, got both")
        grad_tensors = grad_variables
    roots = _given_tensors("backward", "tensors", tensors)
    given = _given_gradients("backward", "grad_tensors", grad_tensors, len(roots))
    wanted = _given_tensors("backward", "inputs", inputs) if inputs is not None else None
    flags = {"retain_graph": retain_graph, "create_graph": create_graph}
    current().own(Tracer).call(_accumulate_all, (roots, given, wanted), flags)


def _accumulate_all(
    roots: Sequence[Tensor],
    given: Sequence[Tensor | None],
    wanted: Sequence[Tensor] | None,
    *,
    retain_graph: bool | None,
    create_graph: bool,
) -> None:
    create = bool(create_graph)
    keep = create if retain_graph is None else bool(retain_graph)
    seeds = [check_seed(root, gradient) for root, gradient in zip(roots, given, strict=True)]
    asked = None
    if wanted is not None:
        if not wanted:
            raise GradError("backward: expected inputs to name at least one tensor, got none; leave it away for all")
        _require_grad("backward", wanted)
        asked = {id(edge_of(t)): t for t in wanted}

    def accumulate(leaf: Tensor, grad: Tensor) -> None:
        _accumulate(leaf, grad, create_graph=create)

    grads, order = walk(roots, seeds, retain_graph=keep, create_graph=create, wanted=wanted, accumulate=accumulate)
    found = []
    for edge in order:
        grad = grads.pop(id(edge), None)
        taker = _taker(edge, asked)
        if grad is not None and taker is not None and taker.requires_grad:
            found.append((taker, grad))
    del grad
    for taker, grad in found:
        _accumulate(taker, grad, create_graph=create)


def _taker(edge: Edge, asked: dict[int, Tensor] | None) -> Tensor | None:
    """Whose ``.grad`` a gradient is added to."""
    if asked is not None and id(edge) in asked:
        return asked[id(edge)]
    if isinstance(edge, Tensor):
        return edge
    if not edge.retains:
        return None
    current().own(Tracer).happens_once("a result retains its gradient")  # in another round it may not
    return edge.made()


def _accumulate(tensor: Tensor, grad: Tensor, *, create_graph: bool) -> None:
    """Add to ``tensor.grad``: in place, so that every reference to it sees the sum.

    Not so if the sum is recorded itself, nor if the gradient shows another living tensor, which must not change.
    """
    recording = None if tensor._session is None else tensor._session.capturing()
    if recording is not None:
        recording.finds_grad(tensor)
    held = tensor._grad
    current().own(Tracer).sets_grad(tensor)
    with set_grad_enabled(create_graph):
        if held is None:
            grad._claim()  # mostly a view of what nobody else shows
            tensor._grad = grad
        elif create_graph or (held._path and not held._claim()):
            tensor._grad = held + grad
        else:
            held.add_(grad)
    hooks = tensor._hooks
    if hooks is not None and tensor._ctx is None:
        hooks.call_accumulated(tensor)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Gradients of the sum of ``outputs`` with respect to ``inputs``; ``.grad`` is not touched.

    Args:
        outputs: scalars, or of the shapes of ``grad_outputs``.
        inputs: leaves, or results between them and the outputs.
        grad_outputs: of what is computed from the outputs further on.
        retain_graph: keep the records for another pass; as ``create_graph`` if not given.
        create_graph: record the gradients too, for derivatives of higher order.
        only_inputs: True; others' gradients are :meth:`Tensor.backward`'s.
        allow_unused: None for inputs that no output depends on, in place of an error.
        is_grads_batched: ``grad_outputs``, and then the gradients, have one more dimension in front. One pass for each.
        materialize_grads: zeros for inputs that no output depends on.

    Raises:
        GradError: an input was not used and ``allow_unused`` is False, or it requires no gradient.
    """
    if not only_inputs:
        raise NotImplementedError("grad: expected only_inputs=True, got False; use backward(), which adds to .grad")
    if materialize_grads and allow_unused is False:
        raise ArgumentError(
            "grad: expected allow_unused to be True or not given with materialize_grads=True, got allow_unused=False"
        )
    roots = _given_tensors("grad", "outputs", outputs)
    wanted = _given_tensors("grad", "inputs", inputs)
    if not roots:
        raise TypeError("grad: expected outputs and inputs as tensors, got no outputs")
    given = _given_gradients("grad", "grad_outputs", grad_outputs, len(roots))
    create = bool(create_graph)
    flags = {
        "retain_graph": create if retain_graph is None else bool(retain_graph),
        "create_graph": create,
        "allow_unused": bool(materialize_grads if allow_unused is None else allow_unused),
        "materialize_grads": bool(materialize_grads),
    }
    tracer = current().own(Tracer)
    if is_grads_batched:
        return _batched(tracer, roots, wanted, given, flags)
    found: tuple[Tensor | None, ...] = tracer.call(_grad, (roots, wanted, given), flags)
    return found


def _grad(
    roots: Sequence[Tensor],
    wanted: Sequence[Tensor],
    given: Sequence[Tensor | None],
    *,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    materialize_grads: bool,
) -> tuple[Tensor | None, ...]:
    _require_grad("grad", wanted)
    seeds = [check_seed(r, g) for r, g in zip(roots, given, strict=True)]
    grads, _ = walk(roots, seeds, retain_graph=retain_graph, create_graph=create_graph, wanted=wanted)
    found = [grads.get(id(edge_of(t))) for t in wanted]
    for position, tensor in enumerate(wanted):
        if found[position] is not None:
            continue
        if not allow_unused:
            raise GradError(
                f"grad: expected input {position} in the graph of the outputs, got one that is not; "
                f"pass allow_unused=True to get None for it"
            )
        if materialize_grads:
            found[position] = Tensor._from_node(const(0.0, tensor.shape, tensor.dtype))
    return tuple(found)


def _batched(
    tracer: Tracer, roots: list[Tensor], wanted: list[Tensor], given: list[Tensor | None], flags: dict[str, Any]
) -> tuple[Tensor | None, ...]:
    sizes = {g.shape[:1] for g in given if g is not None}
    if len(sizes) != 1 or sizes == {()}:
        raise ShapeError(
            f"grad: expected grad_outputs with one more dimension in front, of one size, as is_grads_batched=True, "
            f"got {[None if g is None else list(g.shape) for g in given]}"
        )
    ((count,),) = sizes
    passes = []
    for n in range(count):
        each = [None if g is None else g[n] for g in given]
        keep = flags["retain_graph"] or n + 1 < count
        passes.append(tracer.call(_grad, (roots, wanted, each), {**flags, "retain_graph": keep}))
    stack = PUBLIC["stack"].for_users
    return tuple([None if found[0] is None else stack(list(found), 0) for found in zip(*passes, strict=True)])


def _given_tensors(caller: str, name: str, given: Any) -> list[Tensor]:
    found = [given] if isinstance(given, Tensor) else given
    if not isinstance(found, list | tuple):
        try:
            found = list(found)  # such as model.parameters()
        except TypeError:
            raise TypeError(f"{caller}: expected {name} as tensors, got {type(given).__name__}") from None
    strange = [t for t in found if not isinstance(t, Tensor)]
    if strange:
        raise TypeError(f"{caller}: expected {name} as tensors, got a list with {type(strange[0]).__name__}")
    return list(found)


def _given_gradients(caller: str, name: str, given: Any, count: int) -> list[Tensor | None]:
    if given is None:
        return [None] * count
    if not isinstance(given, Tensor | list | tuple):
        raise TypeError(f"{caller}: expected {name} as tensors, got {type(given).__name__}")
    found = [given] if isinstance(given, Tensor) else list(given)
    if len(found) != count:
        raise GradError(f"{caller}: expected as many {name} as tensors, {count}, got {len(found)}")
    return found


def _require_grad(caller: str, tensors: Sequence[Tensor]) -> None:
    for position, tensor in enumerate(tensors):
        if not tensor.requires_grad:
            raise GradError(
                f"{caller}: expected inputs that require grad, got input {position}, which does not; "
                f"call requires_grad_() before it is used"
            )


__all__ = ["backward", "detach", "grad"]
