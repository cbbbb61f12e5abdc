"""Places of elements, order, and selection by places."""

from __future__ import annotations

import tabgrad
from tabgrad.compat.array_api.elementwise import Operand, together
from tabgrad.errors import ShapeError
from tabgrad.tensor import Tensor


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The place of the largest element along a dimension, or in the flattened tensor."""
    return _place("argmax", x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The place of the smallest element along a dimension, or in the flattened tensor."""
    return _place("argmin", x, axis, keepdims)


def _place(name: str, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    function = getattr(tabgrad, name)
    if axis is not None:
        return function(x, axis, keepdims)
    found: Tensor = function(x.reshape(-1), 0)
    return found.reshape((1,) * x.ndim) if keepdims else found


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The places of the elements in sorted order along a dimension."""
    return tabgrad.argsort(x, dim=axis, descending=descending, stable=stable)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements sorted along a dimension."""
    return tabgrad.sort(x, dim=axis, descending=descending, stable=stable)[0]


def isin(x1: Operand, x2: Operand, /, *, invert: bool = False) -> Tensor:
    """Whether each element of ``x1`` is one of ``x2``."""
    return tabgrad.isin(x1, x2, invert=invert)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The places of elements that are not 0, by dimension.

    Raises:
        ValueError: ``x`` has no dimension.
    """
    if x.ndim == 0:
        raise ShapeError("nonzero: expected at least one dimension, got none; use reshape(x, (1,))")
    return tuple(tabgrad.nonzero(x, as_tuple=True))


def searchsorted(x1: Tensor, x2: Operand, /, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Where the elements of ``x2`` would be entered in the sorted ``x1``, before its equal ones or behind them."""
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: expected side 'left' or 'right', got {side!r}")
    values, sought = together(x1, x2)
    return tabgrad.searchsorted(values, sought, side=side, sorter=sorter)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Slices along a dimension, by their places; those below 0 count from the end.

    Raises:
        ValueError: ``axis`` is missing, and ``x`` has not one dimension.
    """
    if axis is None:
        if x.ndim != 1:
            raise ShapeError(f"take: expected axis for a tensor of {x.ndim} dimensions, got None")
        axis = 0
    size = x.shape[axis]
    return tabgrad.index_select(x, axis, tabgrad.where(indices < 0, indices + size, indices))


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Elements by their places along a dimension; those below 0 count from the end."""
    places = tabgrad.where(indices < 0, indices + x.shape[axis], indices)
    return tabgrad.take_along_dim(x, places, axis)


def where(condition: Tensor, x1: Operand, x2: Operand, /) -> Tensor:
    """Elements of ``x1`` where ``condition`` is true, of ``x2`` elsewhere, in their common dtype."""
    return tabgrad.where(condition, *together(x1, x2))


__all__ = [
    "argmax", "argmin", "argsort", "isin", "nonzero", "searchsorted", "sort", "take", "take_along_axis", "where",
]  # fmt: skip
