"""Results of several tensors, named as PyTorch's ``torch.return_types``."""

from __future__ import annotations

from typing import NamedTuple

from tabgrad.tensor import Tensor


class ValuesAndIndices(NamedTuple):
    """Elements, and where along the dimension they were."""

    values: Tensor
    indices: Tensor


class MinAndMax(NamedTuple):
    """The smallest and the largest element."""

    min: Tensor
    max: Tensor


class Histogram(NamedTuple):
    """How much lies in each interval, and where these begin and end."""

    hist: Tensor
    bin_edges: Tensor


class HistogramOfPoints(NamedTuple):
    """How much lies in each box of a grid, and where its intervals begin and end along each dimension."""

    hist: Tensor
    bin_edges: tuple[Tensor, ...]


class InverseAndInfo(NamedTuple):
    """The inverse, and 0 for each matrix that has one."""

    inverse: Tensor
    info: Tensor


class ResultAndInfo(NamedTuple):
    """The solution, and 0 for each system that has one."""

    result: Tensor
    info: Tensor


class SignAndLogarithm(NamedTuple):
    """A determinant's sign, and the logarithm of its absolute value."""

    sign: Tensor
    logabsdet: Tensor


class SolutionAndMatrix(NamedTuple):
    """The solution, and the triangular matrix."""

    solution: Tensor
    cloned_coefficient: Tensor


class FactorAndInfo(NamedTuple):
    """The factor, and 0 for each matrix that has one."""

    L: Tensor
    info: Tensor


class QR(NamedTuple):
    """Orthonormal columns, and an upper triangle."""

    Q: Tensor
    R: Tensor


class PLU(NamedTuple):
    """A permutation, a lower triangle with ones on its diagonal, and an upper one."""

    P: Tensor
    L: Tensor
    U: Tensor


class LUAndPivots(NamedTuple):
    """Both triangles in one matrix, and with which row, from 1 on, each one was swapped."""

    LU: Tensor
    pivots: Tensor


class LUAndInfo(NamedTuple):
    """Both triangles in one matrix, the swaps of rows, and 0 for each matrix whose U has no 0 on its diagonal."""

    LU: Tensor
    pivots: Tensor
    info: Tensor


class Eigen(NamedTuple):
    """Eigenvalues in order, and eigenvectors as columns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class SVD(NamedTuple):
    """Left singular vectors as columns, singular values, and right singular vectors as rows."""

    U: Tensor
    S: Tensor
    Vh: Tensor


class USV(NamedTuple):
    """Left singular vectors, singular values and right singular vectors, vectors as columns."""

    U: Tensor
    S: Tensor
    V: Tensor


class LeastSquares(NamedTuple):
    """Solutions, sums of squared residuals, ranks, and singular values, where the driver finds them."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


__all__ = [
    "PLU",
    "QR",
    "SVD",
    "USV",
    "Eigen",
    "FactorAndInfo",
    "Histogram",
    "HistogramOfPoints",
    "InverseAndInfo",
    "LUAndInfo",
    "LUAndPivots",
    "LeastSquares",
    "MinAndMax",
    "ResultAndInfo",
    "SignAndLogarithm",
    "SolutionAndMatrix",
    "ValuesAndIndices",
]  # fmt: skip
