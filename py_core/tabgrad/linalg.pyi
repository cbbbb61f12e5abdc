"""PyTorch's ``torch.linalg``."""

# Written by build_scripts/stubs.py.

from collections.abc import Sequence
from typing import Any

from tabgrad.dtypes import DType
from tabgrad.host_ops.eigenvalues import eig as eig
from tabgrad.host_ops.eigenvalues import eigvals as eigvals
from tabgrad.host_ops.linalg_powers import matrix_exp as matrix_exp
from tabgrad.host_ops.pseudo_inverses import lstsq as lstsq
from tabgrad.ops.folds import Dims
from tabgrad.ops.rare.linalg_views import diagonal as diagonal
from tabgrad.ops.rare.linalg_views import vander as vander
from tabgrad.ops.result_types import (
    PLU,
    QR,
    SVD,
    Eigen,
    FactorAndInfo,
    InverseAndInfo,
    LUAndInfo,
    LUAndPivots,
    ResultAndInfo,
    SignAndLogarithm,
)
from tabgrad.tensor import Tensor

def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Determinants of square matrices ``[..., N, N]``, on the host; with a gradient also where one is 0."""

def slogdet(A: Tensor, *, out: Tensor | None = None) -> SignAndLogarithm:
    """Sign of determinants, and logarithm of their absolute values: (sign, logabsdet); computed on the host."""

def eigh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Eigen:
    """Eigenvalues in order and eigenvectors of symmetric matrices: (eigenvalues, eigenvectors); on the host.

    Gradients of eigenvectors are those of PyTorch: infinite where two eigenvalues are equal.

    Args:
        UPLO: which triangle is read."""

def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """Eigenvalues of symmetric matrices in order; computed on the host."""

def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Tensor | None = None) -> SVD:
    """Singular vectors and values, the largest first: (U, S, Vh) with ``A = U diag(S) Vh``; computed on the host.

    Args:
        full_matrices: square ``U`` and ``Vh``; gradients then are of their first columns and rows alone.
        driver: accepted; NumPy's LAPACK routine is used."""

def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """Singular values, the largest first; computed on the host."""

def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The lower triangle L with ``L Lᵀ = A``, or its transpose if ``upper``; computed on the host.

    Raises:
        SingularError: a matrix is not positive definite."""

def lu(A: Tensor, *, pivot: bool = True, out: Tensor | None = None) -> PLU:
    """A permutation and two triangles, whose product is the matrix: (P, L, U); computed on the host."""

def qr(A: Tensor, mode: str = "reduced", *, out: Tensor | None = None) -> QR:
    """Orthonormal columns and an upper triangle whose product is the matrix: (Q, R); computed on the host.

    Args:
        mode: ``reduced``; ``complete`` for square Q; ``r`` for an empty Q. Gradients are of ``reduced`` alone."""

def cholesky_ex(
    A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Tensor | None = None
) -> FactorAndInfo:
    """As ``linalg.cholesky``, and which matrices are not positive definite: (L, info); computed on the host.

    Args:
        check_errors: raise where one is not.

    Raises:
        ShapeError: they are not square.
        SingularError: ``check_errors`` asks for it."""

def inv_ex(A: Tensor, *, check_errors: bool = False, out: Tensor | None = None) -> InverseAndInfo:
    """As ``linalg.inv``, and which matrices have none: (inverse, info); computed on the host.

    Args:
        check_errors: raise where one has none.

    Raises:
        ShapeError: they are not square.
        SingularError: ``check_errors`` asks for it."""

def lu_factor(A: Tensor, *, pivot: bool = True, out: Tensor | None = None) -> LUAndPivots:
    """Both triangles in one matrix, and the swaps of rows, int32 from 1 on: (LU, pivots); computed on the host.

    Raises:
        SingularError: there is a 0 on the upper triangle's diagonal."""

def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Tensor | None = None) -> LUAndInfo:
    """As :func:`lu_factor`, and which matrices have a 0 on the diagonal of U: (LU, pivots, info).

    Args:
        check_errors: raise where there is one.

    Raises:
        SingularError: ``check_errors`` asks for it."""

def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Tensor | None = None
) -> ResultAndInfo:
    """As ``linalg.solve``, and which systems have no one solution: (result, info); computed on the host.

    Args:
        check_errors: raise where one has none.

    Raises:
        ShapeError: sizes do not fit.
        SingularError: ``check_errors`` asks for it."""

def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None
) -> Tensor:
    """``X`` with ``A X = B`` (``X A = B`` if not ``left``), given what ``lu_factor(A)`` returns; on the host.

    Args:
        adjoint: of the transpose of ``A``."""

def matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Products of ``n`` square matrices; of a negative number those of the inverse, which the host computes."""

def cond(A: Tensor, p: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Condition numbers: the norm of matrices times that of their inverses; computed on the host.

    Args:
        p: the norm's order; 2 by default."""

def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Any = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Norms of matrices; those by singular values are computed on the host.

    Args:
        ord: ``fro`` (Frobenius), ``nuc`` (sum of singular values), 2 and -2 (the largest and the smallest one), 1 and
            -1 (the largest and the smallest sum of a column), inf and -inf (of a row).
        dim: along which two dimensions the matrices lie."""

def norm(
    A: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Norms of vectors, or of matrices where ``dim`` is a pair, or where ``ord`` is given for a matrix.

    Args:
        ord: of the vectors' or the matrices' norm; the root of the sum of squares by default."""

def matrix_rank(
    A: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """How many singular values are not 0; int32, computed on the host. Arguments are those of :func:`pinv`.

    Args:
        tol: the older name of ``atol``, beside which ``rtol`` is 0."""

def pinv(
    A: Tensor,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Moore and Penrose's inverse of matrices; computed on the host.

    Args:
        rcond: the older name of ``rtol``.
        hermitian: the matrices are symmetric: the lower triangle is read.
        atol, rtol: singular values of at most ``max(atol, rtol * largest)`` count as 0."""

def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Inverses of square matrices ``[..., N, N]``; computed on the host.

    Raises:
        DeviceError: this platform cannot wait for values; use NumPy on what ``await tabgrad.read(x)`` gives.
        ShapeError: they are not square.
        SingularError: one has no inverse."""

def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """``X`` with ``A X = B``, or ``X A = B`` if not ``left``; computed on the host.

    Args:
        A: ``[..., N, N]``.
        B: ``[..., N, K]``, or vectors ``[..., N]``.

    Raises:
        ShapeError: sizes do not fit.
        SingularError: there is no one solution."""

def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None
) -> Tensor:
    """``X`` with ``A X = B`` (``X A = B`` if not ``left``), A triangular; computed on the host.

    Args:
        upper: the part of ``A`` that is read; else the lower one.
        unitriangular: its diagonal is not read, and taken as 1."""

def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``tensordot(A, x, ind)``: ``[first ind sizes..., rest...]`` to ``[rest..., first...]``."""

def tensorsolve(A: Tensor, B: Tensor, dims: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``X`` with ``tensordot(A, X, X.ndim) = B``.

    Args:
        dims: dimensions of ``A`` that are moved to its end first."""

def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three along ``dim``.

    Raises:
        ShapeError: the dimension has another size."""

def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of matrices, in the order of products that takes the fewest operations."""

def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Sums of products along ``dim``, broadcast."""

def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """``sum(|x| ** ord) ** (1 / ord)`` over ``dim`` (all by default).

    Args:
        ord: any number; infinite for the largest (or smallest) absolute value, 0 for how many are not 0.
        dtype: what elements are converted to first.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
        ShapeError: a dimension does not exist, or has no element that could be the largest."""
