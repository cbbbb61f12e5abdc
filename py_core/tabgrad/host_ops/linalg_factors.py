"""Cholesky's, QR and LU factors of ``tabgrad.linalg``, computed on the host in float64, and what uses them."""

from __future__ import annotations

import numpy as np

from tabgrad.host_ops import factoring
from tabgrad.host_ops._matrices import tensor_of
from tabgrad.host_ops.factoring import (
    lu_parts,
    permutation,
    qr_factors,
    row_order,
)
from tabgrad.names import public
from tabgrad.ops.result_types import PLU, QR
from tabgrad.tensor import Tensor


@public(namespace="linalg", out=True)
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangle L with ``L Lᵀ = A``, or its transpose if ``upper``; computed on the host.

    Raises:
        SingularError: a matrix is not positive definite.
    """
    return factoring.cholesky(A, upper)


@public(namespace="linalg", out=True)
def qr(A: Tensor, mode: str = "reduced") -> QR:
    """Orthonormal columns and an upper triangle whose product is the matrix: (Q, R); computed on the host.

    Args:
        mode: ``reduced``; ``complete`` for square Q; ``r`` for an empty Q. Gradients are of ``reduced`` alone.
    """
    return qr_factors("linalg.qr", A, mode)


@public(namespace="linalg", out=True)
def lu(A: Tensor, *, pivot: bool = True) -> PLU:
    """A permutation and two triangles, whose product is the matrix: (P, L, U); computed on the host."""
    pivots, lower, upper = lu_parts("linalg.lu", A, pivot)
    order = permutation(row_order(pivots, A.shape[-2])) if pivot else np.zeros(0)
    return PLU(tensor_of(order, A.dtype), lower, upper)
