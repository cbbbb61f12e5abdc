"""Transposed convolutions: the gradient of a convolution with respect to its input, as ops."""

from __future__ import annotations

from typing import Any

from tabgrad.autograd import apply
from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops._window import sizes_of
from tabgrad.ops.conv import CONV_INPUT_GRAD, check_convolution, with_bias
from tabgrad.ops.movement import permute, reshape
from tabgrad.ops.slicing import pad_dims, slice_dims
from tabgrad.tensor import Tensor

Sizes = tuple[int, ...]


def _settings(
    caller: str, x: Tensor, w: Tensor, stride: Any, padding: Any, output_padding: Any, dilation: Any, groups: int
) -> tuple[Sizes, Sizes, Sizes, Sizes]:
    """Stride, padding and dilation of each axis, and the sizes of the result."""
    axes = w.ndim - 2
    check_convolution(caller, x, w, groups, "DHW"[-axes:] if axes > 1 else "L", transposed=True)
    s, d = sizes_of(stride, axes, caller, "stride", minimum=1), sizes_of(dilation, axes, caller, "dilation", minimum=1)
    p, extra = sizes_of(padding, axes, caller, "padding"), sizes_of(output_padding, axes, caller, "output_padding")
    if any(e >= max(a, b) for e, a, b in zip(extra, s, d, strict=True)):
        raise ShapeError(f"{caller}: expected output_padding below stride or dilation, got {extra}")
    rows = zip(x.shape[2:], w.shape[2:], s, p, d, extra, strict=True)
    sizes = tuple((n - 1) * si - 2 * pi + di * (k - 1) + e + 1 for n, k, si, pi, di, e in rows)
    if min(sizes) < 1 or min(x.shape[1:]) < 1:
        raise ShapeError(f"{caller}: expected a result that is not empty, got {sizes} of input {list(x.shape)}")
    return s, p, d, sizes


@public(functional=True)
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The input gradient of :func:`conv1d`: input ``[N, I, L]`` or ``[I, L]``, weight ``[I, O/groups, K]``.

    Raises:
        ShapeError: channels do not match, or ``output_padding`` is not below stride or dilation.
    """
    if input.ndim == 2:
        whole = reshape(input, (1, *input.shape))
        out = conv_transpose1d(whole, weight, bias, stride, padding, output_padding, groups, dilation)
        return reshape(out, out.shape[1:])
    caller = "conv_transpose1d"
    s, p, d, sizes = _settings(caller, input, weight, stride, padding, output_padding, dilation, groups)
    x = reshape(input, (*input.shape[:2], 1, input.shape[2]))
    w = reshape(weight, (*weight.shape[:2], 1, weight.shape[2]))
    shape = (x.shape[0], weight.shape[1] * groups, 1, *sizes)
    out = apply(
        CONV_INPUT_GRAD, x, w, shape=shape, stride=(1, *s), padding=(0, *p), dilation=(1, *d), groups=groups
    )
    return with_bias(caller, reshape(out, (*shape[:2], *sizes)), bias)


@public(functional=True)
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The input gradient of :func:`conv2d`: input ``[N, I, H, W]`` or ``[I, H, W]``, weight ``[I, O/groups, KH, KW]``.

    Raises:
        ShapeError: channels do not match, or ``output_padding`` is not below stride or dilation.
    """
    if input.ndim == 3:
        whole = reshape(input, (1, *input.shape))
        out = conv_transpose2d(whole, weight, bias, stride, padding, output_padding, groups, dilation)
        return reshape(out, out.shape[1:])
    caller = "conv_transpose2d"
    s, p, d, sizes = _settings(caller, input, weight, stride, padding, output_padding, dilation, groups)
    shape = (input.shape[0], weight.shape[1] * groups, *sizes)
    out = apply(CONV_INPUT_GRAD, input, weight, shape=shape, stride=s, padding=p, dilation=d, groups=groups)
    return with_bias(caller, out, bias)


@public(functional=True)
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """The input gradient of :func:`conv3d`: input ``[N, I, D, H, W]`` or without N, weight ``[I, O/groups, *K]``.

    Each plane of the input gives ``KD`` planes, which are added where they lie in the output.

    Raises:
        ShapeError: channels do not match, or ``output_padding`` is not below stride or dilation.
    """
    if input.ndim == 4:
        whole = reshape(input, (1, *input.shape))
        out = conv_transpose3d(whole, weight, bias, stride, padding, output_padding, groups, dilation)
        return reshape(out, out.shape[1:])
    caller = "conv_transpose3d"
    s, p, d, sizes = _settings(caller, input, weight, stride, padding, output_padding, dilation, groups)
    n, i, depth, h, w = input.shape
    o, kd = weight.shape[1] * groups, weight.shape[2]
    planes = reshape(permute(input, (0, 2, 1, 3, 4)), (n * depth, i, h, w))
    kernel = reshape(weight, (i, weight.shape[1] * kd, *weight.shape[3:]))
    given = apply(
        CONV_INPUT_GRAD, planes, kernel,
        shape=(n * depth, o * kd, *sizes[1:]), stride=s[1:], padding=p[1:], dilation=d[1:], groups=groups,
    )  # fmt: skip
    taps = permute(reshape(given, (n, depth, o, kd, *sizes[1:])), (0, 2, 3, 1, 4, 5))  # N, O, KD, D, OH, OW
    reach = d[0] * (kd - 1)
    total: Tensor | None = None
    for k in range(kd):
        tap = reshape(slice_dims(taps, {2: (k, 1, 1)}), (n, o, depth, *sizes[1:]))
        placed = pad_dims(spread(tap, 2, s[0]), {2: (k * d[0], reach - k * d[0])})
        total = placed if total is None else total + placed
    assert total is not None
    after = sizes[0] + p[0] - total.shape[2]
    return with_bias(caller, pad_dims(total, {2: (-p[0], after)}), bias)


def spread(x: Tensor, dim: int, step: int) -> Tensor:
    """``step - 1`` zeros between the elements along ``dim``."""
    n = x.shape[dim]
    if step == 1 or n == 1:
        return x
    apart = reshape(x, (*x.shape[: dim + 1], 1, *x.shape[dim + 1 :]))
    apart = pad_dims(apart, {dim + 1: (0, step - 1)})
    joined = reshape(apart, (*x.shape[:dim], n * step, *x.shape[dim + 1 :]))
    return slice_dims(joined, {dim: (0, 1, (n - 1) * step + 1)})


__all__ = ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "spread"]
