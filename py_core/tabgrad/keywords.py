"""Keywords that PyTorch's functions share: where a tensor is made, and a tensor that a result is written to."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from tabgrad.errors import ArgumentError, DTypeError
from tabgrad.placement import check_placement
from tabgrad.tensor import Tensor


def _keyword(name: str, annotation: str) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


PLACING = (
    _keyword("device", "Any"), _keyword("layout", "Any"), _keyword("pin_memory", "bool | None"),
    _keyword("memory_format", "Any"),
)  # fmt: skip
OUT = (_keyword("out", "Tensor | None"),)
_PLACES = frozenset(p.name for p in PLACING)


def placed(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, which may be told where its result is to lie: on the session's device, as all tensors."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not _PLACES.isdisjoint(kwargs):
            check_placement(function.__name__, {name: kwargs.pop(name) for name in _PLACES & kwargs.keys()})
        return function(*args, **kwargs)

    return call


OTHER_NAMES = {
    "axis": "dim", "keepdims": "keepdim", "train": "training", "indices": "indices_or_sections",
    "sections": "indices_or_sections", "element": "elements", "test_element": "test_elements",
}  # fmt: skip


def renamed(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, some of whose arguments have further names in PyTorch, such as NumPy's ``axis``."""
    parameters = inspect.signature(function).parameters
    names = {other: name for other, name in OTHER_NAMES.items() if name in parameters and other not in parameters}
    if not names:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not names.keys().isdisjoint(kwargs):
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
        return function(*args, **kwargs)

    return call


def into(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, whose results, one or several, may be written to ``out``."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None) if kwargs else None
        found = function(*args, **kwargs)
        if out is None:
            return found
        caller = function.__name__
        if caller in _APART:
            _check_apart(caller, out, found, [*args, *kwargs.values()])
        if isinstance(found, Tensor):
            return _written(caller, out, found)
        if not isinstance(out, tuple | list) or len(out) != len(found):
            raise TypeError(f"{caller}: expected out as {len(found)} tensors, got {type(out).__name__}")
        written = [_written(caller, one, value) for one, value in zip(out, found, strict=True)]
        return type(found)(*written) if hasattr(found, "_fields") else tuple(written)

    return call


_APART = frozenset(("aminmax", "bernoulli", "cat", "gather", "index_select", "masked_select", "multinomial", "take"))
"""Functions whose ``out`` is no operand, as they read elements of other places than they write."""


def _check_apart(caller: str, out: Any, found: Any, given: list[Any]) -> None:
    """Raise for ``out`` of another dtype, or that shows the memory of an operand."""
    outs, values = (out, found) if isinstance(out, tuple | list) else ((out,), (found,))
    operands = [t for v in given for t in (v if isinstance(v, tuple | list) else (v,)) if isinstance(t, Tensor)]
    for one, value in zip(outs, values, strict=False):
        if not isinstance(one, Tensor):
            continue
        if one.dtype is not value.dtype and caller not in ("cat", "bernoulli"):
            raise DTypeError(f"{caller}: expected out of {value.dtype.name}, got {one.dtype.name}")
        if any(one is t or (one._memory is not None and one._memory is t._memory) for t in operands):
            raise ArgumentError(f"{caller}: expected out in memory of its own, got that of an operand; pass another")


def _written(caller: str, out: Any, found: Tensor) -> Tensor:
    """``out`` with the values of ``found``, and its shape.

    Raises:
        DTypeError: ``out`` cannot hold them.
        RuntimeError: gradients are recorded for one of them.
    """
    if not isinstance(out, Tensor):
        raise TypeError(f"{caller}: expected out as a Tensor, got {type(out).__name__}")
    if found.requires_grad or out.requires_grad:
        raise RuntimeError(
            f"{caller}: expected tensors that do not require grad where out= is given, as it is not differentiated; "
            f"leave out= away, or call it under no_grad()"
        )
    if found.dtype.category > out.dtype.category:
        raise DTypeError(f"{caller}: expected out of {found.dtype.name}, got {out.dtype.name}, which cannot hold it")
    if 0 in [step for n, step in zip(out.shape, out.stride(), strict=True) if n > 1]:
        raise ArgumentError(
            f"{caller}: expected out whose elements are each in one place, got an expanded tensor; clone() it first"
        )
    if out.shape == found.shape:
        return out.copy_(found)
    if out.numel():
        warnings.warn(
            f"{caller}: expected out of shape {list(found.shape)}, got {list(out.shape)}, which was resized; "
            f"pass one of that shape, or an empty one",
            UserWarning,
            stacklevel=3,
        )
    return out.set_(found.to(out.dtype))


__all__ = ["OTHER_NAMES", "OUT", "PLACING", "into", "placed", "renamed"]
