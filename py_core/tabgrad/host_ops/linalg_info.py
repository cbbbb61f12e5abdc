"""Factors, inverses and solutions that do not raise where a matrix has none: ``info`` says which ones.

Of a matrix without a result ``info`` is LAPACK's number, from 1 on: the first pivot that is 0, or the order of the
first leading minor that is not positive. Its result is NaN throughout (PyTorch leaves it open), except LU factors.
"""

from __future__ import annotations

import math

import numpy as np

from tabgrad import dtypes
from tabgrad.host_ops import factoring
from tabgrad.host_ops._matrices import SingularError, check_matrices, each_matrix, read_matrices, tensor_of
from tabgrad.host_ops.factoring import eliminated, lu_matrix, lu_parts
from tabgrad.host_ops.solving import eye_like, inverted, solved_by
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.movement import reshape
from tabgrad.ops.result_types import FactorAndInfo, InverseAndInfo, LUAndInfo, LUAndPivots, ResultAndInfo
from tabgrad.tensor import Tensor


def _zero_pivot(a: np.ndarray) -> int:
    """The first pivot, from 1 on, that is 0; 0 if none is."""
    pivots = np.diagonal(eliminated(a)[0])
    return int(np.argmax(pivots == 0)) + 1 if (pivots == 0).any() else 0


def _minor_not_positive(a: np.ndarray) -> int:
    """The order of the first leading minor that is not positive; 0 if all are."""
    a = a.copy()
    for k in range(a.shape[0]):
        if not a[k, k] > 0:
            return k + 1
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k + 1 :, k]) / a[k, k]
    return 0


def _singular(A: Tensor) -> np.ndarray:
    """``info`` of square matrices."""
    (a,) = read_matrices(A)
    info = np.zeros(a.shape[:-2], np.int32)
    bad = np.linalg.slogdet(a)[0] == 0
    info[bad] = [_zero_pivot(one) for one in a[bad]]
    return info


def _checked(caller: str, info: np.ndarray, check_errors: bool, what: str) -> None:
    if check_errors and info.any():
        at = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(info)))
        which = f"another one at {list(at)}" if info.ndim else "another one"
        raise SingularError(
            f"{caller}: expected {what}, got {which} (info {np.atleast_1d(info)[at]}); "
            f"linalg.{caller.removeprefix('linalg.').removesuffix('_ex')}_ex without check_errors returns info"
        )


def _sound(A: Tensor, info: np.ndarray) -> tuple[Tensor, Tensor]:
    """The matrices with the identity for those without a result; and which these are, ``[..., 1, 1]``."""
    bad = reshape(tensor_of(info != 0, dtypes.bool_), (*info.shape, 1, 1))
    return ew.where(bad, eye_like(A), A) if info.any() else A, bad


@public(namespace="linalg", out=True)
def inv_ex(A: Tensor, *, check_errors: bool = False) -> InverseAndInfo:
    """As ``linalg.inv``, and which matrices have none: (inverse, info); computed on the host.

    Args:
        check_errors: raise where one has none.

    Raises:
        ShapeError: they are not square.
        SingularError: ``check_errors`` asks for it.
    """
    check_matrices("linalg.inv_ex", A, square=True)
    info = _singular(A)
    _checked("linalg.inv_ex", info, check_errors, "invertible matrices")
    sound, bad = _sound(A, info)
    return InverseAndInfo(_nan_where(bad, info, inverted("linalg.inv_ex", sound)), tensor_of(info, dtypes.int32))


@public(namespace="linalg", out=True)
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> ResultAndInfo:
    """As ``linalg.solve``, and which systems have no one solution: (result, info); computed on the host.

    Args:
        check_errors: raise where one has none.

    Raises:
        ShapeError: sizes do not fit.
        SingularError: ``check_errors`` asks for it.
    """
    check_matrices("linalg.solve_ex", A, square=True)
    info = _singular(A)
    _checked("linalg.solve_ex", info, check_errors, "invertible matrices")
    sound, bad = _sound(A, info)
    found = solved_by("linalg.solve_ex", sound, B, left)
    if found.ndim < max(A.ndim, B.ndim + (B.ndim == A.ndim - 1)):  # of vectors
        bad = reshape(bad, bad.shape[:-1])
    return ResultAndInfo(_nan_where(bad, info, found), tensor_of(info, dtypes.int32))


@public(namespace="linalg", out=True)
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> FactorAndInfo:
    """As ``linalg.cholesky``, and which matrices are not positive definite: (L, info); computed on the host.

    Args:
        check_errors: raise where one is not.

    Raises:
        ShapeError: they are not square.
        SingularError: ``check_errors`` asks for it.
    """
    check_matrices("linalg.cholesky_ex", A, square=True)
    (a,) = read_matrices(A)
    whole = np.swapaxes(a, -2, -1) if upper else a
    whole = np.tril(whole) + np.swapaxes(np.tril(whole, -1), -2, -1)
    info = np.array(each_matrix(_minor_not_positive, whole), np.int32).reshape(a.shape[:-2])
    _checked("linalg.cholesky_ex", info, check_errors, "positive definite matrices")
    sound, bad = _sound(A, info)
    return FactorAndInfo(_nan_where(bad, info, factoring.cholesky(sound, upper)), tensor_of(info, dtypes.int32))


def _nan_where(bad: Tensor, info: np.ndarray, found: Tensor) -> Tensor:
    return ew.where(bad, math.nan, found) if info.any() else found


def factored(caller: str, A: Tensor, pivot: bool, check_errors: bool) -> LUAndInfo:
    """What :func:`lu_factor_ex` gives."""
    check_matrices(caller, A)
    (a,) = read_matrices(A)
    parts = each_matrix(lambda one: eliminated(one, pivot), a)
    zero = [np.diagonal(part) == 0 for part, _ in parts]
    info = np.array([int(np.argmax(z)) + 1 if z.any() else 0 for z in zero], np.int32).reshape(a.shape[:-2])
    _checked(caller, info, check_errors, "matrices whose U has no 0 on its diagonal")
    if info.any() and not A.requires_grad:
        flat = np.array([part for part, _ in parts]).reshape(a.shape)
        pivots = np.array([p for _, p in parts]).reshape(*a.shape[:-2], min(a.shape[-2:]))
        return LUAndInfo(tensor_of(flat, A.dtype), tensor_of(pivots + 1, dtypes.int32), tensor_of(info, dtypes.int32))
    pivots, lower, upper = lu_parts(caller, A, pivot)
    return LUAndInfo(lu_matrix(lower, upper), tensor_of(pivots + 1, dtypes.int32), tensor_of(info, dtypes.int32))


@public(namespace="linalg", out=True)
def lu_factor(A: Tensor, *, pivot: bool = True) -> LUAndPivots:
    """Both triangles in one matrix, and the swaps of rows, int32 from 1 on: (LU, pivots); computed on the host.

    Raises:
        SingularError: there is a 0 on the upper triangle's diagonal.
    """
    return LUAndPivots(*factored("linalg.lu_factor", A, pivot, True)[:2])


@public(namespace="linalg", out=True)
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> LUAndInfo:
    """As :func:`lu_factor`, and which matrices have a 0 on the diagonal of U: (LU, pivots, info).

    Args:
        check_errors: raise where there is one.

    Raises:
        SingularError: ``check_errors`` asks for it.
    """
    return factored("linalg.lu_factor_ex", A, pivot, check_errors)


__all__ = ["cholesky_ex", "factored", "inv_ex", "lu_factor", "lu_factor_ex", "solve_ex"]
