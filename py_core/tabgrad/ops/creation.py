"""Tensors made from nothing: constants and ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentTypeError, ShapeError
from tabgrad.graph import node as graph
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import as_tensor, scalar_dtype
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.number import Number


@public(traced=False, creates=True)
def tensor(data: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of ``data``: numbers, nested sequences or a NumPy array.

    Raises:
        DTypeError: float64 arrays (pass ``dtype=tabgrad.float32``), or integers beyond 32 bits.
    """
    made = Tensor._of(data, dtype)
    return made.requires_grad_() if requires_grad else made


@public(traced=False)
def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor with a copy of a NumPy array (memory is not shared, unlike PyTorch's)."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy: expected an array, got {type(array).__name__}; use tabgrad.tensor(...)")
    return Tensor._of(array)


def sizes_of(given: tuple[Any, ...], size: Any = None) -> tuple[int, ...]:
    """The shape that is given as several sizes, as one sequence of them, or as the keyword ``size``.

    Raises:
        ShapeError: a size is negative, too large, or no whole number.
    """
    if size is not None:
        if given:
            raise TypeError(f"tensor creation: expected sizes or size=, got both {given!r} and {size!r}")
        given = tuple(size) if isinstance(size, tuple | list) else (size,)
    shape = tuple(given[0]) if len(given) == 1 and isinstance(given[0], tuple | list) else given
    shape = tuple(n.item() if isinstance(n, Tensor) and n.numel() == 1 else n for n in shape)
    if any(not isinstance(n, int | np.integer) or isinstance(n, bool) for n in shape):
        raise ArgumentTypeError(f"tensor creation: expected sizes as whole numbers, got {list(shape)}")
    if any(n < 0 for n in shape):
        raise ShapeError(f"tensor creation: expected sizes >= 0, got {list(shape)}")
    if any(n >= 2**31 for n in shape):
        raise ShapeError(f"tensor creation: expected sizes below 2**31, got {list(shape)}")
    return tuple(int(n) for n in shape)


@public(creates=True, out=True)
def full(size: Any, fill_value: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """``size`` filled with ``fill_value``.

    Args:
        size: a size, or several.
        fill_value: a number, or a 0-d tensor.
        dtype: that of ``fill_value`` by default: bool, int32 or float32.

    Raises:
        DTypeError: the dtype cannot hold the number.
        ShapeError: a size is negative.
    """
    if isinstance(size, int):
        raise TypeError(f"full: expected size as a sequence of sizes, got {size}; write ({size},)")
    sizes = sizes_of(tuple(size))
    if not isinstance(fill_value, Tensor) and not hasattr(type(fill_value), "__float__"):
        raise TypeError(f"full: expected fill_value as a number, got {type(fill_value).__name__}")
    if isinstance(fill_value, Tensor):
        if fill_value.ndim:
            raise ShapeError(f"full: expected fill_value as a number, got a tensor of shape {list(fill_value.shape)}")
        out = ew.clone(fill_value.detach().to(dtype or fill_value.dtype).expand(sizes))
        return out.requires_grad_() if requires_grad else out
    target = current().stored_as(dtype or scalar_dtype(fill_value))
    dtypes.check_fits("full", fill_value)
    number: Any = fill_value
    if type(number) is Number:  # one that differs from round to round of a loop
        out = as_tensor(number, target, sizes)
    else:
        out = Tensor._from_node(graph.const(dtypes.constant(fill_value, target, "full"), sizes, target))
    return out.requires_grad_() if requires_grad else out


@public(creates=True, out=True)
def zeros(*sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Filled with 0.

    float32 by default.

    Raises:
        ShapeError: a size is negative.
    """
    return full(sizes_of(sizes, size), 0.0, dtype=dtype, requires_grad=requires_grad)


@public(creates=True, out=True)
def ones(*sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Filled with 1."""
    return full(sizes_of(sizes, size), 1.0, dtype=dtype, requires_grad=requires_grad)


@public(creates=True, out=True)
def empty(*sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """As :func:`zeros`: there is no uninitialised memory here."""
    return zeros(*sizes, size=size, dtype=dtype, requires_grad=requires_grad)


@public(creates=True)
def full_like(input: Tensor, fill_value: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Filled with ``fill_value``, in the shape and dtype of ``input``."""
    return full(input.shape, fill_value, dtype=dtype or input.dtype, requires_grad=requires_grad)


@public(creates=True)
def zeros_like(input: Tensor, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Filled with 0, in the shape and dtype of ``input``."""
    return full_like(input, 0, dtype=dtype, requires_grad=requires_grad)


@public(creates=True)
def ones_like(input: Tensor, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """Filled with 1, in the shape and dtype of ``input``."""
    return full_like(input, 1, dtype=dtype, requires_grad=requires_grad)


@public(creates=True, out=True)
def arange(
    start: Any = None, end: Any = None, step: Any = 1, *, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """``start, start + step, ...`` below ``end`` (or ``0, 1, ...`` below ``start``).

    int32 if all are integers, else float32.

    Raises:
        ShapeError: the step does not lead from ``start`` to ``end``.
    """
    if end is None:
        if start is None:
            raise TypeError("arange: expected where it ends, got nothing")
        start, end = 0, start
    start = 0 if start is None else start
    start, end, step = (v.item() if isinstance(v, Tensor | np.generic) else v for v in (start, end, step))
    if not all(hasattr(type(v), "__float__") for v in (start, end, step)):
        raise TypeError(f"arange: expected numbers, got {start!r}, {end!r}, {step!r}")
    if dtype is not dtypes.float64:
        dtypes.check_fits("arange", start, end, step)
    if dtype is not None and dtype.category == 1:
        start, end, step = int(start), int(end), int(step)
    if step == 0 or (end - start) * step < 0:
        raise ShapeError(f"arange: expected a step that leads from {start} to {end}, got {step}")
    whole = all(isinstance(v, int) for v in (start, end, step))
    count = max(0, math.ceil((end - start) / step))
    target = dtype or (dtypes.int32 if whole else dtypes.float32)
    kind = target if target is dtypes.float64 else dtypes.int32 if whole else dtypes.float32
    index = ew.cast(ew.iota((count,), 0), kind)
    out = index if step == 1 else index * step
    out = ew.cast(out if start == 0 else out + start, target)
    return out.requires_grad_() if requires_grad else out


@public(creates=True, out=True)
def linspace(start: Any, end: Any, steps: int, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """``steps`` numbers from ``start`` to ``end``, both included; float32 by default.

    Raises:
        ShapeError: ``steps`` is negative.
    """
    start, end = (v.item() if isinstance(v, Tensor | np.generic) else v for v in (start, end))
    if dtype is not dtypes.float64:
        dtypes.check_fits("linspace", start, end, end - start)
    if dtype is not None and not dtype.is_floating_point:
        start, end = int(start), int(end)
    (count,) = sizes_of((steps,))
    if count == 1:
        return full((1,), start, dtype=dtype or dtypes.float32, requires_grad=requires_grad)
    step = (end - start) / (count - 1) if count else 0.0
    index = ew.iota((count,), 0)
    if dtype is not None and not dtype.is_floating_point:
        if max(abs(end - start), abs(start), abs(end)) * count < 2**31:
            out = ew.div(index * (end - start) + start * (count - 1), max(count - 1, 1), rounding_mode="trunc")
            return ew.cast(out, dtype)
        return ew.cast(linspace(start, end, count), dtype)
    wide = dtypes.float64 if dtype is dtypes.float64 else dtypes.float32
    out = ew.where(
        ew.lt(index, count // 2),
        ew.cast(index, wide) * step + float(start),
        float(end) - ew.cast(count - 1 - index, wide) * step,
    )
    out = ew.cast(out, dtype or dtypes.float32)
    return out.requires_grad_() if requires_grad else out


@public(creates=True, out=True)
def eye(n: int, m: int | None = None, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """The identity matrix ``[n, m]``.

    ``m`` is ``n`` by default; float32 by default.
    """
    shape = sizes_of((n, n if m is None else m))
    out = ew.cast(ew.eq(ew.iota(shape, 0), ew.iota(shape, 1)), dtype or dtypes.float32)
    return out.requires_grad_() if requires_grad else out


def _check_matrix(caller: str, x: Tensor, diagonal: Any) -> None:
    if x.ndim < 2:
        raise ShapeError(f"{caller}: expected two dimensions or more, got {list(x.shape)}")
    if not isinstance(diagonal, int | np.integer):
        raise TypeError(f"{caller}: expected diagonal as a whole number, got {diagonal!r}")


@public(method=True, inplace=True, out=True)
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """``input`` with zeros above the diagonal of the last two dimensions.

    Args:
        input: ``[..., n, m]``.
        diagonal: which one bounds them; those above the main one are positive.

    Raises:
        ShapeError: there are fewer than two dimensions.
    """
    x = input
    _check_matrix("tril", x, diagonal)
    row, col = ew.iota(x.shape, x.ndim - 2), ew.iota(x.shape, x.ndim - 1)
    return ew.where(ew.le(col, row + diagonal), x, False)


@public(method=True, inplace=True, out=True)
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """``input`` with zeros below the diagonal of the last two dimensions.

    Args:
        input: ``[..., n, m]``.
        diagonal: which one bounds them; those above the main one are positive.

    Raises:
        ShapeError: there are fewer than two dimensions.
    """
    x = input
    _check_matrix("triu", x, diagonal)
    row, col = ew.iota(x.shape, x.ndim - 2), ew.iota(x.shape, x.ndim - 1)
    return ew.where(ew.ge(col, row + diagonal), x, False)
