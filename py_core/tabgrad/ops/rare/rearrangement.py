"""Elements between channels and places: shuffles of channels, and windows as columns and back."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._window import sizes_of
from tabgrad.ops.conv import out_size
from tabgrad.ops.indexing import index_select, rows_added
from tabgrad.ops.movement import permute, reshape
from tabgrad.ops.rare.transposed_convolutions import spread
from tabgrad.ops.slicing import pad_dims, slice_dims, stack
from tabgrad.tensor import Tensor

_MOST_TAPS = 32  # of a kernel whose elements are slices: a text for each


@public(functional=True)
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """``[..., C r^2, H, W]`` to ``[..., C, H r, W r]``. Source: https://arxiv.org/abs/1609.05158

    Raises:
        ShapeError: fewer than 3 dimensions, or the channels are not a multiple of ``upscale_factor ** 2``.
    """
    r = _factor("pixel_shuffle", input, upscale_factor)
    *lead, c, h, w = input.shape
    if c % (r * r):
        raise ShapeError(f"pixel_shuffle: expected channels that {r}**2 divides, got {list(input.shape)}")
    parts = reshape(input, (math.prod(lead), c // (r * r), r, r, h, w))
    return reshape(permute(parts, (0, 1, 4, 2, 5, 3)), (*lead, c // (r * r), h * r, w * r))


@public(functional=True)
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """``[..., C, H r, W r]`` to ``[..., C r^2, H, W]``: undoes :func:`pixel_shuffle`.

    Raises:
        ShapeError: fewer than 3 dimensions, or height or width is not a multiple of ``downscale_factor``.
    """
    r = _factor("pixel_unshuffle", input, downscale_factor)
    *lead, c, h, w = input.shape
    if h % r or w % r:
        raise ShapeError(f"pixel_unshuffle: expected height and width that {r} divides, got {list(input.shape)}")
    parts = reshape(input, (math.prod(lead), c, h // r, r, w // r, r))
    return reshape(permute(parts, (0, 1, 3, 5, 2, 4)), (*lead, c * r * r, h // r, w // r))


def _factor(caller: str, x: Tensor, factor: Any) -> int:
    if x.ndim < 3:
        raise ShapeError(f"{caller}: expected input [..., C, H, W], got {list(x.shape)}")
    return sizes_of(factor, 1, caller, "factor", minimum=1)[0]


@public(functional=True)
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels of ``[N, C, ...]``, one of each group after the other. Source: https://arxiv.org/abs/1707.01083

    Raises:
        ShapeError: fewer than 3 dimensions, or ``groups`` does not divide the channels.
    """
    groups = sizes_of(groups, 1, "channel_shuffle", "groups", minimum=1)[0]
    if input.ndim < 3 or input.shape[1] % groups:
        raise ShapeError(
            f"channel_shuffle: expected input [N, C, ...] with channels that groups={groups} divides, "
            f"got {list(input.shape)}"
        )
    n, c, *rest = input.shape
    parts = reshape(input, (n, groups, c // groups, math.prod(rest)))
    return reshape(permute(parts, (0, 2, 1, 3)), input.shape)


def _windows(caller: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> list[tuple[int, ...]]:
    return [
        sizes_of(kernel_size, 2, caller, "kernel_size", minimum=1),
        sizes_of(dilation, 2, caller, "dilation", minimum=1),
        sizes_of(padding, 2, caller, "padding"),
        sizes_of(stride, 2, caller, "stride", minimum=1),
    ]


def _counts(caller: str, size: tuple[int, ...], k: Any, d: Any, p: Any, s: Any) -> list[int]:
    found = [out_size(*row) for row in zip(size, k, s, p, d, strict=True)]
    if min(found) < 1:
        raise ShapeError(f"{caller}: expected windows {k}, dilation {d}, inside {list(size)} with padding {p}")
    return found


@public(top=False, functional=True)
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Windows of ``[N, C, H, W]`` or ``[C, H, W]`` as columns: ``[N, C KH KW, L]``.

    Raises:
        ShapeError: another number of dimensions, or no window.
    """
    if input.ndim == 3:
        out = unfold(reshape(input, (1, *input.shape)), kernel_size, dilation, padding, stride)
        return reshape(out, out.shape[1:])
    if input.ndim != 4:
        raise ShapeError(f"unfold: expected input [N, C, H, W] or [C, H, W], got {list(input.shape)}")
    k, d, p, s = _windows("unfold", kernel_size, dilation, padding, stride)
    rows, columns = _counts("unfold", input.shape[2:], k, d, p, s)
    if (k == s and max(d) == 1 and max(p) == 0) or k[0] * k[1] > _MOST_TAPS:
        return _unfolded(input, k, d, p, s, rows, columns)
    x = pad_dims(input, {2: (p[0], p[0]), 3: (p[1], p[1])})
    taps = [
        slice_dims(x, {2: (i * d[0], s[0], rows), 3: (j * d[1], s[1], columns)})
        for i in range(k[0])
        for j in range(k[1])
    ]
    return reshape(stack(taps, 2), (x.shape[0], x.shape[1] * k[0] * k[1], rows * columns))


def _unfolded(x: Tensor, k: Any, d: Any, p: Any, s: Any, rows: int, columns: int) -> Tensor:
    """Windows side by side that do not overlap, or that have many elements."""
    x = pad_dims(x, {2: (p[0], p[0]), 3: (p[1], p[1])})
    n, c = x.shape[:2]
    if k == s and max(d) == 1:
        whole = slice_dims(x, {2: (0, 1, rows * k[0]), 3: (0, 1, columns * k[1])})
        parts = permute(reshape(whole, (n, c, rows, k[0], columns, k[1])), (0, 1, 3, 5, 2, 4))
    else:
        for dim, count in ((2, rows), (3, columns)):
            a = dim - 2
            x = index_select(x, dim, _places(count, k[a], s[a], d[a]))
        parts = permute(reshape(x, (n, c, k[0], rows, k[1], columns)), (0, 1, 2, 4, 3, 5))
    return reshape(parts, (n, c * k[0] * k[1], rows * columns))


def _places(count: int, kernel: int, stride: int, dilation: int) -> Tensor:
    """Of each element of the kernel, where it is in each of ``count`` windows."""
    shape = (kernel, count)
    return reshape(ew.iota(shape, 0) * dilation + ew.iota(shape, 1) * stride, -1)


@public(top=False, functional=True)
def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Columns ``[N, C KH KW, L]`` added where their windows lie in ``[N, C, *output_size]``: undoes no overlap.

    Raises:
        ShapeError: another number of rows or columns than the windows'.
    """
    if input.ndim == 2:
        out = fold(reshape(input, (1, *input.shape)), output_size, kernel_size, dilation, padding, stride)
        return reshape(out, out.shape[1:])
    k, d, p, s = _windows("fold", kernel_size, dilation, padding, stride)
    size = sizes_of(output_size, 2, "fold", "output_size", minimum=1)
    rows, columns = _counts("fold", size, k, d, p, s)
    area = k[0] * k[1]
    if input.ndim != 3 or input.shape[1] % area or input.shape[2] != rows * columns:
        raise ShapeError(
            f"fold: expected input [N, C * {area}, {rows * columns}] for output_size {size}, got {list(input.shape)}"
        )
    n, c = input.shape[0], input.shape[1] // area
    if area > _MOST_TAPS:
        wide = permute(reshape(input, (n, c, *k, rows, columns)), (0, 1, 2, 4, 3, 5))
        wide = reshape(wide, (n, c, k[0] * rows, k[1] * columns))
        for dim, count in ((3, columns), (2, rows)):
            a = dim - 2
            wide = rows_added(wide, _places(count, k[a], s[a], d[a]), dim, size[a] + 2 * p[a])
        return pad_dims(wide, {2: (-p[0], -p[0]), 3: (-p[1], -p[1])})
    taps = reshape(input, (n, c, area, rows, columns))
    total: Tensor | None = None
    for t in range(area):
        tap = reshape(slice_dims(taps, {2: (t, 1, 1)}), (n, c, rows, columns))
        amounts = {}
        for dim, offset in ((2, t // k[1] * d[0]), (3, t % k[1] * d[1])):
            tap = spread(tap, dim, s[dim - 2])
            amounts[dim] = (offset, size[dim - 2] + 2 * p[dim - 2] - offset - tap.shape[dim])
        placed = pad_dims(tap, amounts)
        total = placed if total is None else total + placed
    assert total is not None
    return pad_dims(total, {2: (-p[0], -p[0]), 3: (-p[1], -p[1])})


__all__ = ["channel_shuffle", "fold", "pixel_shuffle", "pixel_unshuffle", "unfold"]
