"""Cholesky's, QR and LU factors of matrices, computed on the host in float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.autograd import is_grad_enabled, no_grad, record
from tabgrad.errors import ArgumentError, GradError
from tabgrad.host_ops._matrices import SingularError, check_matrices, each_matrix, read_matrices, stacked, tensor_of
from tabgrad.host_ops.solving import inverted, solved, triangle
from tabgrad.names import public
from tabgrad.ops.creation import tril, triu, zeros
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import transpose
from tabgrad.ops.result_types import QR
from tabgrad.ops.slicing import cat, narrow
from tabgrad.tensor import Tensor


def _t(x: Tensor) -> Tensor:
    return transpose(x, -2, -1)


def _cholesky_grad(g: Tensor, out: Tensor, A: Tensor) -> tuple[Any, ...]:
    # Murray 2016, https://arxiv.org/abs/1602.07527: L⁻ᵀ sym(tril(Lᵀ g)) L⁻¹
    phi = tril(matmul(_t(out), g))
    phi = (phi + _t(tril(phi, -1))) * 0.5
    inverse = inverted("linalg.cholesky", out)
    return (matmul(matmul(_t(inverse), phi), inverse),)


def _factor(caller: str, A: Tensor, upper: bool) -> Tensor:
    check_matrices(caller, A, square=True)
    source = _t(A) if upper else A  # the triangle that is read
    with no_grad():
        (a,) = read_matrices(source)
        try:
            out = tensor_of(np.linalg.cholesky(np.tril(a) + np.tril(a, -1).swapaxes(-2, -1)), A.dtype)
        except np.linalg.LinAlgError:
            raise SingularError(f"{caller}: expected positive definite matrices, got another one") from None
    record(out, "cholesky", _cholesky_grad, (source,), {})
    return _t(out) if upper else out


@public(method=True, out=True)
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """The lower triangle L with ``L Lᵀ = input``, or its transpose if ``upper``; computed on the host.

    Raises:
        SingularError: a matrix is not positive definite.
    """
    return _factor("cholesky", input, upper)


def _triangle_read(L: Tensor, upper: bool) -> Tensor:
    """The lower triangle; gradients are of the whole matrix, as PyTorch's."""
    with no_grad():
        lower = _t(triu(L)) if upper else tril(L)
    whole = _t(L) if upper else L
    record(lower, "triangle", lambda g, out, whole: (g,), (whole,), {})
    return lower


@public(method=True, out=True)
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """``X`` with ``A X = input``, given Cholesky's factor of ``A``; computed on the host."""
    check_matrices("cholesky_solve", L, square=True)
    lower = _triangle_read(L, upper)
    return solved("cholesky_solve", _t(lower), solved("cholesky_solve", lower, input))


@public(method=True, out=True)
def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """The inverse of ``A``, given its Cholesky factor; computed on the host."""
    check_matrices("cholesky_inverse", input, square=True)
    inverse = inverted("cholesky_inverse", _triangle_read(input, upper))
    return matmul(_t(inverse), inverse)


# QR


def _qr_of(A: Tensor, mode: Any = "reduced") -> tuple[Tensor, Tensor]:
    (a,) = read_matrices(A)
    q, r = np.linalg.qr(a, mode)
    return tensor_of(q, A.dtype), tensor_of(r, A.dtype)


def _qr_grad(g: Tensor, out: Tensor, A: Tensor, Q: Tensor, R: Tensor, of_q: bool) -> tuple[Any, ...]:
    # Walter & Lehmann 2010, https://arxiv.org/abs/1009.6112: (gQ + Q syminv(triu(gR Rᵀ - Qᵀ gQ))) R⁻ᵀ
    if is_grad_enabled():
        Q, R = _tall(A)
    inner = triu(-matmul(_t(Q), g) if of_q else matmul(g, _t(R)))
    whole = inner + _t(triu(inner, 1))
    left = matmul(Q, whole)
    return matmul(g + left if of_q else left, _t(inverted("linalg.qr", R))), None, None


def _tall(A: Tensor) -> tuple[Tensor, Tensor]:
    """Of matrices with at least as many rows as columns, with gradients."""
    with no_grad():
        q, r = _qr_of(A)
        saved = (q.clone(), r.clone()) if A.requires_grad else (q, r)
    record(q, "qr", _qr_grad, (A, *saved), {"of_q": True})
    record(r, "qr", _qr_grad, (A, *saved), {"of_q": False})
    return q, r


def _no_grad_of(mode: str) -> Any:
    def grad(*_: Any) -> Any:
        raise GradError(f"linalg.qr: expected mode 'reduced' where a gradient is asked for, got {mode!r}")

    return grad


