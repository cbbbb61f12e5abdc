"""Inverses, determinants and systems of linear equations, computed on the host in float64 (LAPACK through NumPy)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.autograd import is_grad_enabled, no_grad, record
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.host_ops._matrices import SingularError, check_matrices, read_matrices, tensor_of
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.creation import tril, triu
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import broadcast_to, permute, reshape, squeeze, transpose, unsqueeze
from tabgrad.ops.result_types import SignAndLogarithm, SolutionAndMatrix
from tabgrad.tensor import Tensor


def _t(x: Tensor) -> Tensor:
    return transpose(x, -2, -1)


def eye_like(x: Tensor) -> Tensor:
    """Identity matrices of the shape of a tensor."""
    return ew.cast(ew.eq(ew.iota(x.shape, x.ndim - 2), ew.iota(x.shape, x.ndim - 1)), x.dtype)


def _inverse_grad(g: Tensor, out: Tensor, A: Tensor) -> tuple[Any, ...]:
    return (-matmul(matmul(_t(out), g), _t(out)),)  # d(A⁻¹) = -A⁻¹ dA A⁻¹


def inverted(caller: str, A: Tensor) -> Tensor:
    """Inverses, with their gradient.

    Raises:
        SingularError: one of the matrices has none.
    """
    check_matrices(caller, A, square=True)
    with no_grad():
        (a,) = read_matrices(A)
        try:
            out = tensor_of(np.linalg.inv(a), A.dtype)
        except np.linalg.LinAlgError:
            raise SingularError(f"{caller}: expected invertible matrices, got a singular one; use pinv") from None
    record(out, "inverse", _inverse_grad, (A,), {})
    return out


@public(namespace="linalg", out=True)
def inv(A: Tensor) -> Tensor:
    """Inverses of square matrices ``[..., N, N]``; computed on the host.

    Raises:
        DeviceError: this platform cannot wait for values; use NumPy on what ``await tabgrad.read(x)`` gives.
        ShapeError: they are not square.
        SingularError: one has no inverse.
    """
    return inverted("linalg.inv", A)


@public(method=True, out=True)
def inverse(input: Tensor) -> Tensor:
    """As ``linalg.inv``."""
    return inverted("inverse", input)


def _solve_grad(g: Tensor, out: Tensor, A: Tensor, B: Tensor) -> tuple[Any, ...]:
    gb = solved("linalg.solve", _t(A), g)
    return -matmul(gb, _t(out)), gb


def solved(caller: str, A: Tensor, B: Tensor) -> Tensor:
    """``A⁻¹ B`` of ``[..., N, N]`` and ``[..., N, K]``, batches broadcast, with gradients."""
    check_matrices(caller, A, square=True)
    check_matrices(caller, A, B)
    if A.shape[-1] != B.shape[-2]:
        raise ShapeError(f"{caller}: expected [..., N, N] and [..., N, K], got {list(A.shape)} and {list(B.shape)}")
    batch = broadcast_shapes(A.shape[:-2], B.shape[:-2], caller=caller)
    A, B = broadcast_to(A, (*batch, *A.shape[-2:])), broadcast_to(B, (*batch, *B.shape[-2:]))
    with no_grad():
        a, b = read_matrices(A, B)
        try:
            out = tensor_of(np.linalg.solve(a, b), A.dtype)
        except np.linalg.LinAlgError:
            raise SingularError(f"{caller}: expected invertible matrices, got a singular one; use lstsq") from None
    record(out, "solve", _solve_grad, (A, B), {})
    return out


def solved_by(caller: str, A: Tensor, B: Tensor, left: bool) -> Tensor:
    """What :func:`solve` gives."""
    check_matrices(caller, A, square=True)
    if B.dtype is not A.dtype:
        raise DTypeError(f"{caller}: expected one dtype, got {A.dtype.name} and {B.dtype.name}")
    is_vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])
    if is_vector:
        if not left:
            raise ArgumentError(f"{caller}: expected matrices B where left is False, got {list(B.shape)}")
        return squeeze(solved(caller, A, unsqueeze(B, -1)), -1)
    return solved(caller, A, B) if left else _t(solved(caller, _t(A), _t(B)))


@public(namespace="linalg", out=True)
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """``X`` with ``A X = B``, or ``X A = B`` if not ``left``; computed on the host.

    Args:
        A: ``[..., N, N]``.
        B: ``[..., N, K]``, or vectors ``[..., N]``.

    Raises:
        ShapeError: sizes do not fit.
        SingularError: there is no one solution.
    """
    return solved_by("linalg.solve", A, B, left)


def triangle(A: Tensor, upper: bool, unitriangular: bool) -> Tensor:
    """The part of matrices that a triangular solver reads."""
    if unitriangular:
        return (triu(A, 1) if upper else tril(A, -1)) + eye_like(A)
    return triu(A) if upper else tril(A)


@public(namespace="linalg", out=True)
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """``X`` with ``A X = B`` (``X A = B`` if not ``left``), A triangular; computed on the host.

    Args:
        upper: the part of ``A`` that is read; else the lower one.
        unitriangular: its diagonal is not read, and taken as 1.
    """
    check_matrices("linalg.solve_triangular", A, square=True)
    part = triangle(A, upper, unitriangular)
    if left:
        return solved("linalg.solve_triangular", part, B)
    return _t(solved("linalg.solve_triangular", _t(part), _t(B)))


@public(method=True)
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> SolutionAndMatrix:
    """``X`` with ``A X = b``, A triangular: (solution, cloned_coefficient)."""
    check_matrices("triangular_solve", A, square=True)
    part = triangle(A, upper, unitriangular)
    return SolutionAndMatrix(solved("triangular_solve", _t(part) if transpose else part, b), ew.clone(A))


def _cofactors(a: np.ndarray) -> np.ndarray:
    """Derivatives of determinants, also of singular matrices, by singular values."""
    u, s, vh = np.linalg.svd(a)
    n = s.shape[-1]
    others = np.stack([np.prod(np.delete(s, k, -1), -1) for k in range(n)], -1) if n else s
    sign = np.linalg.det(u) * np.linalg.det(vh)
    return sign[..., None, None] * ((u * others[..., None, :]) @ vh)


def _det_grad(g: Tensor, out: Tensor, A: Tensor, cofactors: Tensor) -> tuple[Any, ...]:
    if is_grad_enabled():  # create_graph: the derivative must be differentiated, too
        cofactors = unsqueeze(unsqueeze(out, -1), -1) * _t(inverted("linalg.det", A))
    return unsqueeze(unsqueeze(g, -1), -1) * cofactors, None


def _determinant(caller: str, A: Tensor) -> Tensor:
    check_matrices(caller, A, square=True)
    with no_grad():
        (a,) = read_matrices(A)
        out = tensor_of(np.linalg.det(a), A.dtype)
        cofactors = tensor_of(_cofactors(a), A.dtype) if A.requires_grad else out
    record(out, "det", _det_grad, (A, cofactors), {})
    return out


@public(method=True, out=True)
def det(input: Tensor) -> Tensor:
    """Determinants of square matrices ``[..., N, N]``, on the host; with a gradient also where one is 0."""
    return _determinant("det", input)


def _logarithm_grad(g: Tensor, out: Tensor, A: Tensor, inverse: Tensor) -> tuple[Any, ...]:
    if is_grad_enabled():
        inverse = inverted("linalg.slogdet", A)
    return unsqueeze(unsqueeze(g, -1), -1) * _t(inverse), None


def logarithm(caller: str, A: Tensor) -> SignAndLogarithm:
    """Sign and logarithm of determinants."""
    check_matrices(caller, A, square=True)
    with no_grad():
        (a,) = read_matrices(A)
        sign, value = np.linalg.slogdet(a)
        out = tensor_of(value, A.dtype)
        inverses = out
        if A.requires_grad:
            singular = (sign == 0)[..., None, None]
            safe = np.linalg.inv(np.where(singular, np.eye(a.shape[-1]), a))
            inverses = tensor_of(np.where(singular, math.nan, safe), A.dtype)
    record(out, "slogdet", _logarithm_grad, (A, inverses), {})
    signs = tensor_of(sign, A.dtype)
    record(signs, "sign", lambda g, out, A: (None,), (A,), {})
    return SignAndLogarithm(signs, out)


@public(method=True, out=True)
def slogdet(input: Tensor) -> SignAndLogarithm:
    """Sign of determinants, and logarithm of their absolute values: (sign, logabsdet); computed on the host."""
    return logarithm("slogdet", input)


@public(method=True, out=True)
def logdet(input: Tensor) -> Tensor:
    """Logarithm of determinants; NaN of negative ones."""
    sign, value = logarithm("logdet", input)
    return ew.where(ew.lt(sign, 0), math.nan, value)


@public(namespace="linalg", out=True)
def tensorinv(A: Tensor, ind: int = 2) -> Tensor:
    """The inverse of ``tensordot(A, x, ind)``: ``[first ind sizes..., rest...]`` to ``[rest..., first...]``."""
    if not ind > 0:
        raise ArgumentError(f"linalg.tensorinv: expected ind above 0, got {ind}")
    first, rest = A.shape[:ind], A.shape[ind:]
    if math.prod(first) != math.prod(rest):
        raise ShapeError(f"linalg.tensorinv: expected as many elements before dim {ind} as after, got {list(A.shape)}")
    return reshape(inverted("linalg.tensorinv", reshape(A, (math.prod(first), math.prod(rest)))), (*rest, *first))


@public(namespace="linalg", out=True)
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """``X`` with ``tensordot(A, X, X.ndim) = B``.

    Args:
        dims: dimensions of ``A`` that are moved to its end first.
    """
    if dims is not None:
        moved = [d % A.ndim for d in dims]
        A = permute(A, (*(d for d in range(A.ndim) if d not in moved), *moved))
    rest = A.shape[B.ndim :]
    if math.prod(rest) != B.numel():
        raise ShapeError(f"linalg.tensorsolve: expected A [{list(B.shape)}..., rest], got {list(A.shape)}")
    matrix = reshape(A, (B.numel(), math.prod(rest)))
    return reshape(solved("linalg.tensorsolve", matrix, reshape(B, (-1, 1))), rest)
