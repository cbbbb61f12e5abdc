"""The methods that change a tensor in place at the places that an index names."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import GradError
from tabgrad.grad_mode import is_grad_enabled
from tabgrad.names import public
from tabgrad.ops import indexed_writes
from tabgrad.runtime.in_place import _in_place
from tabgrad.tensor import Tensor


def _check(caller: str, source: Any) -> None:
    if is_grad_enabled() and isinstance(source, Tensor) and source.requires_grad:
        raise GradError(
            f"{caller}: expected a source that is not recorded, got one that requires grad; "
            f"use the out-of-place form, or tabgrad.no_grad()"
        )


@public(top=False, method=True)
def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """:func:`tabgrad.index_add`, in place."""
    _check("index_add_", source)
    return _in_place(input, lambda x: indexed_writes.index_add(x, dim, index, source, alpha=alpha))


@public(top=False, method=True)
def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """:func:`tabgrad.index_copy`, in place."""
    _check("index_copy_", source)
    return _in_place(input, lambda x: indexed_writes.index_copy(x, dim, index, source))


@public(top=False, method=True)
def index_fill_(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """:func:`tabgrad.index_fill`, in place."""
    _check("index_fill_", value)
    return _in_place(input, lambda x: indexed_writes.index_fill(x, dim, index, value))


@public(top=False, method=True)
def scatter_(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """:func:`tabgrad.scatter`, in place."""
    _check("scatter_", src)
    return _in_place(input, lambda x: indexed_writes.scatter(x, dim, index, src, value=value, reduce=reduce))


@public(top=False, method=True)
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """:func:`tabgrad.scatter_add`, in place."""
    _check("scatter_add_", src)
    return _in_place(input, lambda x: indexed_writes.scatter_add(x, dim, index, src))


@public(top=False, method=True)
def scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """:func:`tabgrad.scatter_reduce`, in place."""
    _check("scatter_reduce_", src)
    return _in_place(
        input, lambda x: indexed_writes.scatter_reduce(x, dim, index, src, reduce, include_self=include_self)
    )
