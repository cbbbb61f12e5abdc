"""PyTorch's ``torch.utils.checkpoint``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def checkpoint(function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """``function(*args)``; its activations are kept, not computed again, so values and gradients are PyTorch's.

    What it saves in PyTorch is memory alone. ``preserve_rng_state``, ``context_fn``, ``determinism_check``, ``debug``
    and ``early_stop`` have no meaning here.
    """
    for name in ("preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop"):
        kwargs.pop(name, None)
    return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Iterable[Callable[..., Any]], segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """The functions one after another; see :func:`checkpoint`."""
    for function in functions:
        input = function(input)
    return input


__all__ = ["checkpoint", "checkpoint_sequential"]
