"""Distances and similarities of vectors."""

from __future__ import annotations

import math

from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.movement import broadcast_to
from tabgrad.tensor import Tensor


@public(functional=True)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """``x1 · x2 / (max(|x1|, eps) max(|x2|, eps))`` along one dimension; shapes broadcast."""
    shape = broadcast_shapes(x1.shape, x2.shape, caller="cosine_similarity")
    x1, x2 = broadcast_to(x1, shape), broadcast_to(x2, shape)
    lengths = [ew.sqrt(_safe(red.sum(x * x, dim, True))) for x in (x1, x2)]
    a, b = (x / ew.maximum(n, eps) for x, n in zip((x1, x2), lengths, strict=True))
    return red.sum(a * b, dim)


def _safe(squares: Tensor) -> Tensor:
    """A root at 0 has no finite gradient; at 1e-38 it is below any ``eps``."""
    return ew.where(ew.eq(squares, 0), 1e-38, squares)


@public(functional=True)
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of ``x1 - x2 + eps`` along the last dimension; shapes broadcast."""
    d = x1 - x2 + eps
    if p == 2:
        squares = red.sum(d * d, -1, keepdim)
        zero = ew.eq(squares, 0)
        return ew.where(zero, 0.0, ew.sqrt(ew.where(zero, 1.0, squares)))
    size = ew.abs(d)
    if math.isinf(p):
        return red.amax(size, -1, keepdim) if p > 0 else red.amin(size, -1, keepdim)
    if p == 0:
        return red.sum(ew.ne(d, 0).float(), -1, keepdim)
    if p == 1:
        return red.sum(size, -1, keepdim)
    total = red.sum(ew.pow(size, p), -1, keepdim)
    zero = ew.eq(total, 0)
    return ew.where(zero, 0.0, ew.pow(ew.where(zero, 1.0, total), 1 / p))


__all__ = ["cosine_similarity", "pairwise_distance"]
