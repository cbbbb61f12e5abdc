"""Convolution at places that another tensor moves, as torchvision's."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._window import sizes_of
from tabgrad.ops.activation import check_float
from tabgrad.ops.conv import out_size, with_bias
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import reshape
from tabgrad.ops.rare.grids import sampled
from tabgrad.ops.slicing import slice_dims
from tabgrad.tensor import Tensor


@public(top=False)
def deform_conv2d(
    input: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = (1, 1),
    padding: Any = (0, 0),
    dilation: Any = (1, 1),
    mask: Tensor | None = None,
) -> Tensor:
    """``torchvision.ops.deform_conv2d``, found as ``tabgrad.ops.deform_conv2d``.

    Args:
        input: ``[N, C, H, W]``.
        offset: ``[N, 2 D KH KW, OH, OW]``: by how much each element of the kernel is moved, y before x, for each of
            ``D`` groups of channels.
        weight: ``[O, C/groups, KH, KW]``.
        bias: ``[O]``.
        mask: ``[N, D KH KW, OH, OW]``, factors of what is read; without it, this is version 1.

    Raises:
        ShapeError: sizes do not fit each other.

    Source: Zhu et al. 2018, https://arxiv.org/abs/1811.11168
    """
    caller = "deform_conv2d"
    check_float(caller, input)
    s, d = sizes_of(stride, 2, caller, "stride", minimum=1), sizes_of(dilation, 2, caller, "dilation", minimum=1)
    p = sizes_of(padding, 2, caller, "padding")
    if input.ndim != 4 or weight.ndim != 4 or offset.ndim != 4:
        raise ShapeError(
            f"{caller}: expected input [N, C, H, W], offset and weight of 4 dimensions, got {list(input.shape)}, "
            f"{list(offset.shape)} and {list(weight.shape)}"
        )
    n, c, h, w = input.shape
    o, per_group, kh, kw = weight.shape
    taps = kh * kw
    oh, ow = (out_size(*row) for row in zip((h, w), (kh, kw), s, p, d, strict=True))
    parts, groups = offset.shape[1] // (2 * taps), c // max(1, per_group)
    fits = offset.shape == (n, 2 * parts * taps, oh, ow) and parts > 0 and c % max(1, parts) == 0
    if not fits or groups * per_group != c or o % max(1, groups) or min(oh, ow) < 1:
        raise ShapeError(
            f"{caller}: expected offset [N, 2 * groups * {taps}, {oh}, {ow}] and weight of {c} channels in groups, got "
            f"{list(offset.shape)} and {list(weight.shape)}"
        )
    if mask is not None and mask.shape != (n, parts * taps, oh, ow):
        raise ShapeError(f"{caller}: expected mask {[n, parts * taps, oh, ow]}, got {list(mask.shape)}")
    moved = reshape(offset, (n * parts, taps, 2, oh * ow))
    count = taps * oh * ow
    grid = (1, taps, 1, oh, ow)
    places = []
    for axis in range(2):
        tap = ew.iota(grid, 1)
        within = tap % kw if axis else ew.floor_divide(tap, kw)
        start = ew.iota(grid, 3 + axis) * s[axis] - p[axis] + within * d[axis]
        whole = reshape(ew.cast(start, dtypes.float32), (1, taps, 1, oh * ow)) + slice_dims(moved, {2: (axis, 1, 1)})
        places.append(reshape(whole, (n * parts, 1, count)))
    values = sampled(reshape(input, (n * parts, c // parts, h * w)), places, (h, w))  # n parts, c / parts, count
    if mask is not None:
        values = values * reshape(mask, (n * parts, 1, count))
    # channels are in order over the parts, so that [N, C, taps, places] are the columns
    columns_of = reshape(values, (n, groups, per_group * taps, oh * ow))
    kernel = reshape(weight, (1, groups, o // groups, per_group * taps))
    out = reshape(matmul(kernel, columns_of), (n, o, oh, ow))
    return with_bias(caller, out, bias)


__all__ = ["deform_conv2d"]
