"""``tabgrad.linalg.lu_solve``."""

from __future__ import annotations

from tabgrad.host_ops.lu_use import solve_factored
from tabgrad.names import public
from tabgrad.tensor import Tensor


@public(namespace="linalg", out=True)
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """``X`` with ``A X = B`` (``X A = B`` if not ``left``), given what ``lu_factor(A)`` returns; on the host.

    Args:
        adjoint: of the transpose of ``A``.
    """
    return solve_factored("linalg.lu_solve", LU, pivots, B, left, adjoint)
