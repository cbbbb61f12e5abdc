"""First and second gradients of a sample, PyTorch's and tabgrad's, for the same random seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

import tabgrad as tg
from parity.freedom import NOT_DERIVED, ROUNDED
from parity.plain import ABSOLUTE
from parity.values import Converter, array_of, difference, tensors_in

_APART = 2.0  # times PyTorch's own error, where that is larger than the tolerance


def gradient_difference(
    name: str, call: Any, expected: Any, got: Any, leaves: list[torch.Tensor], convert: Converter, again: bool
) -> str | None:
    """What is different, in words; None where nothing is.

    Args:
        call: PyTorch's function, and the arguments and keywords that gave ``expected``.
        again: whether second gradients are compared.
    """
    theirs = list(tensors_in(expected, torch.Tensor))
    ours = list(tensors_in(got, tg.Tensor))
    pairs = [(e, g) for e, g in zip(theirs, ours, strict=True) if e.requires_grad]
    wanted = list({id(t): t for t in leaves if t.requires_grad}.values())
    precise = _in_double(call, wanted, again) if name in ROUNDED else None
    for where in ("gradient", "second gradient") if again else ("gradient",):
        if not pairs or not wanted:
            return None
        if not all(g.requires_grad for _, g in pairs):
            return f"{where}: expected a result that requires grad, got one that does not"
        torch.default_generator.manual_seed(1)
        seeds = [torch.randn(e.shape).to(e.dtype) for e, _ in pairs]
        mine = [convert(t) for t in wanted]
        keywords = {"allow_unused": True, "create_graph": again}
        try:
            first = torch.autograd.grad([e for e, _ in pairs], wanted, seeds, **keywords)
        except RuntimeError:  # PyTorch has no derivative
            return None
        if name in NOT_DERIVED:
            first = tuple(_by_differences(call, wanted, t, seeds[0]) for t in wanted)
        found = tg.autograd.grad([g for _, g in pairs], mine, [convert(s) for s in seeds], **keywords)
        exact = next(precise) if precise else [None] * len(wanted)
        for n, (e, g, x) in enumerate(zip(first, found, exact, strict=True)):
            if e is None or g is None:
                filled = e if g is None else g
                if filled is None or not bool((filled != 0).any()):
                    continue
                return f"{where} {n}: expected {_there(e)}, got {_there(g)}"
            if (different := difference(e, g, where=f"{where} {n}")) and not _as_near(e, g, x):
                return different
        both = [(e, g) for e, g in zip(first, found, strict=True) if e is not None and g is not None]
        pairs = [(e, g) for e, g in both if e.requires_grad and (g.requires_grad or _depends(e, wanted))]
    return None


def _as_near(expected: torch.Tensor, got: Any, exact: torch.Tensor | None) -> bool:
    """Whether tabgrad's is about as near to the result in float64 as PyTorch's."""
    if exact is None:
        return False
    right = array_of(exact)
    theirs, ours = (np.abs(array_of(t) - right).max(initial=0.0) for t in (expected, got))
    return bool(ours <= _APART * theirs)


def _in_double(call: Any, wanted: list[torch.Tensor], again: bool) -> Iterator[list[torch.Tensor | None]]:
    """PyTorch's gradients in float64; then the second ones, of those that can be derived."""
    function, values, keywords = call
    made = {id(t): t.detach().double().requires_grad_() for t in wanted}
    with torch.enable_grad():
        results = list(tensors_in(function(*_replaced(values, made), **_replaced(keywords, made)), torch.Tensor))
        while results := [r for r in results if r.requires_grad]:
            torch.default_generator.manual_seed(1)
            seeds = [torch.randn(r.shape).double() for r in results]
            found = torch.autograd.grad(results, list(made.values()), seeds, allow_unused=True, create_graph=again)
            yield list(found)
            results = [t for t in found if t is not None]


def _by_differences(call: Any, wanted: list[torch.Tensor], of: torch.Tensor, seed: torch.Tensor) -> torch.Tensor:
    """The gradient of a function that is linear in each of its arguments."""
    function, values, keywords = call
    made = {id(t): t.detach().double() for t in wanted}
    changed = torch.zeros_like(made[id(of)])
    found = torch.zeros_like(changed)
    for n in range(changed.numel()):
        changed.view(-1)[n] = 1.0
        ends = [
            function(*_replaced(values, {**made, id(of): made[id(of)] + sign * changed}), **_replaced(keywords, made))
            for sign in (0.5, -0.5)
        ]
        found.view(-1)[n] = ((ends[0] - ends[1]) * seed.double()).sum()
        changed.view(-1)[n] = 0.0
    return found.to(of.dtype)


def _replaced(value: Any, made: dict[int, torch.Tensor]) -> Any:
    """Nested values with other tensors in the place of those."""
    if isinstance(value, torch.Tensor):
        return made.get(id(value), value)
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(_replaced(v, made) for v in value)
    if isinstance(value, dict):
        return {k: _replaced(v, made) for k, v in value.items()}
    return value


def _depends(gradient: torch.Tensor, wanted: list[torch.Tensor]) -> bool:
    """Whether a gradient of PyTorch's changes with the values by more than its rounding."""
    found = torch.autograd.grad(gradient, wanted, torch.ones_like(gradient), allow_unused=True, retain_graph=True)
    return any(t is not None and bool((~(t.abs() <= ABSOLUTE)).any()) for t in found)


def _there(gradient: Any) -> str:
    return "None" if gradient is None else "a tensor"


__all__ = ["gradient_difference"]
