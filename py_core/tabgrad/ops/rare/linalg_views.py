"""``tabgrad.linalg.diagonal`` and ``vander``."""

from __future__ import annotations

from tabgrad.names import public
from tabgrad.ops.movement import reshape
from tabgrad.ops.rare.vandermonde import powers
from tabgrad.tensor import Tensor


@public(namespace="linalg", top=False)
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices, which lie along two dimensions, as a last dimension."""
    found: Tensor = A.diagonal(offset, dim1, dim2)
    return found


@public(namespace="linalg")
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Powers 0, 1 and so on of each element of ``[..., k]`` in a row: ``[..., k, N]``."""
    return powers("linalg.vander", x if x.ndim else reshape(x, (1,)), N)
