"""Products of matrices and vectors, in the common dtype of the operands."""

from __future__ import annotations

from collections.abc import Sequence

import tabgrad
from tabgrad import linalg
from tabgrad.compat.array_api.elementwise import together
from tabgrad.errors import ShapeError
from tabgrad.tensor import Tensor


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Matrix products of the last two dimensions; the others are broadcast.

    Raises:
        ValueError: an operand has no dimension, or the sizes do not match.
    """
    if not x1.ndim or not x2.ndim:
        raise ShapeError(f"matmul: expected at least one dimension, got {list(x1.shape)} and {list(x2.shape)}")
    one, other = together(x1, x2)
    return one @ other


def matrix_transpose(x: Tensor, /) -> Tensor:
    """The last two dimensions swapped.

    Raises:
        ValueError: there are fewer than two.
    """
    if x.ndim < 2:
        raise ShapeError(f"matrix_transpose: expected at least two dimensions, got {list(x.shape)}")
    return x.mT


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Products summed over several dimensions: the last of ``x1`` and the first of ``x2``, or those that are named."""
    one, other = together(x1, x2)
    return tabgrad.tensordot(one, other, axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Products of vectors along a dimension, which has one size in both; the others are broadcast.

    Raises:
        ValueError: the sizes along ``axis`` differ.
    """
    if x1.shape[axis] != x2.shape[axis]:
        raise ShapeError(f"vecdot: expected one size at axis {axis}, got {list(x1.shape)} and {list(x2.shape)}")
    one, other = together(x1, x2)
    return linalg.vecdot(one, other, dim=axis).to(one.dtype)


__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]
