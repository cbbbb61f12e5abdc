"""Matrix products. One primitive, batched; transposes are views that its kernel reads through."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.graph.op import Attrs, Heavy, Op, Roles, Shape, first_dtype, register
from tabgrad.names import public
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.movement import broadcast_to, reshape, transpose
from tabgrad.tensor import Tensor


@dataclass(frozen=True, kw_only=True)
class Gemm(Heavy):
    """Sums of products: a matrix product, or what can be read as one."""

    contracts: Callable[[Attrs], Roles]  # the roles of all dimensions

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles:
        return self.contracts(attrs)


def _shape_rule(_: Attrs, a: Shape, b: Shape) -> Shape:
    assert len(a) == len(b) == 3 and a[0] == b[0] and a[2] == b[1], (a, b)
    return (a[0], a[1], b[2])


def _grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    # out = a b, so d/da = g bᵀ and d/db = aᵀ g
    return apply(MATMUL, g, transpose(b, 1, 2)), apply(MATMUL, transpose(a, 1, 2), g)


MATMUL = register(
    Op(
        name="matmul",
        lowering=Gemm(
            contracts=lambda attrs: Roles(("b", "m", "n"), (("b", "m", "k"), ("b", "k", "n"))),
            flops=lambda attrs, out, a, b: 2 * math.prod(out) * a[2],
            terms=lambda attrs, out, a, b: a[2],
        ),
        shape_rule=_shape_rule,
        dtype_rule=first_dtype,
        reference=lambda attrs, a, b: np.matmul(a, b),
        grad=_grad,
    )
)


@public(method=True, operator="matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """``input @ other``: ``[..., M, K] @ [..., K, N]``, batch dimensions broadcast, vectors as in PyTorch.

    Raises:
        ShapeError: the inner sizes differ, or an operand is a scalar.
        DTypeError: the operands are not of one floating-point dtype.
    """
    is_float = input.dtype.is_floating_point and other.dtype.is_floating_point
    if not is_float or input.dtype is not other.dtype:
        got = f"{input.dtype.name} and {other.dtype.name}"
        raise DTypeError(f"matmul: expected operands of one floating-point dtype, got {got}; use .float()")
    if input.ndim == 0 or other.ndim == 0:
        raise ShapeError(f"matmul: expected at least 1 dimension each, got {list(input.shape)} and {list(other.shape)}")
    x = reshape(input, (1, input.shape[0])) if input.ndim == 1 else input
    y = reshape(other, (other.shape[0], 1)) if other.ndim == 1 else other
    if x.shape[-1] != y.shape[-2]:
        raise ShapeError(
            f"matmul: expected inner sizes to match, got {list(input.shape)} and {list(other.shape)} "
            f"({x.shape[-1]} and {y.shape[-2]})"
        )
    m, k, n = x.shape[-2], x.shape[-1], y.shape[-1]
    if y.ndim == 2:  # one matrix for the whole batch: fold the batch into the rows
        batch: Shape = x.shape[:-2]
        x3, y3 = reshape(x, (1, math.prod(batch) * m, k)), reshape(y, (1, k, n))
    else:
        batch = broadcast_shapes(x.shape[:-2], y.shape[:-2], caller="matmul")
        count = math.prod(batch)
        x3 = reshape(broadcast_to(x, (*batch, m, k)), (count, m, k))
        y3 = reshape(broadcast_to(y, (*batch, k, n)), (count, k, n))
    out = reshape(apply(MATMUL, x3, y3), (*batch, m, n))
    if input.ndim == 1:
        out = reshape(out, out.shape[:-2] + out.shape[-1:])
    return reshape(out, out.shape[:-1]) if other.ndim == 1 else out


@public()
def bmm(a: Tensor, b: Tensor) -> Tensor:
    """``[B, M, K] @ [B, K, N]`` without broadcasting.

    Raises:
        ShapeError: an operand is not 3-dimensional, or the batches differ.
    """
    if a.ndim != 3 or b.ndim != 3 or a.shape[0] != b.shape[0]:
        raise ShapeError(f"bmm: expected [B, M, K] and [B, K, N], got {list(a.shape)} and {list(b.shape)}")
    return matmul(a, b)


@public(functional=True)
def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x @ weightᵀ + bias``: x ``[..., in]``, weight ``[out, in]``, bias ``[out]``.

    Raises:
        ShapeError: the last size of ``x`` is not the weight's.
    """
    if x.ndim == 0 or x.shape[-1] != weight.shape[-1]:
        raise ShapeError(
            f"linear: expected input [..., {weight.shape[-1]}], got {list(x.shape)}; weight is {list(weight.shape)}"
        )
    out = matmul(x, transpose(weight, 0, 1) if weight.ndim == 2 else weight)
    return out if bias is None else out + bias