def qr_factors(caller: str, A: Tensor, mode: str) -> QR:
    """Q and R, in one of NumPy's modes."""
    check_matrices(caller, A)
    m, n = A.shape[-2:]
    if mode not in ("reduced", "complete", "r"):
        raise ArgumentError(f"{caller}: expected mode 'reduced', 'complete' or 'r', got {mode!r}")
    if mode == "r" or (mode == "complete" and m > n):
        with no_grad():
            q, r = _qr_of(A, "complete" if mode == "complete" else "reduced")
        record(r, "qr", _no_grad_of(mode), (A,), {})
        if mode == "r":
            return QR(tensor_of(np.zeros(0), A.dtype), r)
        record(q, "qr", _no_grad_of(mode), (A,), {})
        return QR(q, r)
    if m >= n:
        return QR(*_tall(A))
    q, r = _tall(narrow(A, -1, 0, m))  # the square part decides, and the rest follows
    return QR(q, cat([r, matmul(_t(q), narrow(A, -1, m, n - m))], -1))


@public(method=True, out=True)
def qr(input: Tensor, some: bool = True) -> QR:
    """Orthonormal columns and an upper triangle whose product is the matrix: (Q, R); computed on the host."""
    return qr_factors("qr", input, "reduced" if some else "complete")


# LU


def eliminated(a: np.ndarray, pivot: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Both triangles in one matrix, and the pivots, from 0 on (Golub & Van Loan, algorithm 3.4.1)."""
    a = a.copy()
    m, n = a.shape
    pivots = np.arange(min(m, n))
    for k in range(min(m, n)):
        if pivot:
            pivots[k] = k + int(np.argmax(abs(a[k:, k])))
            a[[k, pivots[k]]] = a[[pivots[k], k]]
        if a[k, k]:
            a[k + 1 :, k] /= a[k, k]
            a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a, pivots


def row_order(pivots: np.ndarray, m: int) -> np.ndarray:
    """Which row comes where after the swaps; pivots ``[..., k]`` from 0 on."""
    flat = pivots.reshape(math.prod(pivots.shape[:-1]), pivots.shape[-1])
    order = np.tile(np.arange(m), (flat.shape[0], 1))
    for row, swaps in zip(order, flat, strict=True):
        for k, p in enumerate(swaps):
            row[[k, p]] = row[[p, k]]
    return order.reshape(*pivots.shape[:-1], m)


def permutation(order: np.ndarray) -> np.ndarray:
    """The matrices P with ``A = P L U``."""
    return np.eye(order.shape[-1])[order].swapaxes(-2, -1)


def _lu_grad(g: Tensor, out: Tensor, A: Tensor, LU: Tensor) -> tuple[Any, ...]:
    # of square matrices, without pivots: L⁻ᵀ (tril(Lᵀ gL, -1) + triu(gU Uᵀ)) U⁻ᵀ
    if is_grad_enabled():
        LU = out
    lower, upper = triangle(LU, False, True), triu(LU)
    inner = tril(matmul(_t(lower), tril(g, -1)), -1) + triu(matmul(triu(g), _t(upper)))
    left = solved("linalg.lu", _t(lower), inner)
    return _t(solved("linalg.lu", upper, _t(left))), None


def _square_lu(A: Tensor) -> Tensor:
    with no_grad():
        (a,) = read_matrices(A)
        n = a.shape[-1]
        parts = each_matrix(lambda one: eliminated(one, False)[0], a)
        out = tensor_of(stacked(parts, a.shape[:-2], (n, n)), A.dtype)
        saved = out.clone() if A.requires_grad else out
    record(out, "lu", _lu_grad, (A, saved), {})
    return out


def lu_parts(caller: str, A: Tensor, pivot: bool) -> tuple[np.ndarray, Tensor, Tensor]:
    """Pivots from 0 on, L ``[..., M, K]`` and U ``[..., K, N]``, K the smaller size."""
    check_matrices(caller, A)
    m, n = A.shape[-2:]
    k = min(m, n)
    with no_grad():
        (a,) = read_matrices(A)
        pivots = stacked(each_matrix(lambda one: eliminated(one, pivot)[1], a), a.shape[:-2], (k,)).astype(np.int64)
    order = row_order(pivots, m)
    rows = matmul(tensor_of(permutation(order).swapaxes(-2, -1), A.dtype), A)
    square = _square_lu(narrow(narrow(rows, -2, 0, k), -1, 0, k))
    lower, upper = triangle(square, False, True), triu(square)
    if m > k:  # the rows below follow from the square part
        below = _t(solved(caller, _t(upper), _t(narrow(rows, -2, k, m - k))))
        lower = cat([lower, below], -2)
    if n > k:
        upper = cat([upper, solved(caller, lower, narrow(rows, -1, k, n - k))], -1)
    return pivots, lower, upper


def lu_matrix(lower: Tensor, upper: Tensor) -> Tensor:
    """Both triangles in one matrix ``[..., M, N]``."""
    m, n, k = lower.shape[-2], upper.shape[-1], lower.shape[-1]
    strict = tril(lower, -1)
    if n > k:
        strict = cat([strict, zeros((*strict.shape[:-1], n - k), dtype=strict.dtype)], -1)
    if m > k:
        upper = cat([upper, zeros((*upper.shape[:-2], m - k, n), dtype=upper.dtype)], -2)
    return strict + upper
