"""Where tensors are not zero, and what lies there: shapes that depend on data, which is read back to find them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import no_grad
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.indexing import getitem, rows_named
from tabgrad.ops.movement import broadcast_to, normalize_dim, reshape
from tabgrad.runtime.reads import read_now
from tabgrad.session import current
from tabgrad.tensor import Tensor


def read_values(caller: str, x: Tensor) -> np.ndarray:
    """The elements, for a result whose shape depends on them.

    Raises:
        DeviceError: this platform cannot wait.
        NotImplementedError: a step is being recorded.
    """
    if current().capturing() is not None:
        raise NotImplementedError(
            f"{caller}: a result whose shape depends on data is not supported inside tabgrad.compile; "
            f"call it outside, or use tabgrad.where and sums"
        )
    with no_grad():
        return read_now((x.float() if x.dtype is dtypes.bfloat16 else x).detach())[0]


@public(method=True)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of all elements that are not zero, in row-major order: one a row, ``[places, ndim]``.

    Args:
        as_tuple: as one index for each dimension, by which the tensor can be indexed; of a 0-d tensor one.

    Raises:
        DeviceError: values are read back, and this platform cannot wait.
        NotImplementedError: a step is being recorded.
    """
    values = read_values("nonzero", input)
    if as_tuple:
        return tuple(Tensor._of(found.astype(np.int32)) for found in np.nonzero(np.atleast_1d(values)))
    return Tensor._of(np.argwhere(values).astype(np.int32))


@public(method=True)
def argwhere(input: Tensor) -> Tensor:
    """As :func:`nonzero`."""
    found: Tensor = nonzero(input)
    return found


@public(method=True)
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """As :func:`nonzero`, with ``size`` rows: those beyond are left out, and missing ones hold ``fill_value``.

    Raises:
        ShapeError: the size is negative.
    """
    if size < 0:
        raise ShapeError(f"nonzero_static: expected size >= 0, got {size}")
    found = np.argwhere(read_values("nonzero_static", input))[:size]
    out = np.full((size, input.ndim), fill_value, np.int32)
    out[: len(found)] = found
    return Tensor._of(out)


@public(method=True, out=True)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where ``mask`` holds, in row-major order; input and mask are broadcast.

    Raises:
        DeviceError: the mask is read back, and this platform cannot wait.
        DTypeError: the mask is not bool.
        NotImplementedError: a step is being recorded.
    """
    if mask.dtype is not dtypes.bool_:
        raise DTypeError(f"masked_select: expected a bool mask, got {mask.dtype.name}; compare it first (mask != 0)")
    shape = broadcast_shapes(input.shape, mask.shape, caller="masked_select")
    found = getitem(broadcast_to(input, shape), broadcast_to(mask, shape))
    return reshape(found, (found.numel(),))


@public(method=True)
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each row along ``dim`` so many times as ``repeats`` says, one after the other.

    Args:
        input: alone, or as ``repeats``: the counts, of which the rows' numbers are returned.
        repeats: a number, or a tensor with a number for each row, which is read back.
        dim: without it the elements are one row.
        output_size: the sum of the counts.

    Raises:
        IndexRangeError: ``dim`` does not exist.
        ShapeError: there are not as many counts as rows, or one is negative.
    """
    if repeats is None:
        counts = _counts(input, output_size)
        return Tensor._of(np.repeat(np.arange(len(counts), dtype=np.int32), counts))
    x = reshape(input, (input.numel(),)) if dim is None or not input.ndim else input
    d = normalize_dim(0 if dim is None else dim, x.ndim, "repeat_interleave")
    n = x.shape[d]
    if not isinstance(repeats, Tensor):
        if repeats < 0 or (output_size is not None and output_size != n * repeats):
            raise ShapeError(f"repeat_interleave: expected repeats >= 0 of {n} rows that fit, got {repeats}")
        wide = broadcast_to(
            reshape(x, (*x.shape[: d + 1], 1, *x.shape[d + 1 :])), (*x.shape[: d + 1], repeats, *x.shape[d + 1 :])
        )
        out = reshape(wide, (*x.shape[:d], n * repeats, *x.shape[d + 1 :]))
        return out.clone() if repeats == 1 else out
    counts = _counts(repeats, None)
    counts = np.repeat(counts, n) if counts.size == 1 else counts
    if len(counts) != n or (output_size is not None and output_size != counts.sum()):
        raise ShapeError(f"repeat_interleave: expected a number for each of {n} rows that fit, got {len(counts)}")
    return rows_named(x, d, Tensor._of(np.repeat(np.arange(n, dtype=np.int32), counts)))


def _counts(repeats: Tensor, total: int | None) -> np.ndarray:
    if repeats.ndim > 1 or repeats.dtype.computed is not dtypes.int32:
        raise ShapeError(
            f"repeat_interleave: expected repeats as 1-d integers, got {list(repeats.shape)} of {repeats.dtype.name}"
        )
    counts = np.atleast_1d(read_values("repeat_interleave", repeats))
    if counts.size and counts.min() < 0:
        raise ShapeError(f"repeat_interleave: expected repeats >= 0, got {counts.min()}")
    if total is not None and total != counts.sum():
        raise ShapeError(f"repeat_interleave: expected output_size {counts.sum()}, got {total}")
    return counts
