"""What is made of LU factors: the factors apart, and solutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.host_ops._matrices import check_matrices, tensor_of
from tabgrad.host_ops.factoring import permutation, row_order
from tabgrad.host_ops.linalg_info import factored
from tabgrad.host_ops.solving import solved, triangle
from tabgrad.names import public
from tabgrad.ops.creation import triu
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import transpose
from tabgrad.ops.result_types import PLU, LUAndPivots
from tabgrad.ops.slicing import narrow
from tabgrad.runtime import read_now
from tabgrad.tensor import Tensor


def _permutation(pivots: Tensor, m: int) -> np.ndarray:
    """P of ``A = P L U``."""
    return permutation(row_order(read_now(pivots)[0].astype(np.int64) - 1, m))


def _t(x: Tensor) -> Tensor:
    return transpose(x, -2, -1)


def solve_factored(
    caller: str, LU: Tensor, pivots: Tensor, B: Tensor, left: bool = True, adjoint: bool = False
) -> Tensor:
    """``X`` with ``A X = B`` (``X A = B`` if not ``left``), of ``A`` or its transpose, given its LU factors."""
    check_matrices(caller, LU, square=True)
    if not left:
        return _t(solve_factored(caller, LU, pivots, _t(B), True, not adjoint))
    order = tensor_of(_permutation(pivots, LU.shape[-1]), LU.dtype)
    lower, upper = triangle(LU, False, True), triu(LU)
    if adjoint:
        return matmul(order, solved(caller, _t(lower), solved(caller, _t(upper), B)))
    return solved(caller, upper, solved(caller, lower, matmul(_t(order), B)))


@public(method=True, out=True)
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """``X`` with ``A X = input``, given what ``linalg.lu_factor(A)`` returns; computed on the host."""
    return solve_factored("lu_solve", LU_data, LU_pivots, input)


@public(out=True)
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> PLU:
    """What ``linalg.lu_factor(A)`` returns as (P, L, U); empty tensors for what is not asked for."""
    check_matrices("lu_unpack", LU_data)
    m, n = LU_data.shape[-2:]
    k = min(m, n)
    empty = tensor_of(np.zeros(0), LU_data.dtype)
    order = tensor_of(_permutation(LU_pivots, m), LU_data.dtype) if unpack_pivots else empty
    if not unpack_data:
        return PLU(order, empty, empty)
    return PLU(order, triangle(narrow(LU_data, -1, 0, k), False, True), triu(narrow(LU_data, -2, 0, k)))


@public(method=True)
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """As ``linalg.lu_factor``; with ``get_infos`` also, as a third tensor, where the first 0 on U's diagonal is."""
    found = factored("lu", A, pivot, not get_infos)
    return found if get_infos else LUAndPivots(found.LU, found.pivots)
