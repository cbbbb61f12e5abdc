"""Hooks of the backward pass: called with the gradients of a module's outputs and inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tabgrad.autograd import is_grad_enabled, no_grad, record
from tabgrad.ops.creation import zeros_like
from tabgrad.ops.movement import reshape
from tabgrad.ops.slicing import cat, narrow
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer

Gradients = tuple[Tensor | None, ...]


class GradientWatch:
    """One call of a module with backward hooks.

    Raises:
        NotImplementedError: a step is being compiled, whose replays would not call them.
    """

    def __init__(self, module: Any) -> None:
        if current().capturing() is not None:
            raise NotImplementedError(
                f"{type(module).__name__}: a backward hook inside tabgrad.compile is not supported, as replays run no "
                f"Python; remove the hook, or do not compile the step"
            )
        self._module = module
        self._of_outputs: Gradients = ()
        self._args: tuple[Any, ...] = ()
        self._places: list[int] = []  # of those that require grad

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with gradients that are seen on their way back."""
        self._args = args
        made, self._places = _watched(args, self._from_inputs)
        return made

    def outputs(self, result: Any) -> Any:
        """As :meth:`inputs`, of the result: a tensor, or a tuple with tensors."""
        several = isinstance(result, tuple)
        values = result if several else (result,)
        self._results = values
        made, self._results_at = _watched(values, self._from_outputs)
        if not several:
            return made[0]
        return type(result)(*made) if hasattr(result, "_fields") else made

    def _from_outputs(self, gradients: Sequence[Tensor]) -> Sequence[Tensor | None]:
        hooks = self._module._hooks
        found = _among(self._results, self._results_at, gradients)
        for hook in tuple(hooks.backward_pre.values()):
            found = _chosen(hook(self._module, found), found, "backward pre hook")
        self._of_outputs = found
        if not self._places:  # nothing comes back to the inputs
            for hook in tuple(hooks.backward.values()):
                told = hook(self._module, (None,) * len(self._args), found)
                if told is not None and any(g is not None for g in (told if isinstance(told, tuple) else (told,))):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
        return [found[n] for n in self._results_at]

    def _from_inputs(self, gradients: Sequence[Tensor]) -> Sequence[Tensor | None]:
        found = _among(self._args, self._places, gradients)
        for hook in tuple(self._module._hooks.backward.values()):
            found = _chosen(hook(self._module, found, self._of_outputs), found, "backward hook")
        return [found[n] for n in self._places]


def _among(values: Sequence[Any], places: Sequence[int], gradients: Sequence[Tensor]) -> Gradients:
    """As PyTorch has them: 0 for tensors that need none, None for other values."""
    found = [zeros_like(v) if isinstance(v, Tensor) else None for v in values]
    for place, gradient in zip(places, gradients, strict=True):
        found[place] = gradient
    return tuple(found)


def _chosen(returned: Any, before: Gradients, what: str) -> Gradients:
    """What a hook makes of gradients."""
    if returned is None:
        return before
    given = returned if isinstance(returned, tuple) else (returned,)
    if len(given) != len(before):
        raise RuntimeError(f"{what}: expected {len(before)} gradients, got {len(given)}; return as many as it is given")
    return given


def _watched(
    values: tuple[Any, ...], see: Callable[[Sequence[Tensor]], Sequence[Tensor | None]]
) -> tuple[tuple[Any, ...], list[int]]:
    """``values``, whose gradients go through ``see``, all at once; and the places of those that have any."""
    places = [n for n, v in enumerate(values) if isinstance(v, Tensor) and v.requires_grad] if is_grad_enabled() else []
    if not places:
        return values, []
    made = list(values)
    if len(places) == 1:
        made[places[0]] = _passed(values[places[0]], lambda g: see([g])[0])
        return tuple(made), places
    # an op has one result, so several tensors go through as one
    tensors = [values[n] for n in places]

    def together(flat: Tensor) -> Tensor:
        found = see(_parts(flat, tensors))
        return _joined([t * 0 if g is None else g for g, t in zip(found, tensors, strict=True)])

    flat = _passed(_joined(tensors), together)
    for place, part in zip(places, _parts(flat, tensors), strict=True):
        made[place] = part
    return tuple(made), places


def _joined(tensors: Sequence[Tensor]) -> Tensor:
    return cat([reshape(t, -1) for t in tensors])


def _parts(flat: Tensor, tensors: Sequence[Tensor]) -> list[Tensor]:
    found, start = [], 0
    for t in tensors:
        found.append(reshape(narrow(flat, 0, start, t.numel()), t.shape))
        start += t.numel()
    return found


def _passed(x: Tensor, see: Callable[[Tensor], Tensor | None]) -> Tensor:
    """``x`` itself; its gradient is what ``see`` makes of it."""

    def grad(g: Tensor, out: Tensor, x: Tensor) -> tuple[Tensor | None]:
        current().own(Tracer).happens_once("it calls a backward hook")
        return (see(g),)

    with no_grad():
        out = Tensor._from_node(x._node, x._session)
    record(out, "backward_hook", grad, (x,), {})
    return out


__all__ = ["GradientWatch"]
