"""Norms of matrices, of which some need singular values, which the host computes; and condition numbers."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.host_ops._matrices import check_matrices
from tabgrad.host_ops.eigenvalues import singular
from tabgrad.host_ops.solving import inverted
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.extremes import amax, amin
from tabgrad.ops.movement import normalize_dim, permute, reshape
from tabgrad.ops.rare.vector_norms import floats, lengths
from tabgrad.ops.reduce import sum
from tabgrad.tensor import Tensor


def of_matrices(caller: str, A: Tensor, ord: Any, dim: Any, keepdim: bool) -> Tensor:
    """The norm of matrices that lie along two dimensions."""
    if A.ndim < 2:
        raise ShapeError(f"{caller}: expected at least 2 dimensions, got {list(A.shape)}")
    if not isinstance(dim, list | tuple) or len(dim) != 2:
        raise ArgumentError(f"{caller}: expected dim as two dimensions, got {dim!r}")
    rows, columns = (normalize_dim(int(d), A.ndim, caller) for d in dim)
    if rows == columns:
        raise ShapeError(f"{caller}: expected two different dimensions, got {dim}")
    if ord in (1, 2, math.inf) and not A.shape[rows] * A.shape[columns]:
        return sum(A, (rows, columns), keepdim)
    summed, compared = (rows, columns) if ord == -1 else (columns, rows)
    if ord in (-1, -math.inf) and A.shape[compared] and not A.shape[summed]:  # the smallest of sums of nothing
        return sum(A, (rows, columns), keepdim)
    if ord == "fro":
        return lengths(caller, A, 2.0, (rows, columns), keepdim)
    if ord in ("nuc", 2, -2):
        rest = [d for d in range(A.ndim) if d not in (rows, columns)]
        values = singular(permute(A, (*rest, rows, columns)), False).S
        found = sum(values, -1) if ord == "nuc" else amax(values, -1) if ord == 2 else amin(values, -1)
        shape = tuple(1 if d in (rows, columns) else n for d, n in enumerate(A.shape))
        return reshape(found, shape) if keepdim else found
    if ord in (1, -1, math.inf, -math.inf):
        first, second = (rows, columns) if abs(ord) == 1 else (columns, rows)
        found = (amax if ord > 0 else amin)(sum(ew.abs(A), first, keepdim=True), second, keepdim=True)
        return found if keepdim else reshape(found, tuple(n for d, n in enumerate(A.shape) if d not in (rows, columns)))
    raise ArgumentError(f"{caller}: expected ord 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}")


@public(namespace="linalg", out=True)
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """Norms of matrices; those by singular values are computed on the host.

    Args:
        ord: ``fro`` (Frobenius), ``nuc`` (sum of singular values), 2 and -2 (the largest and the smallest one), 1 and
            -1 (the largest and the smallest sum of a column), inf and -inf (of a row).
        dim: along which two dimensions the matrices lie.
    """
    return of_matrices("linalg.matrix_norm", floats("linalg.matrix_norm", A, dtype), ord, dim, keepdim)


@public(namespace="linalg", out=True)
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Norms of vectors, or of matrices where ``dim`` is a pair, or where ``ord`` is given for a matrix.

    Args:
        ord: of the vectors' or the matrices' norm; the root of the sum of squares by default.
    """
    x = floats("linalg.norm", A, dtype)
    if ord is None:
        return lengths("linalg.norm", x, 2.0, dim, keepdim)
    if dim is None:
        if x.ndim not in (1, 2):
            raise ShapeError(f"linalg.norm: expected 1 or 2 dimensions where dim is not given, got {list(x.shape)}")
        dim = 0 if x.ndim == 1 else (0, 1)
    if isinstance(dim, list | tuple) and len(dim) == 2:
        return of_matrices("linalg.norm", x, ord, dim, keepdim)
    if isinstance(ord, str):
        raise ArgumentError(f"linalg.norm: expected ord as a number for vectors, got {ord!r}")
    return lengths("linalg.norm", x, float(ord), dim, keepdim)


@public(namespace="linalg", out=True)
def cond(A: Tensor, p: Any = None) -> Tensor:
    """Condition numbers: the norm of matrices times that of their inverses; computed on the host.

    Args:
        p: the norm's order; 2 by default.
    """
    check_matrices("linalg.cond", A)
    if p in (None, 2, -2):
        s = singular(A, False).S
        large, small = s.narrow(-1, 0, 1), s.narrow(-1, s.shape[-1] - 1, 1)
        found = small / large if p == -2 else large / small
        return reshape(found, A.shape[:-2])
    check_matrices("linalg.cond", A, square=True)
    inverse = inverted("linalg.cond", A)
    return of_matrices("linalg.cond", A, p, (-2, -1), False) * of_matrices("linalg.cond", inverse, p, (-2, -1), False)
