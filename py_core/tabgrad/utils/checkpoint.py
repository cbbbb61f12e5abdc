"""Results of a part of a model that are not kept for the backward pass, but computed again in it.

Source: Chen, Xu, Zhang & Guestrin 2016, "Training deep nets with sublinear memory cost".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from tabgrad.autograd.function import Function
from tabgrad.autograd.records import before, edge_of
from tabgrad.autograd.walk import walk
from tabgrad.errors import ArgumentError
from tabgrad.grad_mode import enable_grad, is_grad_enabled, is_recording, no_grad
from tabgrad.graph.walk import reached
from tabgrad.late import missing_name
from tabgrad.ops.draws import Draw, Draws
from tabgrad.ops.rare.ordering import after
from tabgrad.runtime.dependencies import used
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer
from tabgrad.trees import mapped, tensors_of


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Any] | None = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)``, of which arguments and results alone are kept: ``backward()`` calls it again.

    Gradients also flow to parameters and other tensors that ``function`` uses without being given them. Where forward
    and backward run as one program (a step of ``tabgrad.compile``, or a loop that reads nothing in between), the
    recomputation is a part of it that begins when the results' gradients are there, so what lies between is not kept.

    Args:
        function: is called twice with the same arguments, and must do the same. In a plain loop it is executed in each
            round; recorded in a compiled step.
        use_reentrant: PyTorch's two ways. Both are accepted, and do what False does there.
        context_fn: None.
        determinism_check: accepted; the number and order of random draws is checked.
        debug: accepted.
        early_stop: accepted; what no gradient needs is not computed.
        preserve_rng_state: the second call sees the same random numbers, such as masks of dropout.

    Raises:
        GradError: in ``backward()``: an argument or a parameter was changed in place since.
        NotImplementedError: there is a ``context_fn``.
    """
    if context_fn is not None:
        raise NotImplementedError("checkpoint: expected context_fn=None; enter the contexts in the function")
    if not is_recording():
        return function(*args, **kwargs)
    used(function)
    session = current()
    with ExitStack() as stack:
        if session.capturing() is None:
            stack.enter_context(session.own(Tracer).executing("a part of it is recomputed in the backward pass"))
        draws = stack.enter_context(session.own(Draws).noted())
        given = _leaves_of(args, kwargs)
        found = function(*given[0], **given[1])
        own = {id(t) for t in tensors_of(given)}
        results = [t for t in tensors_of(found) if t.requires_grad]
        if not results:
            return found
        asked = [t for t in tensors_of((args, kwargs)) if t.requires_grad]
        part = _Part(function, args, kwargs, draws if preserve_rng_state else None)
        made = _Recomputed.apply(part, results, *asked, *_others(results, own))
    given_back = {id(raw): out for raw, out in zip(results, made, strict=True)}
    return mapped(lambda t: given_back.get(id(t), t), found)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """The functions, or a ``Sequential``'s modules, one after the other: all but the last segment as checkpoints.

    Args:
        functions: each is given the result of the one before.
        segments: how many parts they are cut into.
        input: of the first.
        use_reentrant: see :func:`checkpoint`, which also takes ``preserve_rng_state``.

    Raises:
        ArgumentError: there are fewer functions than segments.
    """
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ArgumentError(f"checkpoint_sequential: expected no keywords but preserve_rng_state, got {list(kwargs)}")
    parts = list(functions.children()) if hasattr(functions, "children") else list(functions)
    if not 1 <= segments <= len(parts):
        raise ArgumentError(f"checkpoint_sequential: expected 1 to {len(parts)} segments, got {segments}")
    size = len(parts) // segments
    for start in range(0, size * (segments - 1), size):
        segment = _chained(parts[start : start + size])
        input = checkpoint(segment, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _chained(parts[size * (segments - 1) :])(input)


def _chained(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        for function in functions:
            x = function(x)
        return x

    for function in functions:
        used(function)
    return call


def _leaves_of(args: Any, kwargs: Any) -> Any:
    """The arguments, with leaves in place of tensors through which gradients flow."""
    return mapped(lambda t: t.detach().requires_grad_() if t.requires_grad else t, (args, kwargs))


def _others(results: Sequence[Tensor], own: set[int]) -> list[Tensor]:
    """Leaves that results depend on beside these, such as parameters."""
    starts = [e for e in map(edge_of, results) if e is not None]
    found = reached(starts, lambda edge: list(before(edge)))
    return [e for e in found if isinstance(e, Tensor) and id(e) not in own]


class _Part:
    """What is to be called again."""

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any, draws: list[Draw] | None) -> None:
        self.function, self.args, self.kwargs, self.draws = function, args, kwargs, draws

    def again(self, gradients: Sequence[Tensor], *, recorded: bool) -> tuple[list[Tensor], list[Tensor]]:
        """The results and the arguments that gradients flow through, computed after these gradients.

        Args:
            recorded: gradients also flow to what the arguments were computed from.
        """
        asked: list[Tensor] = []

        def later(tensor: Tensor) -> Tensor:
            if recorded and tensor.requires_grad:
                out = after(tensor, gradients[0])
            else:
                with no_grad():
                    out = after(tensor, gradients[0])
                out.requires_grad_(tensor.requires_grad)
            if tensor.requires_grad:
                asked.append(out)
            return out

        with enable_grad(), ExitStack() as stack:
            args, kwargs = mapped(later, (self.args, self.kwargs))
            if self.draws is not None:
                stack.enter_context(current().own(Draws).repeated(self.draws))
            found = self.function(*args, **kwargs)
        return [t for t in tensors_of(found) if t.requires_grad], asked


class _Recomputed(Function):
    """The results of a part, recorded as one op of what it uses."""

    @staticmethod
    def forward(ctx: Any, part: _Part, results: list[Tensor], *through: Tensor) -> Any:
        ctx.part, ctx.count = part, sum(t.requires_grad for t in tensors_of((part.args, part.kwargs)))
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*through)
        return tuple([t.detach() for t in results])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        through = ctx.saved_tensors
        create = is_grad_enabled()
        known = [g for g in grads if g is not None]
        results, asked = ctx.part.again(known, recorded=create)
        if len(results) != len(grads):
            raise RuntimeError(
                f"checkpoint: expected the function to return {len(grads)} tensors that require grad, as the first "
                f"time, got {len(results)}; let it depend on its arguments alone"
            )
        wanted = [*asked, *through[ctx.count :]]
        pairs = [(r, g) for r, g in zip(results, grads, strict=True) if g is not None]
        roots, seeds = zip(*pairs, strict=True)
        found, _ = walk(
            roots, seeds, retain_graph=True, create_graph=create, wanted=wanted, ends=asked, with_hooks=False
        )
        return (None, None, *(found.get(id(edge_of(t))) for t in wanted))


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = ["checkpoint", "checkpoint_sequential"]
