"""Determinants of ``tabgrad.linalg``, and powers of matrices."""

from __future__ import annotations

from tabgrad.host_ops import solving
from tabgrad.host_ops.solving import inverted, logarithm
from tabgrad.names import public
from tabgrad.ops.rare.linalg_products import powered
from tabgrad.ops.result_types import SignAndLogarithm
from tabgrad.tensor import Tensor


@public(namespace="linalg", out=True)
def det(A: Tensor) -> Tensor:
    """Determinants of square matrices ``[..., N, N]``, on the host; with a gradient also where one is 0."""
    return solving.det(A)


@public(namespace="linalg", out=True)
def slogdet(A: Tensor) -> SignAndLogarithm:
    """Sign of determinants, and logarithm of their absolute values: (sign, logabsdet); computed on the host."""
    return logarithm("linalg.slogdet", A)


def _power(caller: str, A: Tensor, n: int) -> Tensor:
    return powered(caller, A, n, lambda x: inverted(caller, x))


@public(method=True, out=True)
def matrix_power(input: Tensor, n: int) -> Tensor:
    """Products of ``n`` square matrices; of a negative number those of the inverse, which the host computes."""
    return _power("matrix_power", input, n)
