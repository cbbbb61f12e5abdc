"""Which different elements a tensor has: their number depends on values, so these are read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.names import public
from tabgrad.ops.movement import normalize_dim
from tabgrad.runtime import read_now
from tabgrad.tensor import Tensor


def _read(input: Tensor) -> np.ndarray:
    return read_now(input.detach() if input.dtype is not dtypes.bfloat16 else input.detach().float())[0]


def _results(
    input: Tensor, values: np.ndarray, inverse: np.ndarray, counts: np.ndarray, wants: tuple[bool, bool]
) -> Any:
    found = [Tensor._of(np.ascontiguousarray(values)).to(input.dtype)]
    for wanted, array in zip(wants, (inverse, counts), strict=True):
        if wanted:
            found.append(Tensor._of(np.array(array, np.int32, order="C")))
    return found[0] if len(found) == 1 else tuple(found)


def _lines(values: np.ndarray, dim: int) -> np.ndarray:
    """``[n, rest]``: a slice along a dimension in each row."""
    moved = np.moveaxis(values, dim, 0)
    return moved.reshape(moved.shape[0], math.prod(moved.shape[1:]))


@public(method=True, traced=False)
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The different elements in order, or slices along ``dim``; waits for the device, as ``item()`` does.

    Args:
        sorted: they are sorted anyway.
        return_inverse: also which of them each element is; int32.
        return_counts: also how often each is there; int32.

    Raises:
        DeviceError: this platform cannot wait; use NumPy on what ``await tabgrad.read(x)`` gives.
    """
    values = _read(input)
    wants = (return_inverse, return_counts)
    if dim is None:
        found, inverse, counts = np.unique(values, return_inverse=True, return_counts=True, equal_nan=False)
        return _results(input, found, inverse.reshape(values.shape), counts, wants)
    d = normalize_dim(dim, input.ndim, "unique")
    lines = _lines(values, d)
    order = np.lexsort(lines.T[::-1]) if lines.size else np.arange(lines.shape[0])
    ordered = lines[order]
    first = np.ones(len(order), bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(1)
    place = np.cumsum(first) - 1
    inverse = np.empty(len(order), np.int64)
    inverse[order] = place
    counts = np.bincount(place, minlength=int(first.sum()))
    return _results(input, np.take(values, order[first], d), inverse, counts, wants)


@public(method=True, traced=False)
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements (slices along ``dim``) without those that equal the one before; waits for the device.

    Arguments and errors are those of :func:`unique`.
    """
    values = _read(input)
    d = 0 if dim is None else normalize_dim(dim, input.ndim, "unique_consecutive")
    flat = values.reshape(-1) if dim is None else values
    lines = _lines(flat, d)
    first = np.ones(lines.shape[0], bool)
    first[1:] = (lines[1:] != lines[:-1]).any(1)
    place = np.cumsum(first) - 1
    counts = np.bincount(place, minlength=int(first.sum()))
    inverse = place.reshape(values.shape) if dim is None else place
    return _results(input, np.compress(first, flat, d), inverse, counts, (return_inverse, return_counts))
