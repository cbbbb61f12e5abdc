"""Matrices on the host: read in float64, and results as tensors of the dtype that was read."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.runtime import read_now
from tabgrad.tensor import Tensor


class SingularError(ArgumentError, np.linalg.LinAlgError):
    """A matrix has no inverse, or is not positive definite: PyTorch's ``LinAlgError``."""


def check_matrices(caller: str, *tensors: Tensor, square: bool = False) -> None:
    """Raise unless they are (batches of) float matrices of one dtype."""
    for x in tensors:
        if not isinstance(x, Tensor):
            raise TypeError(f"{caller}: expected a Tensor, got {type(x).__name__}; wrap it in tabgrad.tensor(...)")
        if not x.dtype.is_floating_point or x.dtype is not tensors[0].dtype:
            got = " and ".join(t.dtype.name for t in tensors)
            raise DTypeError(f"{caller}: expected floating-point matrices of one dtype, got {got}; use x.float()")
        if x.ndim < 2:
            raise ShapeError(f"{caller}: expected matrices [..., M, N], got {list(x.shape)}")
        if square and x.shape[-1] != x.shape[-2]:
            raise ShapeError(f"{caller}: expected square matrices, got {list(x.shape)}")


def read_matrices(*tensors: Tensor) -> list[np.ndarray]:
    """Values in float64; waits for the device.

    Raises:
        DeviceError: this platform cannot wait; compute with what ``await tabgrad.read(...)`` gives.
    """
    wide = [t.detach() if t.dtype is dtypes.float64 else t.detach().float() for t in tensors]
    return [a.astype(np.float64) for a in read_now(*wide)]


def tensor_of(array: Any, dtype: DType = dtypes.float32) -> Tensor:
    """A tensor of host values."""
    exact = dtype if dtype in (dtypes.int32, dtypes.float64) else dtypes.float32
    host = np.ascontiguousarray(array, exact.storage)
    return Tensor._of(host.reshape(np.shape(array))).to(dtype)


def each_matrix(function: Callable[..., Any], *arrays: np.ndarray) -> list[Any]:
    """``function`` of each matrix of batches, which are of one shape, as a flat list."""
    flat = [a.reshape(math.prod(a.shape[:-2]), *a.shape[-2:]) for a in arrays]
    return [function(*parts) for parts in zip(*flat, strict=True)]


def stacked(parts: list[np.ndarray], batch: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    """What :func:`each_matrix` gave, as a batch of arrays of a shape."""
    return (np.stack(parts) if parts else np.zeros((0, *shape))).reshape(*batch, *shape)


__all__ = ["SingularError", "check_matrices", "each_matrix", "read_matrices", "stacked", "tensor_of"]
