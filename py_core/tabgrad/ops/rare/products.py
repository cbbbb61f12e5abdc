"""Products of vectors and matrices beyond ``matmul``: with a sum, outer, of Kronecker, across and along dimensions."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.matmul import bmm, dot, matmul, mm, mv
from tabgrad.ops.movement import broadcast_to, normalize_dim, permute, reshape
from tabgrad.ops.reduce import sum
from tabgrad.ops.slicing import cat, narrow
from tabgrad.tensor import Tensor


@public(method=True, out=True)
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """As ``dot``: nothing is complex here."""
    return dot(input, other)


@public(method=True, out=True, aliases=("ger",))
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Each element of a vector times each of another one: ``[N]``, ``[M]`` to ``[N, M]``.

    Raises:
        ShapeError: one of them is no vector.
    """
    if input.ndim != 1 or vec2.ndim != 1:
        raise ShapeError(f"outer: expected two vectors, got {list(input.shape)} and {list(vec2.shape)}")
    return reshape(input, (-1, 1)) * reshape(vec2, (1, -1))


@public(method=True, out=True)
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products along the last dimensions; of a scalar the product.

    Raises:
        ShapeError: the last sizes differ.
    """
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise ShapeError(f"inner: expected last sizes to match, got {list(input.shape)} and {list(other.shape)}")
    return tensordot(input, other, ((-1,), (-1,)))


def _added(caller: str, input: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """``beta * input + alpha * product``; where ``beta`` is 0, the input is not read, so its NaN do not count."""
    if not product.dtype.is_floating_point and (isinstance(beta, float) or isinstance(alpha, float)):
        if float(beta) != int(beta) or float(alpha) != int(alpha):
            raise DTypeError(
                f"{caller}: expected beta and alpha as integers for {product.dtype.name}, got {beta}, {alpha}"
            )
        beta, alpha = int(beta), int(alpha)
    if broadcast_shapes(input.shape, product.shape, caller=caller) != product.shape:
        raise ShapeError(f"{caller}: expected input that broadcasts to {list(product.shape)}, got {list(input.shape)}")
    if input.dtype is not product.dtype:
        raise DTypeError(f"{caller}: expected tensors of one dtype, got {input.dtype.name} and {product.dtype.name}")
    scaled = product if alpha == 1 else product * alpha
    if beta == 0:
        return scaled
    return broadcast_to(input, product.shape) * beta + scaled if beta != 1 else input + scaled


@public(method=True, inplace=True, out=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``; ``input`` broadcasts, and is not read where ``beta`` is 0."""
    return _added("addmm", input, mm(mat1, mat2), beta, alpha)


@public(method=True, inplace=True, out=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``; as :func:`addmm`."""
    return _added("addmv", input, mv(mat, vec), beta, alpha)


@public(method=True, inplace=True, out=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``; as :func:`addmm`. Of bools: *or* of *and*."""
    product = outer(vec1, vec2)
    if product.dtype is dtypes.bool_ and input.dtype is dtypes.bool_:
        product = product if alpha else ew.logical_and(product, False)
        return ew.logical_or(input, product) if beta else product
    if product.dtype is not input.dtype:
        product, input = ew.cast(product, ew.add(product, input).dtype), ew.cast(input, ew.add(product, input).dtype)
    return _added("addr", input, product, beta, alpha)


@public(method=True, inplace=True, out=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta * input + alpha * bmm(batch1, batch2)``; as :func:`addmm`."""
    return _added("baddbmm", input, bmm(batch1, batch2), beta, alpha)


@public(method=True, inplace=True, out=True)
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta * input + alpha * sum of the products of a batch``; as :func:`addmm`."""
    return _added("addbmm", input, sum(bmm(batch1, batch2), 0), beta, alpha)


@public(out=True)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums of products over pairs of dimensions.

    Args:
        dims: how many last dimensions of ``a`` and first ones of ``b``; or two sequences of dimensions.

    Raises:
        ShapeError: sizes of a pair differ.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if not 0 <= dims <= min(a.ndim, b.ndim):
            raise ArgumentError(f"tensordot: expected dims from 0 to {min(a.ndim, b.ndim)}, got {dims}")
        left, right = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        pair = [[d] if isinstance(d, int) else list(d) for d in dims]
        left = [normalize_dim(int(d), a.ndim, "tensordot") for d in pair[0]]
        right = [normalize_dim(int(d), b.ndim, "tensordot") for d in pair[1]]
    if len(left) != len(right):
        raise ShapeError(f"tensordot: expected as many dims of both, got {len(left)} and {len(right)}")
    for d, e in zip(left, right, strict=True):
        if a.shape[d] != b.shape[e]:
            if a.shape[d] == 1:
                b = sum(b, e, keepdim=True)
            elif b.shape[e] == 1:
                a = sum(a, d, keepdim=True)
            else:
                raise ShapeError(
                    f"tensordot: expected sizes of dims {d} and {e} to match, got {list(a.shape)} and {list(b.shape)}"
                )
    free_a = [d for d in range(a.ndim) if d not in left]
    free_b = [d for d in range(b.ndim) if d not in right]
    count = math.prod(a.shape[d] for d in left)
    shape = (*(a.shape[d] for d in free_a), *(b.shape[d] for d in free_b))
    x = reshape(permute(a, (*free_a, *left)), (math.prod(a.shape[d] for d in free_a), count))
    y = reshape(permute(b, (*right, *free_b)), (count, math.prod(b.shape[d] for d in free_b)))
    return reshape(matmul(x, y), shape)


@public(method=True, out=True)
def kron(input: Tensor, other: Tensor) -> Tensor:
    """Kronecker's product: each element of ``input`` times all of ``other``."""
    ndim = max(input.ndim, other.ndim)
    a = (1,) * (ndim - input.ndim) + input.shape
    b = (1,) * (ndim - other.ndim) + other.shape
    x = reshape(input, tuple(n for size in a for n in (size, 1)))
    y = reshape(other, tuple(n for size in b for n in (1, size)))
    return reshape(x * y, tuple(m * n for m, n in zip(a, b, strict=True)))


def crossed(caller: str, input: Tensor, other: Tensor, dim: int) -> Tensor:
    """The cross product along a dimension of size 3."""
    if input.ndim != other.ndim:
        raise ShapeError(
            f"{caller}: expected tensors of as many dimensions, got {list(input.shape)} and {list(other.shape)}"
        )
    shape = broadcast_shapes(input.shape, other.shape, caller=caller)
    d = normalize_dim(dim, len(shape), caller)
    if input.shape[d] != 3 or other.shape[d] != 3:
        raise ShapeError(f"{caller}: expected size 3 along dim {dim}, got {list(input.shape)} and {list(other.shape)}")
    a, b = ([narrow(broadcast_to(t, shape), d, k, 1) for k in range(3)] for t in (input, other))
    return cat([a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)], d)


@public(method=True, out=True)
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three along ``dim``, the first dimension of size 3 by default.

    Raises:
        ShapeError: there is no such dimension.
    """
    if dim is None:
        shape = broadcast_shapes(input.shape, other.shape, caller="cross")
        if 3 not in shape:
            raise ShapeError(f"cross: expected a dimension of size 3, got {list(shape)}")
        dim = shape.index(3)
    return crossed("cross", input, other, dim)
