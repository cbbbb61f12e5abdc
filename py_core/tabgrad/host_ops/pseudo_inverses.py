"""What is made of singular values: pseudoinverses, ranks, least squares and the old names of both decompositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.host_ops._matrices import check_matrices, read_matrices, tensor_of
from tabgrad.host_ops.eigenvalues import singular
from tabgrad.names import public
from tabgrad.ops.creation import zeros
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import reshape, squeeze, transpose, unsqueeze
from tabgrad.ops.reduce import sum
from tabgrad.ops.result_types import USV, LeastSquares
from tabgrad.tensor import Tensor


def _t(x: Tensor) -> Tensor:
    return transpose(x, -2, -1)


def _number(value: Any) -> Any:
    """A tolerance as a number, or an array with one for each matrix."""
    return np.asarray(value.numpy(), np.float64) if isinstance(value, Tensor) else value


def _epsilon(dtype: DType) -> float:
    """From 1 to the next number: of float32 for narrower dtypes too, as they are computed in it."""
    return 2.0**-52 if dtype is dtypes.float64 else 2.0**-23


def _limit(a: np.ndarray, values: np.ndarray, atol: Any, rtol: Any, dtype: DType) -> np.ndarray:
    """Below which singular values count as 0: PyTorch's rule."""
    atol, rtol = _number(atol), _number(rtol)
    if rtol is None:
        none = np.asarray(0.0 if atol is None else atol) > 0
        rtol = np.where(none, 0.0, max(a.shape[-2:]) * _epsilon(dtype))
    largest = values.max(-1, initial=0.0)
    return np.maximum(0.0 if atol is None else atol, np.asarray(rtol) * largest)


def _pseudo(a: np.ndarray, atol: Any, rtol: Any, dtype: DType) -> np.ndarray:
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = s > _limit(a, s, atol, rtol, dtype)[..., None]
    scaled = np.where(kept, 1 / np.where(kept, s, 1), 0)
    return (vh.swapaxes(-2, -1) * scaled[..., None, :]) @ u.swapaxes(-2, -1)


def _symmetric(a: np.ndarray) -> np.ndarray:
    return np.tril(a) + np.tril(a, -1).swapaxes(-2, -1)


def _pseudo_grad(g: Tensor, out: Tensor, A: Tensor) -> tuple[Any, ...]:
    # Golub & Pereyra 1973, "The differentiation of pseudo-inverses ...", equation 4.12
    p, pt, gt = out, _t(out), _t(g)
    left = gt - matmul(matmul(A, p), gt)
    right = gt - matmul(matmul(gt, p), A)
    return (matmul(matmul(left, p), pt) + matmul(pt, matmul(p, right)) - matmul(matmul(pt, g), pt),)


def pseudo_inverse(caller: str, A: Tensor, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """Moore and Penrose's inverse, with its gradient."""
    check_matrices(caller, A)
    with no_grad():
        (a,) = read_matrices(A)
        out = tensor_of(_pseudo(_symmetric(a) if hermitian else a, atol, rtol, A.dtype), A.dtype)
    record(out, "pinv", _pseudo_grad, (A,), {})
    return out


@public(namespace="linalg", out=True)
def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """Moore and Penrose's inverse of matrices; computed on the host.

    Args:
        rcond: the older name of ``rtol``.
        hermitian: the matrices are symmetric: the lower triangle is read.
        atol, rtol: singular values of at most ``max(atol, rtol * largest)`` count as 0.
    """
    check_matrices("linalg.pinv", A, square=hermitian)
    return pseudo_inverse("linalg.pinv", A, atol, rcond if rtol is None else rtol, hermitian)


@public(method=True)
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """As ``linalg.pinv``."""
    return pseudo_inverse("pinverse", input, None, rcond)


@public(namespace="linalg", out=True)
def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """How many singular values are not 0; int32, computed on the host. Arguments are those of :func:`pinv`.

    Args:
        tol: the older name of ``atol``, beside which ``rtol`` is 0.
    """
    check_matrices("linalg.matrix_rank", A, square=hermitian)
    (a,) = read_matrices(A)
    if tol is not None:
        atol, rtol = tol, 0.0
    if hermitian:
        a = _symmetric(a)
    s = np.linalg.svd(a, compute_uv=False)
    return tensor_of((s > _limit(a, s, atol, rtol, A.dtype)[..., None]).sum(-1), dtypes.int32)


@public(method=True, out=True)
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> USV:
    """Singular vectors and values: (U, S, V) with ``A = U diag(S) Vᵀ``; computed on the host."""
    check_matrices("svd", input)
    u, s, vh = singular(input, not some)
    if not compute_uv:
        (m, n), batch = input.shape[-2:], input.shape[:-2]
        return USV(zeros((*batch, m, m), dtype=input.dtype), s, zeros((*batch, n, n), dtype=input.dtype))
    return USV(u, s, _t(vh))


@public(namespace="linalg")
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> LeastSquares:
    """``X`` with the smallest ``|A X - B|``, and of several the smallest one; computed on the host.

    Args:
        A: ``[..., M, N]``.
        B: ``[..., M, K]``, or vectors ``[..., M]``.
        rcond: singular values below it, times the largest one, count as 0.
        driver: ``gelsy`` (the default), ``gels``, ``gelsd`` or ``gelss``; the last two give singular values.

    Returns:
        (solution, residuals, rank, singular_values), some of them empty as in PyTorch.
    """
    drivers = ("gels", "gelsy", "gelsd", "gelss")
    driver = "gelsy" if driver is None else driver
    if driver not in drivers:
        raise ArgumentError(f"linalg.lstsq: expected driver as one of {', '.join(drivers)}, got {driver!r}")
    check_matrices("linalg.lstsq", A)
    is_vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])
    b = unsqueeze(B, -1) if is_vector else B
    if A.shape[-2] != b.shape[-2]:
        raise ShapeError(f"linalg.lstsq: expected [..., M, N] and [..., M, K], got {list(A.shape)} and {list(B.shape)}")
    (m, n), batch = A.shape[-2:], A.shape[:-2]
    rtol = max(m, n) * _epsilon(A.dtype) if rcond is None else rcond
    x = matmul(pseudo_inverse("linalg.lstsq", A, None, rtol), b)
    with no_grad():
        s = np.linalg.svd(read_matrices(A)[0], compute_uv=False)
        ranks = (s > rtol * s.max(-1, keepdims=True, initial=0.0)).sum(-1)
        empty = tensor_of(np.zeros(0), A.dtype)
    residuals = reshape(x, (-1,))[:0] if x.numel() else empty
    if m > n and driver != "gelsy" and bool((ranks == n).all()):
        rest = matmul(A, x) - b
        residuals = sum(rest * rest, -2)
    rank = tensor_of(np.zeros(0), dtypes.int32) if driver == "gels" else tensor_of(ranks.reshape(batch), dtypes.int32)
    values = tensor_of(s, A.dtype) if driver in ("gelsd", "gelss") else empty
    return LeastSquares(squeeze(x, -1) if is_vector else x, residuals, rank, values)
