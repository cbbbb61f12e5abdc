"""Making tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import tabgrad
from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.tensor import Tensor

Shape = int | tuple[int, ...]


def _sizes(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: DType | None = None, device: Any = None
) -> Tensor:
    """Numbers from ``start`` (0 if it is given alone) to before ``stop``; none where ``step`` leads away from it."""
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        floats = any(isinstance(n, float) for n in (start, stop, step))
        dtype = dtypes.float32 if floats else dtypes.int32
    if step != 0 and (stop - start) * math.copysign(1, step) <= 0:
        return empty(0, dtype=dtype, device=device)
    return tabgrad.arange(start, stop, step, dtype=dtype, device=device)


def asarray(obj: Any, /, *, dtype: DType | None = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of a tensor, an array, a number or nested sequences of numbers.

    Args:
        obj: what to convert. Python floats are float32, integers int32 without ``dtype``.
        dtype: that of the result.
        device: the session's, whatever it is.
        copy: of a tensor: True copies it; None and False give it as it is where it has the dtype.

    Raises:
        ValueError: ``copy=False``, and the values must be copied.
        OverflowError: an integer does not fit in the dtype.
    """
    if isinstance(obj, Tensor):
        if copy is False and dtype is not None and dtype is not obj.dtype:
            raise ValueError(f"asarray: expected the tensor's own dtype with copy=False, got {dtype!r}; use astype")
        converted = obj if dtype is None else obj.to(dtype)
        return tabgrad.clone(obj) if copy and converted is obj else converted
    if copy is False:
        raise ValueError(f"asarray: expected a tensor with copy=False, got {type(obj).__name__}; leave copy out")
    if _too_large(obj, dtype):
        raise OverflowError(f"asarray: expected integers that {(dtype or dtypes.int32).name} holds, got {obj!r}")
    return tabgrad.asarray(obj, dtype=dtype, device=device)


def _too_large(obj: Any, dtype: DType | None) -> bool:
    """Whether a Python integer does not fit."""
    if isinstance(obj, Sequence) and not isinstance(obj, str | bytes):
        return any(_too_large(one, dtype) for one in obj)
    if not isinstance(obj, int) or isinstance(obj, bool) or (dtype is not None and dtype.category != 1):
        return False
    limits = np.iinfo((dtype or dtypes.int32).storage)
    return not limits.min <= obj <= limits.max


def empty(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor of any values."""
    return tabgrad.empty(_sizes(shape), dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor of any values, of the shape of ``x``."""
    return tabgrad.empty_like(x, dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DType | None = None, device: Any = None
) -> Tensor:
    """A matrix with ones on the ``k``-th diagonal, above the main one if it is positive."""
    rows = tabgrad.arange(n_rows, device=device)[:, None]
    columns = tabgrad.arange(n_rows if n_cols is None else n_cols)[None]
    return (columns - rows == k).to(dtype or dtypes.float32)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of another library's array in the host's memory, copied; a tensor as it is.

    Raises:
        ValueError: ``copy=False``, and the values must be copied.
    """
    if isinstance(x, Tensor):
        return tabgrad.clone(x) if copy else x
    if copy is False:
        raise ValueError(f"from_dlpack: expected a tensor with copy=False, got {type(x).__name__}; leave copy out")
    return tabgrad.from_dlpack(x)


def full(shape: Shape, fill_value: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor of one number, in its dtype: bool, int32 or float32, where none is given."""
    return tabgrad.full(_sizes(shape), fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor of one number, of the shape and dtype of ``x``."""
    return tabgrad.full_like(x, fill_value, dtype=dtype, device=device)


def linspace(
    start: float, stop: float, /, num: int, *, dtype: DType | None = None, device: Any = None, endpoint: bool = True
) -> Tensor:
    """``num`` numbers evenly from ``start`` to ``stop``, which is the last one, or the one after it."""
    if endpoint:
        return tabgrad.linspace(start, stop, num, dtype=dtype, device=device)
    return tabgrad.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of a grid; with ``"xy"``, those of the first array run along the second dimension."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: expected indexing 'xy' or 'ij', got {indexing!r}")
    return list(tabgrad.meshgrid(*arrays, indexing=indexing)) if arrays else []


def ones(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor of ones."""
    return tabgrad.ones(_sizes(shape), dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor of ones, of the shape of ``x``."""
    return tabgrad.ones_like(x, dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The lower triangles of matrices, up to the ``k``-th diagonal; zeros elsewhere."""
    return tabgrad.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The upper triangles of matrices, from the ``k``-th diagonal on; zeros elsewhere."""
    return tabgrad.triu(x, k)


def zeros(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor of zeros."""
    return tabgrad.zeros(_sizes(shape), dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor of zeros, of the shape of ``x``."""
    return tabgrad.zeros_like(x, dtype=dtype, device=device)


__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid",
    "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip
