"""Products of ``tabgrad.linalg``, and chains and powers of matrices."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from tabgrad.autograd import record
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.matmul import matmul, mm
from tabgrad.ops.movement import reshape, unsqueeze
from tabgrad.ops.rare.products import crossed
from tabgrad.ops.reduce import sum
from tabgrad.tensor import Tensor


@public(namespace="linalg", out=True)
def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three along ``dim``.

    Raises:
        ShapeError: the dimension has another size.
    """
    return crossed("linalg.cross", input, other, dim)


@public(namespace="linalg", out=True)
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Sums of products along ``dim``, broadcast."""
    return sum(x * y, dim)


def chained(caller: str, tensors: Sequence[Tensor]) -> Tensor:
    """The product of matrices, in the order of products that takes the fewest operations.

    Source: Cormen, Leiserson, Rivest & Stein, Introduction to Algorithms, 15.2.
    """
    if len(tensors) < 2:
        raise ArgumentError(f"{caller}: expected at least 2 tensors, got {len(tensors)}")
    first, last = tensors[0].ndim == 1, tensors[-1].ndim == 1
    ms = list(tensors)
    ms[0] = unsqueeze(ms[0], 0) if first else ms[0]
    ms[-1] = unsqueeze(ms[-1], 1) if last else ms[-1]
    for one, two in itertools.pairwise(ms):
        if one.ndim != 2 or two.ndim != 2 or one.shape[1] != two.shape[0]:
            raise ShapeError(f"{caller}: expected matrices that multiply, got {[list(t.shape) for t in tensors]}")
    n = len(ms)
    sizes = [ms[0].shape[0], *(m.shape[1] for m in ms)]
    cost = [[0] * n for _ in range(n)]
    at = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], at[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )

    def product(i: int, j: int) -> Tensor:
        return ms[i] if i == j else mm(product(i, at[i][j]), product(at[i][j] + 1, j))

    out = product(0, n - 1)
    shape = out.shape[1 if first else 0 : 1 if last else 2]
    return reshape(out, shape) if first or last else out


@public(out=True)
def chain_matmul(*matrices: Tensor) -> Tensor:
    """As ``linalg.multi_dot`` of its arguments."""
    return matrices[0] if len(matrices) == 1 else chained("chain_matmul", matrices)


@public(namespace="linalg", out=True)
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of matrices, in the order of products that takes the fewest operations."""
    return chained("linalg.multi_dot", tensors)


def powered(caller: str, input: Tensor, n: int, inverse: Callable[[Tensor], Tensor]) -> Tensor:
    """A power of square matrices; ``inverse`` makes one that a negative power needs."""
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ShapeError(f"{caller}: expected square matrices, got {list(input.shape)}")
    if n < 0:
        return powered(caller, inverse(input), -n, inverse)
    if n == 0:
        shape = input.shape
        one = ew.cast(ew.eq(ew.iota(shape, input.ndim - 2), ew.iota(shape, input.ndim - 1)), input.dtype)
        record(one, "identity", lambda g, out, x: (g * 0.0,), (input,), {})
        return one
    found, square = None, input
    while True:
        if n & 1:
            found = square if found is None else matmul(found, square)
        n >>= 1
        if not n:
            assert found is not None
            return ew.clone(found) if found is input else found
        square = matmul(square, square)
