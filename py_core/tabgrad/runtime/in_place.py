"""The methods that change a tensor in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tabgrad.errors import DTypeError, GradError
from tabgrad.grad_mode import is_grad_enabled, no_grad
from tabgrad.names import public
from tabgrad.ops.creation import full
from tabgrad.runtime.writes import assign
from tabgrad.tensor import Tensor


@public(top=False, method=True)
def copy_(input: Tensor, source: Any) -> Tensor:
    """Overwrite the value with ``source``, broadcast to this shape and cast to this dtype.

    Raises:
        GradError: a tensor that is being recorded cannot be overwritten; use ``no_grad()``.
        NotImplementedError: the tensor is a view (reshape, slice, permute, expand) of another one.
    """
    if is_grad_enabled() and (input.requires_grad or getattr(source, "requires_grad", False)):
        raise GradError("copy_: expected no recorded tensor, got one that requires grad; use tabgrad.no_grad()")
    if isinstance(source, Tensor):
        return _overwrite(input, source, fresh=False)
    return _overwrite(input, Tensor._of(source))


def _overwrite(target: Tensor, source: Tensor, *, fresh: bool = True) -> Tensor:
    """Take a tensor's values; a ``fresh`` one is nobody else's."""
    with no_grad():
        value = source.to(target.dtype).broadcast_to(target.shape)
    assign(target, value, fresh=fresh or value is not source)
    return target


@public(top=False, method=True)
def add_(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    """``input += alpha * other``, in place."""
    return _in_place(input, lambda x: x + (other if alpha == 1 else other * alpha))


@public(top=False, method=True)
def sub_(input: Tensor, other: Any) -> Tensor:
    """``input -= other``, in place."""
    return _in_place(input, lambda x: x - other)


@public(top=False, method=True)
def mul_(input: Tensor, other: Any) -> Tensor:
    """``input *= other``, in place."""
    return _in_place(input, lambda x: x * other)


@public(top=False, method=True)
def div_(input: Tensor, other: Any) -> Tensor:
    """``input /= other``, in place."""
    return _in_place(input, lambda x: x / other)


@public(top=False, method=True)
def clamp_(input: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """Limit the values, in place."""
    return _in_place(input, lambda x: x.clamp(min, max))


@public(top=False, method=True)
def zero_(input: Tensor) -> Tensor:
    """Set every element to 0, in place."""
    return fill_(input, 0)


@public(top=False, method=True)
def fill_(input: Tensor, value: float) -> Tensor:
    """Set every element to ``value``, in place."""
    return _in_place(input, lambda x: full(x.shape, value, dtype=x.dtype))


def _in_place(target: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    if is_grad_enabled() and target.requires_grad:
        raise GradError(
            "in-place op: expected a tensor that is not recorded, got one that requires grad; "
            "use the out-of-place form, or tabgrad.no_grad()"
        )
    with no_grad():
        value = change(target._bare())
    if value.dtype.category > target.dtype.category:
        raise DTypeError(
            f"in-place op: expected a result that fits {target.dtype.name}, got {value.dtype.name}; "
            f"use the out-of-place form, or convert first"
        )
    return _overwrite(target, value)
