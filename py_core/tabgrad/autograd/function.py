"""Functions with a gradient that the user writes: ``torch.autograd.Function``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tabgrad.autograd.applied import record
from tabgrad.autograd.function_record import FunctionCtx, sharing
from tabgrad.errors import GradError
from tabgrad.grad_mode import is_grad_enabled, is_recording, no_grad
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


class Function:
    """Base of functions with a gradient of the user's, as ``torch.autograd.Function``.

    A subclass defines static methods: ``forward(ctx, *args)``, or ``forward(*args)`` with
    ``setup_context(ctx, inputs, output)``; and ``backward(ctx, *grads)``, which is given a gradient for each result
    and returns one for each argument (None where there is none). Call it as ``MyFunction.apply(*args)``. A backward of
    differentiable ops can be differentiated again.

    In a plain loop both are called in each round, and the calls around them are executed; a step of
    ``tabgrad.compile`` records the tensor code in them. ``vmap`` and ``jvp`` are not called: see :mod:`tabgrad.func`.
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        raise RuntimeError(
            f"{type(self).__name__}: expected a call of {type(self).__name__}.apply(...), got an instance, which "
            f"PyTorch's functions have not had since version 1.3"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the results; every subclass defines it."""
        raise NotImplementedError("Function: expected a static method forward, got none; define it in the subclass")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save for ``backward`` what it needs, if ``forward`` takes no ``ctx``."""
        raise NotImplementedError("Function: expected a static method setup_context, got none")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments; every subclass that is differentiated defines it."""
        raise NotImplementedError("Function: expected a static method backward, got none; define it in the subclass")

    vjp = backward

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call ``forward``, without recording its ops, and record the results with ``backward``."""
        recording = current().capturing()
        if recording is not None:
            for method in (cls.forward, cls.setup_context):
                recording.state.meet(method)
        is_recorded = is_recording() and any(isinstance(a, Tensor) and a.requires_grad for a in args)
        if is_recorded and recording is None:
            current().own(Tracer).leave("a function has a gradient of the user's")
        ctx = FunctionCtx(cls, args)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                found = cls.forward(ctx, *args)
            else:
                found = cls.forward(*args)
                cls.setup_context(ctx, args, found)
        return ctx.finish(found) if is_recorded else found


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a ``backward`` whose gradients cannot be differentiated again: a second backward pass raises."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            found = fn(ctx, *args)
        through = tuple([a for a in args if isinstance(a, Tensor) and a.requires_grad])
        if not is_grad_enabled() or not through:
            return found
        made = [_refusing(f, through) if isinstance(f, Tensor) else f for f in _as_tuple(found)]
        return tuple(made) if isinstance(found, tuple | list) else made[0]

    return wrapper


def _as_tuple(found: Any) -> tuple[Any, ...]:
    return tuple(found) if isinstance(found, tuple | list) else (found,)


def _refusing(tensor: Tensor, through: tuple[Tensor, ...]) -> Tensor:
    out = sharing(tensor)
    record(out, "once_differentiable", _refused, through, {})
    return out


def _refused(*_: Any) -> Any:
    raise GradError(
        "backward: trying to differentiate twice a function that was marked with @once_differentiable; "
        "expected a first derivative only"
    )


__all__ = ["Function", "FunctionCtx", "once_differentiable"]
