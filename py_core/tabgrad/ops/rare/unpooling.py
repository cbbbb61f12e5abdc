"""Max pooling undone: its values at the places that they came from, zeros elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tabgrad.autograd import no_grad, record
from tabgrad.dtypes import int32
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._window import sizes_of
from tabgrad.ops.creation import zeros
from tabgrad.ops.indexed_writes import scatter
from tabgrad.ops.indexing import gather
from tabgrad.ops.movement import reshape
from tabgrad.tensor import Tensor


def _unpool(
    caller: str, x: Tensor, indices: Tensor, count: int, kernel: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    if x.ndim not in (count + 1, count + 2) or indices.shape != x.shape:
        raise ShapeError(
            f"{caller}: expected input and indices of one shape, [N, C, ...] or [C, ...] with {count} more axes, got "
            f"{list(x.shape)} and {list(indices.shape)}"
        )
    if indices.dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected integer indices, got {indices.dtype.name}")
    k = sizes_of(kernel, count, caller, "kernel_size", minimum=1)
    s = k if stride is None or stride in ((), []) else sizes_of(stride, count, caller, "stride", minimum=1)
    p = sizes_of(padding, count, caller, "padding")
    default = [(n - 1) * b + a - 2 * c for n, a, b, c in zip(x.shape[-count:], k, s, p, strict=True)]
    sizes = _chosen(caller, default, s, output_size)
    lead, n = x.shape[:-count], math.prod(sizes)
    lines = (math.prod(lead), math.prod(x.shape[-count:]))
    index = ew.cast(reshape(indices, lines), int32)
    return reshape(_placed(reshape(x, lines), index, n), (*lead, *sizes))


def _placed(x: Tensor, index: Tensor, n: int) -> Tensor:
    """Rows of ``n`` elements. One that was overwritten has the gradient of its place all the same, as PyTorch's."""
    with no_grad():
        out = scatter(zeros((x.shape[0], n), dtype=x.dtype), 1, index, x.detach())
    record(out, "max_unpool", lambda g, out, x, index: (gather(g, 1, index), None), (x, index), {})
    return out


def _chosen(caller: str, default: list[int], stride: Sequence[int], output_size: Any) -> list[int]:
    if output_size is None:
        return default
    count = len(default)
    sizes = [int(n) for n in output_size][-count:]
    if len(sizes) != count:
        raise ShapeError(f"{caller}: expected output_size of {count} numbers, got {list(output_size)}")
    if any(not d - s < n < d + s for n, d, s in zip(sizes, default, stride, strict=True)):
        raise ShapeError(f"{caller}: expected output_size within a stride {tuple(stride)} of {default}, got {sizes}")
    return sizes


@public(top=False, functional=True)
def max_unpool1d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Values of :func:`max_pool1d` at the places that it returned; where windows overlap, the last one counts."""
    return _unpool("max_unpool1d", input, indices, 1, kernel_size, stride, padding, output_size)


@public(top=False, functional=True)
def max_unpool2d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """As :func:`max_unpool1d`, of :func:`max_pool2d`."""
    return _unpool("max_unpool2d", input, indices, 2, kernel_size, stride, padding, output_size)


@public(top=False, functional=True)
def max_unpool3d(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """As :func:`max_unpool1d`, of :func:`max_pool3d`."""
    return _unpool("max_unpool3d", input, indices, 3, kernel_size, stride, padding, output_size)


__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]
