"""Powers and exponentials of matrices."""

from __future__ import annotations

import math

from tabgrad.autograd import no_grad
from tabgrad.host_ops._matrices import check_matrices, read_matrices
from tabgrad.host_ops.determinants import matrix_power as _matrix_power
from tabgrad.host_ops.solving import eye_like
from tabgrad.names import public
from tabgrad.ops.matmul import matmul
from tabgrad.tensor import Tensor

_TERMS = 12  # of the series, for norms up to 1/2: the rest is below float32's precision


@public(namespace="linalg", out=True)
def matrix_power(A: Tensor, n: int) -> Tensor:
    """Products of ``n`` square matrices; of a negative number those of the inverse, which the host computes."""
    return _matrix_power(A, n)


def exponential(caller: str, A: Tensor) -> Tensor:
    """The exponential of square matrices, by scaling and squaring.

    Source: Moler & Van Loan 2003, "Nineteen dubious ways to compute the exponential of a matrix", method 3.
    """
    check_matrices(caller, A, square=True)
    with no_grad():
        (a,) = read_matrices(A)
    norm = float(abs(a).sum(-1).max(initial=0.0))
    squarings = max(0, math.frexp(norm)[1] + 1) if math.isfinite(norm) and norm else 0
    x = A * 2.0**-squarings
    one = eye_like(x)
    found = one + x / float(_TERMS)
    for k in range(_TERMS - 1, 0, -1):
        found = one + matmul(x, found) / float(k)
    for _ in range(squarings):
        found = matmul(found, found)
    return found


@public(namespace="linalg")
def matrix_exp(A: Tensor) -> Tensor:
    """The exponential of square matrices, by scaling and squaring; the largest norm is read on the host."""
    return exponential("linalg.matrix_exp", A)
