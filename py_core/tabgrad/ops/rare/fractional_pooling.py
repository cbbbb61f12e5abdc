"""Max pooling to a fraction of the size, with windows at random distances."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops._window import sizes_of
from tabgrad.ops.activation import check_float
from tabgrad.ops.random_tensors import rand
from tabgrad.ops.indexing import gather
from tabgrad.ops.movement import broadcast_to, reshape
from tabgrad.ops.slicing import slice_dims
from tabgrad.tensor import Tensor


def _starts(sample: Tensor, n: int, out: int, k: int) -> Tensor:
    """Where windows begin: ``[N, C, out]`` of samples ``[N, C, 1]``; the last window ends with the axis."""
    lead = sample.shape[:2]
    if out == 1:
        return ew.iota((*lead, 1), 2) + (n - k)
    alpha = (n - k) / (out - 1)
    at = ew.cast(ew.iota((*lead, out), 2), dtypes.float32)
    begins = ew.cast(ew.floor((at + sample) * alpha), dtypes.int32) - ew.cast(ew.floor(sample * alpha), dtypes.int32)
    return ew.where(ew.eq(ew.iota((*lead, out), 2), out - 1), n - k, begins)


def _fractional(
    caller: str, x: Tensor, count: int, kernel: Any, output_size: Any, ratio: Any, places: bool, samples: Tensor | None
) -> Any:
    if x.ndim not in (count + 1, count + 2):
        raise ShapeError(f"{caller}: expected [N, C, ...] or [C, ...] with {count} more axes, got {list(x.shape)}")
    check_float(caller, x)
    if (output_size is None) == (ratio is None):
        raise ArgumentError(f"{caller}: expected one of output_size and output_ratio, got {output_size} and {ratio}")
    own = x.shape[-count:]
    if output_size is None:
        each = ratio if isinstance(ratio, list | tuple) else (ratio,) * count
        if len(each) != count or any(not 0 < r < 1 for r in each):
            raise ArgumentError(f"{caller}: expected output_ratio between 0 and 1, got {ratio}")
        output_size = tuple(int(n * r) for n, r in zip(own, each, strict=True))
    k = sizes_of(kernel, count, caller, "kernel_size", minimum=1)
    sizes = sizes_of(output_size, count, caller, "output_size", minimum=1)
    if any(m + a - 1 > n for n, m, a in zip(own, sizes, k, strict=True)):
        raise ShapeError(f"{caller}: expected output_size + kernel_size - 1 of at most {list(own)}, got {sizes}, {k}")
    whole = x if x.ndim == count + 2 else reshape(x, (1, *x.shape))
    n, c = whole.shape[:2]
    drawn = rand((n, c, count)) if samples is None else samples
    if drawn.shape != (n, c, count):
        raise ShapeError(f"{caller}: expected _random_samples {[n, c, count]}, got {list(drawn.shape)}")
    # every window's elements side by side: [N, C, windows, elements]
    index: Tensor | None = None
    shape = (n, c, *(m for m in sizes), *(a for a in k))
    for axis in range(count):
        # PyTorch's samples are of the last axis first
        sample = slice_dims(drawn, {2: (count - 1 - axis, 1, 1)})
        begin = _starts(sample, own[axis], sizes[axis], k[axis])
        lined = (n, c, *(m if a == axis else 1 for a, m in enumerate(sizes)), *(1,) * count)
        place = broadcast_to(reshape(begin, lined), shape) + ew.iota(shape, 2 + count + axis)
        index = place if index is None else index * own[axis] + place
    assert index is not None
    windows, elements = math.prod(sizes), math.prod(k)
    flat = reshape(whole, (n, c, math.prod(own)))
    apart = (n, c, windows, elements)
    values = reshape(gather(flat, 2, reshape(index, (n, c, windows * elements))).detach(), apart)
    best = red.argmax(values, 3, keepdim=True)
    found = reshape(gather(reshape(index, apart), 3, best), (n, c, windows))
    result = (*x.shape[:-count], *sizes)
    out = reshape(gather(flat, 2, found), result)
    return (out, reshape(found, result)) if places else out


@public(top=False, functional=True)
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Largest elements of windows at random distances that give ``output_size``, or ``output_ratio`` of the size.

    Args:
        return_indices: return the pair (values, flat places).
        _random_samples: ``[N, C, 2]`` from 0 to 1, in place of random ones.

    Source: https://arxiv.org/abs/1412.6071
    """
    return _fractional(
        "fractional_max_pool2d", input, 2, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )


@public(top=False, functional=True)
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """As :func:`fractional_max_pool2d`, of volumes."""
    return _fractional(
        "fractional_max_pool3d", input, 3, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )


__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]
