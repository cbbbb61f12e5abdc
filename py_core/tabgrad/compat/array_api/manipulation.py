"""Shapes and order of elements."""

from __future__ import annotations

from collections.abc import Sequence

import tabgrad
from tabgrad.compat.array_api.elementwise import together
from tabgrad.errors import IndexRangeError, ShapeError
from tabgrad.tensor import Tensor

Axes = int | tuple[int, ...]


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """Tensors in the shape that they share by broadcasting."""
    return list(tabgrad.broadcast_tensors(*arrays)) if arrays else []


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """``x`` repeated along dimensions of size 1, and along new ones before its own."""
    return tabgrad.broadcast_to(x, shape)


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Tensors one behind the other along ``axis``, in their common dtype; None flattens them first."""
    parts = together(*arrays)
    return tabgrad.cat([p.reshape(-1) for p in parts], 0) if axis is None else tabgrad.cat(parts, axis)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    """A new dimension of size 1 at ``axis``.

    Raises:
        IndexError: ``axis`` is not from ``-ndim - 1`` to ``ndim``.
    """
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise IndexRangeError(f"expand_dims: expected axis from {-x.ndim - 1} to {x.ndim}, got {axis}")
    return tabgrad.unsqueeze(x, axis)


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """The elements in reverse order along one, several or all dimensions."""
    dims = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tabgrad.flip(x, tuple(dims)) if len(tuple(dims)) else tabgrad.clone(x)


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """Dimensions moved to other places; the others keep their order."""
    return tabgrad.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """The dimensions in another order."""
    return tabgrad.permute(x, axes)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element, or each slice along ``axis``, repeated where it is."""
    if isinstance(repeats, Tensor) and repeats.numel() == 1:
        repeats = int(repeats)
    return tabgrad.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements, in row-major order, in another shape.

    Args:
        x: any shape.
        shape: its product is the number of elements; one size may be -1.
        copy: True copies; None and False share memory where that is possible.

    Raises:
        ValueError: ``copy=False``, and the elements must be copied.
    """
    if copy:
        return tabgrad.reshape(tabgrad.clone(x), shape)
    return x.view(shape) if copy is False else tabgrad.reshape(x, shape)


def roll(x: Tensor, /, shift: Axes, *, axis: Axes | None = None) -> Tensor:
    """The elements moved on along dimensions, or of the flattened tensor; those at the end come to the start.

    Raises:
        ValueError: ``shift`` is a tuple, and ``axis`` is not one of the same length.
    """
    if isinstance(shift, tuple) and (not isinstance(axis, tuple) or len(axis) != len(shift)):
        raise ValueError(f"roll: expected an axis for each of the shifts {shift}, got {axis}")
    axes = (axis,) if isinstance(axis, int) else axis
    shifts = (shift,) * (len(axes) if axes else 1) if isinstance(shift, int) else shift
    if axes == ():
        return tabgrad.clone(x)
    if x.numel() == 0:
        return tabgrad.clone(x)
    return tabgrad.roll(x, shifts, axes)


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """Without dimensions of size 1.

    Raises:
        IndexError: there is no such dimension.
        ValueError: a dimension has another size.
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for one in axes:
        if not -x.ndim <= one < x.ndim:
            raise IndexRangeError(f"squeeze: expected axis from {-x.ndim} to {x.ndim - 1}, got {one}")
        if x.shape[one] != 1:
            raise ShapeError(f"squeeze: expected a dimension of size 1, got {x.shape[one]} at axis {one}")
    return tabgrad.squeeze(x, axes) if axes else tabgrad.clone(x)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension, in their common dtype."""
    return tabgrad.stack(together(*arrays), axis)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """``x`` repeated as a whole along each dimension."""
    return tabgrad.tile(x, tuple(repetitions)) if repetitions else tabgrad.clone(x)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along a dimension, without it."""
    return tuple(tabgrad.unbind(x, axis))


__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims", "repeat",
    "reshape", "roll", "squeeze", "stack", "tile", "unstack",
]  # fmt: skip
