"""The standard's extension for linear algebra."""

from __future__ import annotations

from typing import Any

import tabgrad
from tabgrad import linalg as _torch
from tabgrad.compat.array_api.elementwise import together
from tabgrad.compat.array_api.products import matmul, matrix_transpose, tensordot, vecdot
from tabgrad.compat.array_api.reductions import sum as _sum
from tabgrad.dtypes import DType
from tabgrad.errors import ShapeError
from tabgrad.tensor import Tensor


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """As :func:`tabgrad.linalg.cholesky`."""
    return _torch.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Cross products along a dimension of size 3; the others are broadcast."""
    one, other = tabgrad.broadcast_tensors(*together(x1, x2))
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ShapeError(f"cross: expected size 3 at axis {axis}, got {list(x1.shape)} and {list(x2.shape)}")
    return _torch.cross(one, other, dim=axis)


def det(x: Tensor, /) -> Tensor:
    """As :func:`tabgrad.linalg.det`."""
    return _torch.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """The diagonals of matrices: the main one, or one above it (below it if ``offset`` is negative)."""
    return _torch.diagonal(x, offset=offset)


def eigh(x: Tensor, /) -> Any:
    """As :func:`tabgrad.linalg.eigh`."""
    return _torch.eigh(x)


def eigvalsh(x: Tensor, /) -> Tensor:
    """As :func:`tabgrad.linalg.eigvalsh`."""
    return _torch.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """As :func:`tabgrad.linalg.inv`."""
    return _torch.inv(x)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """As :func:`tabgrad.linalg.matrix_norm`, of the last two dimensions."""
    return _torch.matrix_norm(x, ord, (-2, -1), keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """As :func:`tabgrad.linalg.matrix_power`."""
    return _torch.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """As :func:`tabgrad.linalg.matrix_rank`."""
    return _torch.matrix_rank(x, rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of each element of one vector with each of another."""
    return tabgrad.outer(*together(x1, x2))


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """As :func:`tabgrad.linalg.pinv`."""
    return _torch.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> Any:
    """As :func:`tabgrad.linalg.qr`."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: expected mode 'reduced' or 'complete', got {mode!r}")
    return _torch.qr(x, mode)


def slogdet(x: Tensor, /) -> Any:
    """As :func:`tabgrad.linalg.slogdet`."""
    return _torch.slogdet(x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solutions of ``x1 @ y = x2``; ``x2`` is a vector only if it has one dimension, otherwise matrices."""
    a, b = together(x1, x2)
    vector = b.ndim == 1
    if vector:
        b = b[:, None]
    batch = tabgrad.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    found = _torch.solve(
        tabgrad.broadcast_to(a, (*batch, *a.shape[-2:])), tabgrad.broadcast_to(b, (*batch, *b.shape[-2:]))
    )
    return found[..., 0] if vector else found


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    """As :func:`tabgrad.linalg.svd`."""
    return _torch.svd(x, full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    """As :func:`tabgrad.linalg.svdvals`."""
    return _torch.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: DType | None = None) -> Tensor:
    """The sums of the diagonals of matrices; of integers as int32 without ``dtype``."""
    return _sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(
    x: Tensor, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: float = 2
) -> Tensor:
    """As :func:`tabgrad.linalg.vector_norm`; of no dimension, where ``axis`` is the empty tuple."""
    if axis == ():
        return tabgrad.abs(x) if ord != 0 else (x != 0).to(x.dtype)
    return _torch.vector_norm(x, ord, axis, keepdims)


__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
    "trace", "vecdot", "vector_norm",
]  # fmt: skip
