"""Eigenvalues and singular values, computed on the host in float64 (LAPACK through NumPy)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.autograd import is_grad_enabled, no_grad, record
from tabgrad.errors import ArgumentError
from tabgrad.host_ops._matrices import check_matrices, read_matrices, tensor_of
from tabgrad.host_ops.solving import eye_like
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import transpose, unsqueeze
from tabgrad.ops.result_types import SVD, Eigen
from tabgrad.ops.slicing import narrow
from tabgrad.tensor import Tensor


def _t(x: Tensor) -> Tensor:
    return transpose(x, -2, -1)


def _diagonal(x: Tensor) -> Tensor:
    """``[..., N]`` as diagonal matrices."""
    wide = unsqueeze(x, -1)
    return eye_like(wide + transpose(wide, -2, -1)) * wide


def _apart(x: Tensor) -> Tensor:
    """``1 / (x_j - x_i)`` of ``[..., N]``, 0 on the diagonal."""
    difference = unsqueeze(x, -2) - unsqueeze(x, -1)
    on = ew.cast(eye_like(difference), x.dtype)
    return (1.0 - on) / (difference + on)


# Symmetric eigenproblems


def _eigen_grad(g: Tensor, out: Tensor, A: Tensor, values: Tensor, vectors: Tensor, of_values: bool) -> tuple[Any, ...]:
    # Giles 2008, "An extended collection of matrix derivative results", 3.1
    if is_grad_enabled():
        values, vectors = _eigen(A)
    inner = _diagonal(g) if of_values else matmul(_t(vectors), g)
    if not of_values:
        inner = (inner - _t(inner)) * 0.5 * _apart(values)
    return matmul(matmul(vectors, inner), _t(vectors)), None, None


def _eigen(A: Tensor, UPLO: str = "L") -> tuple[Tensor, Tensor]:
    with no_grad():
        (a,) = read_matrices(A)
        w, v = np.linalg.eigh(a, UPLO)
        values, vectors = tensor_of(w, A.dtype), tensor_of(v, A.dtype)
        saved = (values.clone(), vectors.clone()) if A.requires_grad else (values, vectors)
    record(values, "eigh", _eigen_grad, (A, *saved), {"of_values": True})
    record(vectors, "eigh", _eigen_grad, (A, *saved), {"of_values": False})
    return values, vectors


def eigen(caller: str, A: Tensor, UPLO: str) -> Eigen:
    """Of symmetric matrices, of which one triangle is read."""
    check_matrices(caller, A, square=True)
    if UPLO not in ("L", "U", "l", "u"):
        raise ArgumentError(f"{caller}: expected UPLO 'L' or 'U', got {UPLO!r}")
    return Eigen(*_eigen(A, UPLO.upper()))


@public(namespace="linalg", out=True)
def eigh(A: Tensor, UPLO: str = "L") -> Eigen:
    """Eigenvalues in order and eigenvectors of symmetric matrices: (eigenvalues, eigenvectors); on the host.

    Gradients of eigenvectors are those of PyTorch: infinite where two eigenvalues are equal.

    Args:
        UPLO: which triangle is read.
    """
    return eigen("linalg.eigh", A, UPLO)


@public(namespace="linalg", out=True)
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """Eigenvalues of symmetric matrices in order; computed on the host."""
    return eigen("linalg.eigvalsh", A, UPLO).eigenvalues


@public(namespace="linalg")
def eig(A: Tensor) -> None:
    """Refused: eigenvalues of general matrices are complex.

    Raises:
        NotImplementedError: always; ``eigh`` takes symmetric matrices.
    """
    raise NotImplementedError("linalg.eig: complex numbers are not supported; use linalg.eigh for symmetric matrices")


@public(namespace="linalg")
def eigvals(A: Tensor) -> None:
    """Refused, as :func:`eig`.

    Raises:
        NotImplementedError: always; ``eigvalsh`` takes symmetric matrices.
    """
    raise NotImplementedError(
        "linalg.eigvals: complex numbers are not supported; use linalg.eigvalsh for symmetric matrices"
    )


# Singular values


def _svd_grad(
    g: Tensor, out: Tensor, A: Tensor, U: Tensor, S: Tensor, Vh: Tensor, of: str, full: bool
) -> tuple[Any, ...]:
    # Giles 2008, 3.2; Townsend 2016, "Differentiating the singular value decomposition"
    k = S.shape[-1]
    U, Vh = narrow(U, -1, 0, k), narrow(Vh, -2, 0, k)
    if is_grad_enabled():
        U, S, Vh = singular(A, False)
    across, down = unsqueeze(S, -2), unsqueeze(S, -1)
    if of == "S":
        return matmul(U * unsqueeze(g, -2), Vh), None, None, None
    apart = _apart(S * S)
    if of == "U":
        g = narrow(g, -1, 0, k)
        inner = matmul(_t(U), g)
        whole = matmul(matmul(U, (inner - _t(inner)) * apart * across), Vh)
        if A.shape[-2] > k:
            whole = whole + matmul((g - matmul(U, inner)) / across, Vh)
    else:
        g = narrow(g, -2, 0, k)
        inner = matmul(Vh, _t(g))
        whole = matmul(matmul(U, down * ((inner - _t(inner)) * apart)), Vh)
        if A.shape[-1] > k:
            whole = whole + matmul(U, (g - matmul(matmul(g, _t(Vh)), Vh)) / down)
    return whole, None, None, None


def singular(A: Tensor, full: bool) -> SVD:
    """The decomposition, with gradients; of ``full`` matrices those of the columns beyond S are not read."""
    with no_grad():
        (a,) = read_matrices(A)
        found = SVD(*(tensor_of(x, A.dtype) for x in np.linalg.svd(a, full_matrices=full)))
        saved = [t.clone() for t in found] if A.requires_grad else found
    for name, one in zip(found._fields, found, strict=True):
        record(one, "svd", _svd_grad, (A, *saved), {"of": name, "full": full})
    return found


@public(namespace="linalg", out=True)
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> SVD:
    """Singular vectors and values, the largest first: (U, S, Vh) with ``A = U diag(S) Vh``; computed on the host.

    Args:
        full_matrices: square ``U`` and ``Vh``; gradients then are of their first columns and rows alone.
        driver: accepted; NumPy's LAPACK routine is used.
    """
    check_matrices("linalg.svd", A)
    return singular(A, full_matrices)


@public(namespace="linalg", out=True)
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """Singular values, the largest first; computed on the host."""
    check_matrices("linalg.svdvals", A)
    return singular(A, False).S
