"""Tensors made in the dtype of another one, or in its shape; and the less usual ways to make them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import no_grad
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.memory import row_major
from tabgrad.names import public
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.creation import full, full_like, sizes_of, zeros
from tabgrad.ops.movement import ints_of
from tabgrad.ops.random_tensors import randint
from tabgrad.ops.rare.strided import as_strided
from tabgrad.random import Generator
from tabgrad.tensor import Tensor


@public(creates=True)
def empty_like(input: Tensor, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """As :func:`zeros_like`: there is no uninitialised memory here."""
    return full_like(input, 0, dtype=dtype, requires_grad=requires_grad)


@public(top=False, method=True, creates=True)
def new_full(
    input: Tensor, size: Any, fill_value: Any, *, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """``size`` filled with ``fill_value``, in the dtype of ``input``."""
    return full(sizes_of((), size), fill_value, dtype=dtype or input.dtype, requires_grad=requires_grad)


@public(top=False, method=True, creates=True)
def new_zeros(
    input: Tensor, *sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """Filled with 0, in the dtype of ``input``."""
    return full(sizes_of(sizes, size), 0, dtype=dtype or input.dtype, requires_grad=requires_grad)


@public(top=False, method=True, creates=True)
def new_ones(
    input: Tensor, *sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """Filled with 1, in the dtype of ``input``."""
    return full(sizes_of(sizes, size), 1, dtype=dtype or input.dtype, requires_grad=requires_grad)


@public(top=False, method=True, creates=True)
def new_empty(
    input: Tensor, *sizes: Any, size: Any = None, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """As :func:`new_zeros`: there is no uninitialised memory here."""
    return full(sizes_of(sizes, size), 0, dtype=dtype or input.dtype, requires_grad=requires_grad)


@public(top=False, method=True, creates=True, traced=False)
def new_tensor(input: Tensor, data: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of ``data``, in the dtype of ``input``."""
    target = dtype or input.dtype
    out = clone(data.detach()).to(target) if isinstance(data, Tensor) else Tensor._of(data, target)
    return out.requires_grad_() if requires_grad else out


@public(top=False, method=True, traced=False)
def new(input: Tensor, *data: Any) -> Tensor:
    """Of sizes, filled with 0, or of a sequence of values; in the dtype of ``input``."""
    if len(data) == 1 and isinstance(data[0], list | tuple | np.ndarray):
        return new_tensor(input, data[0])
    return new_zeros(input, *(data or (0,)))


@public(creates=True)
def empty_strided(size: Any, stride: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """As :func:`empty`, with those distances between neighbours in memory; zeros.

    Raises:
        ShapeError: there are not as many strides as sizes, or one is negative.
    """
    return _of_strides("empty_strided", size, stride, dtype or dtypes.float32, requires_grad)


@public(top=False, method=True, creates=True)
def new_empty_strided(
    input: Tensor, size: Any, stride: Any, *, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """As :func:`empty_strided`, in the dtype of ``input``."""
    return _of_strides("new_empty_strided", size, stride, dtype or input.dtype, requires_grad)


def _of_strides(caller: str, size: Any, stride: Any, dtype: DType, requires_grad: bool) -> Tensor:
    shape, given = sizes_of((), size), ints_of((stride,))
    if len(given) != len(shape) or min(given, default=0) < 0:
        raise ShapeError(f"{caller}: expected a stride >= 0 for each size, got {list(given)} for {list(shape)}")
    if 0 in shape or all(n == 1 or a == b for n, a, b in zip(shape, given, row_major(shape), strict=True)):
        return zeros(shape, dtype=dtype, requires_grad=requires_grad)
    count = sum((n - 1) * step for n, step in zip(shape, given, strict=True)) + 1
    with no_grad():
        out = as_strided(zeros((count,), dtype=dtype), shape, given).detach()
    return out.requires_grad_(requires_grad)


@public(creates=True)
def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """As :func:`empty`, with the dimensions in memory in the order of ``physical_layout``.

    Raises:
        ArgumentError: the order does not name each dimension once.
    """
    shape, order = sizes_of((), size), tuple(physical_layout)
    if sorted(order) != list(range(len(shape))):
        raise ArgumentError(f"empty_permuted: expected an order of {len(shape)} dimensions, got {list(order)}")
    out = zeros(tuple(shape[d] for d in order), dtype=dtype)
    out = out.permute(tuple(order.index(d) for d in range(len(shape)))) if shape else out
    return out.requires_grad_() if requires_grad else out


@public(creates=True, draws=True)
def randint_like(
    input: Tensor,
    low: Any,
    high: Any = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """As :func:`randint`, in the shape and dtype of ``input``: ``randint_like(x, high)`` or ``(x, low, high)``."""
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, input.shape, generator=generator, dtype=dtype or input.dtype, requires_grad=requires_grad)


@public(creates=True, out=True, traced=False)
def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: DType | None = None, requires_grad: bool = False
) -> Tensor:
    """``base`` to the power of ``steps`` numbers from ``start`` to ``end``, both included."""
    (count,) = sizes_of((steps,))
    target = dtype or dtypes.float32
    first, last = (float(v.item() if isinstance(v, Tensor) else v) for v in (start, end))
    if not target.is_floating_point:
        first, last = math.trunc(first), math.trunc(last)
    with np.errstate(over="ignore"):
        values = float(base) ** np.linspace(first, last, count)
        values = values.astype(np.float32) if target.is_floating_point else np.trunc(values)
    out = Tensor._of(values, target)
    return out.requires_grad_() if requires_grad else out


@public(creates=True)
def scalar_tensor(s: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A 0-d tensor of a number; float32 by default."""
    return full((), s, dtype=dtype or dtypes.float32, requires_grad=requires_grad)


@public(creates=True, traced=False)
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: DType | None = None) -> Tensor:
    """Rows and columns, ``[2, n]``, of the elements on and below a diagonal of a matrix ``[row, col]``."""
    return Tensor._of(np.stack(np.tril_indices(row, offset, col)).astype(np.int32), dtype)


@public(creates=True, traced=False)
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: DType | None = None) -> Tensor:
    """Rows and columns, ``[2, n]``, of the elements on and above a diagonal of a matrix ``[row, col]``."""
    return Tensor._of(np.stack(np.triu_indices(row, offset, col)).astype(np.int32), dtype)


@public(creates=True, traced=False)
def as_tensor(data: Any, dtype: DType | None = None) -> Tensor:
    """``data`` as a tensor: itself if it is one of that dtype, else a copy (memory is not shared with NumPy)."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return Tensor._of(_of_tensors(data), dtype)


@public(creates=True, traced=False)
def asarray(obj: Any, *, dtype: DType | None = None, copy: bool | None = None, requires_grad: bool = False) -> Tensor:
    """As :func:`as_tensor`; ``copy=True`` makes another tensor of a tensor.

    Raises:
        ArgumentError: ``copy=False`` of what is no tensor, as memory is not shared.
    """
    if copy is False and not (isinstance(obj, Tensor) and dtype in (None, obj.dtype)):
        raise ArgumentError("asarray: expected copy None or True, got False; values on the host are always copied")
    out = as_tensor(obj, dtype)
    out = clone(out) if copy and out is obj else out
    return out.requires_grad_() if requires_grad else out


def _of_tensors(data: Any) -> Any:
    """Sequences in which tensors of one element stand for numbers."""
    if isinstance(data, list | tuple):
        return [x.item() if isinstance(x, Tensor) and x.numel() == 1 else _of_tensors(x) for x in data]
    return data
