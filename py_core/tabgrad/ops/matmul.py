"""Matrix products. One primitive, batched; transposes are views that its kernel reads through."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.graph.op import Attrs, Heavy, Op, Roles, Shape, first_dtype, register
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.folds import sum_dims
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


@public(method=True, operator="matmul", out=True)
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """``input @ other``: ``[..., M, K] @ [..., K, N]``, batch dimensions broadcast, vectors as in PyTorch.

    Integers are summed as int32, one thread for each element of the result.

    Raises:
        ShapeError: the inner sizes differ, or an operand is a scalar.
        DTypeError: the operands are of two dtypes, or bool.
    """
    return _product("matmul", input, other)


def _product(caller: str, input: Any, other: Any) -> Tensor:
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        got = f"{type(input).__name__} and {type(other).__name__}"
        raise TypeError(f"{caller}: expected two tensors, got {got}; wrap data in tabgrad.tensor(...)")
    if input.dtype is not other.dtype or input.dtype is dtypes.bool_:
        got = f"{input.dtype.name} and {other.dtype.name}"
        raise DTypeError(f"{caller}: expected operands of one floating-point dtype, got {got}; use .float()")
    if input.ndim == 0 or other.ndim == 0:
        raise ShapeError(
            f"{caller}: expected at least 1 dimension each, got {list(input.shape)} and {list(other.shape)}"
        )
    x = reshape(input, (1, input.shape[0])) if input.ndim == 1 else input
    y = reshape(other, (other.shape[0], 1)) if other.ndim == 1 else other
    if x.shape[-1] != y.shape[-2]:
        raise ShapeError(
            f"{caller}: expected inner sizes to match, got {list(input.shape)} and {list(other.shape)} "
            f"({x.shape[-1]} and {y.shape[-2]})"
        )
    m, k, n = x.shape[-2], x.shape[-1], y.shape[-1]
    if y.ndim == 2:  # one matrix for the whole batch: fold the batch into the rows
        batch: Shape = x.shape[:-2]
        x3, y3 = reshape(x, (1, math.prod(batch) * m, k)), reshape(y, (1, k, n))
    else:
        batch = broadcast_shapes(x.shape[:-2], y.shape[:-2], caller=caller)
        count = math.prod(batch)
        x3 = reshape(broadcast_to(x, (*batch, m, k)), (count, m, k))
        y3 = reshape(broadcast_to(y, (*batch, k, n)), (count, k, n))
    out = reshape(_batched(x3, y3), (*batch, m, n))
    if input.ndim == 1:
        out = reshape(out, out.shape[:-2] + out.shape[-1:])
    return reshape(out, out.shape[:-1]) if other.ndim == 1 else out


def _batched(x: Tensor, y: Tensor) -> Tensor:
    if x.dtype.is_floating_point:
        return apply(MATMUL, x, y)
    (b, m, k), n = x.shape, y.shape[2]  # tiles are of floats
    wide = [ew.cast(reshape(t, shape), x.dtype.computed) for t, shape in ((x, (b, m, k, 1)), (y, (b, 1, k, n)))]
    return ew.cast(reshape(sum_dims(wide[0] * wide[1], (2,)), (b, m, n)), x.dtype)


def _checked(caller: str, ranks: tuple[int, int], a: Tensor, b: Tensor) -> Tensor:
    if (a.ndim, b.ndim) != ranks:
        raise ShapeError(
            f"{caller}: expected {ranks[0]}-d and {ranks[1]}-d tensors, got {list(a.shape)} and {list(b.shape)}; "
            f"matmul takes others"
        )
    return _product(caller, a, b)


@public(method=True, out=True)
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """``[B, M, K] @ [B, K, N]`` without broadcasting.

    Raises:
        ShapeError: an operand is not 3-dimensional, or the batches differ.
    """
    if input.ndim != 3 or mat2.ndim != 3 or input.shape[0] != mat2.shape[0]:
        raise ShapeError(f"bmm: expected [B, M, K] and [B, K, N], got {list(input.shape)} and {list(mat2.shape)}")
    return _product("bmm", input, mat2)


@public(method=True, out=True)
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """``[M, K] @ [K, N]``, as :func:`matmul`, and of matrices alone."""
    return _checked("mm", (2, 2), input, mat2)


@public(method=True, out=True)
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """``[M, K] @ [K]``, as :func:`matmul`, and of a matrix and a vector alone."""
    return _checked("mv", (2, 1), input, vec)


@public(method=True, out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The sum of products of two vectors of one size, as :func:`matmul`."""
    return _checked("dot", (1, 1), input, tensor)


@public(functional=True)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``x @ weightᵀ + bias``: x ``[..., in]``, weight ``[out, in]``, bias ``[out]``.

    Raises:
        ShapeError: the last size of ``x`` is not the weight's.
    """
    if input.ndim == 0 or input.shape[-1] != weight.shape[-1]:
        raise ShapeError(
            f"linear: expected input [..., {weight.shape[-1]}], got {list(input.shape)}; weight is {list(weight.shape)}"
        )
    out = matmul(input, transpose(weight, 0, 1) if weight.ndim == 2 else weight)
    return out if bias is None else out + bias
