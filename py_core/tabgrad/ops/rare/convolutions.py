"""Convolutions along one axis and three axes, made of the one along two."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops._window import sizes_of
from tabgrad.ops.conv import check_convolution, convolved, out_size, padded_input, with_bias
from tabgrad.ops.movement import permute, reshape
from tabgrad.ops.slicing import pad_dims, slice_dims, stack
from tabgrad.tensor import Tensor


@public(functional=True)
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """1-D cross-correlation: input ``[N, C, L]`` or ``[C, L]``, weight ``[O, C/groups, K]``.

    ``padding`` may be ``'valid'`` or ``'same'`` (stride 1 only).

    Raises:
        ShapeError: channels do not match, or the kernel is larger than the padded input.
    """
    if input.ndim == 2:
        out = conv1d(reshape(input, (1, *input.shape)), weight, bias, stride, padding, dilation, groups)
        return reshape(out, out.shape[1:])
    check_convolution("conv1d", input, weight, groups, "L")
    s, d = sizes_of(stride, 1, "conv1d", "stride"), sizes_of(dilation, 1, "conv1d", "dilation")
    x, p = padded_input("conv1d", input, weight, s, padding, d)
    flat = reshape(x, (*x.shape[:2], 1, x.shape[2]))
    kernel = reshape(weight, (*weight.shape[:2], 1, weight.shape[2]))
    out = convolved("conv1d", flat, kernel, (1, *s), (0, *p), (1, *d), groups)
    return with_bias("conv1d", reshape(out, (*out.shape[:2], out.shape[3])), bias)


@public(functional=True)
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """3-D cross-correlation: input ``[N, C, D, H, W]`` or ``[C, D, H, W]``, weight ``[O, C/groups, KD, KH, KW]``.

    Each plane of the output is a 2-D convolution of the ``KD`` planes that it sees, which are channels of it.

    Raises:
        ShapeError: channels do not match, or the kernel is larger than the padded input.
    """
    if input.ndim == 4:
        out = conv3d(reshape(input, (1, *input.shape)), weight, bias, stride, padding, dilation, groups)
        return reshape(out, out.shape[1:])
    caller = "conv3d"
    check_convolution(caller, input, weight, groups, "DHW")
    s, d = sizes_of(stride, 3, caller, "stride"), sizes_of(dilation, 3, caller, "dilation")
    x, p = padded_input(caller, input, weight, s, padding, d)
    kd = weight.shape[2]
    depth = out_size(x.shape[2], kd, s[0], p[0], d[0]) if s[0] > 0 else 0
    if depth < 1:
        raise ShapeError(
            f"{caller}: expected stride >= 1, and a padded input at least as large as the kernel, "
            f"got input {list(x.shape)}, kernel {list(weight.shape[2:])}, stride {s}, padding {p}, dilation {d}"
        )
    x = pad_dims(x, {2: (p[0], p[0])})
    taps = [slice_dims(x, {2: (k * d[0], s[0], depth)}) for k in range(kd)]
    seen = permute(stack(taps, 2), (0, 3, 1, 2, 4, 5))  # N, OD, C, KD, H, W
    n, c, h, w = x.shape[0], x.shape[1], x.shape[3], x.shape[4]
    planes = reshape(seen, (n * depth, c * kd, h, w))
    kernel = reshape(weight, (weight.shape[0], weight.shape[1] * kd, *weight.shape[3:]))
    out = convolved(caller, planes, kernel, s[1:], p[1:], d[1:], groups)
    out = permute(reshape(out, (n, depth, *out.shape[1:])), (0, 2, 1, 3, 4))  # N, O, OD, OH, OW
    return with_bias(caller, out, bias)


__all__ = ["conv1d", "conv3d"]
