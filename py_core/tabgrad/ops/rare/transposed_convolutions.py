"""Transposed convolutions: the gradient of a convolution with respect to its input, as ops."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True)
class _Plan:
    """One transposed convolution, whose result may be cropped or padded afterwards.

    With ``output_padding`` of a stride or more, as a larger dilation allows, the convolution of the result would have
    more positions than the input. What is computed is then the result without padding, and cropped.
    """

    stride: Sizes
    padding: Sizes
    dilation: Sizes
    sizes: Sizes  # of what is computed
    fit: dict[int, tuple[int, int]]  # by dimension: what is added to it before and after

    def attrs(self, groups: int) -> dict[str, Any]:
        return {"stride": self.stride, "padding": self.padding, "dilation": self.dilation, "groups": groups}


def _plan(
    caller: str, x: Tensor, w: Tensor, stride: Any, padding: Any, output_padding: Any, dilation: Any, groups: int
) -> _Plan:
    axes = w.ndim - 2
    check_convolution(caller, x, w, groups, ("L", "HW", "DHW")[axes - 1], transposed=True)
    s, d = sizes_of(stride, axes, caller, "stride", minimum=1), sizes_of(dilation, axes, caller, "dilation", minimum=1)
    p, extra = sizes_of(padding, axes, caller, "padding"), sizes_of(output_padding, axes, caller, "output_padding")
    if any(e >= max(a, b) for e, a, b in zip(extra, s, d, strict=True)):
        raise ShapeError(f"{caller}: expected output_padding below stride or dilation, got {extra}")
    whole = [(n - 1) * si + di * (k - 1) + 1 for n, k, si, di in zip(x.shape[2:], w.shape[2:], s, d, strict=True)]
    wanted = [n - 2 * pi + e for n, pi, e in zip(whole, p, extra, strict=True)]
    if min(wanted) < 1 or min(x.shape[1:]) < 1:
        raise ShapeError(f"{caller}: expected a result that is not empty, got {wanted} of input {list(x.shape)}")
    late = [i for i in range(axes) if extra[i] >= s[i]]
    return _Plan(
        s,
        tuple(0 if i in late else pi for i, pi in enumerate(p)),
        d,
        tuple(whole[i] if i in late else wanted[i] for i in range(axes)),
        {2 + i: (-p[i], extra[i] - p[i]) for i in late},
    )


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
    plan = _plan("conv_transpose1d", input, weight, stride, padding, output_padding, dilation, groups)
    flat = _Plan(
        (1, *plan.stride), (0, *plan.padding), (1, *plan.dilation), (1, *plan.sizes),
        {d + 1: amounts for d, amounts in plan.fit.items()},
    )  # fmt: skip
    x = reshape(input, (*input.shape[:2], 1, input.shape[2]))
    out = _planned(x, reshape(weight, (*weight.shape[:2], 1, weight.shape[2])), flat, groups)
    return with_bias("conv_transpose1d", reshape(out, (*out.shape[:2], out.shape[3])), bias)


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
    plan = _plan("conv_transpose2d", input, weight, stride, padding, output_padding, dilation, groups)
    return with_bias("conv_transpose2d", _planned(input, weight, plan, groups), bias)


def _planned(x: Tensor, weight: Tensor, plan: _Plan, groups: int) -> Tensor:
    """Along two axes."""
    shape = (x.shape[0], weight.shape[1] * groups, *plan.sizes)
    return pad_dims(apply(CONV_INPUT_GRAD, x, weight, shape=shape, **plan.attrs(groups)), plan.fit)


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
    plan = _plan("conv_transpose3d", input, weight, stride, padding, output_padding, dilation, groups)
    step, apart = plan.stride[0], plan.dilation[0]
    n, i, depth, h, w = input.shape
    o, kd = weight.shape[1] * groups, weight.shape[2]
    flat = _Plan(
        plan.stride[1:], plan.padding[1:], plan.dilation[1:], plan.sizes[1:],
        {d - 1: amounts for d, amounts in plan.fit.items() if d > 2},
    )  # fmt: skip
    planes = reshape(permute(input, (0, 2, 1, 3, 4)), (n * depth, i, h, w))
    given = _planned(planes, reshape(weight, (i, weight.shape[1] * kd, *weight.shape[3:])), flat, groups)
    sizes = given.shape[2:]
    taps = permute(reshape(given, (n, depth, o, kd, *sizes)), (0, 2, 3, 1, 4, 5))  # N, O, KD, D, OH, OW
    reach = apart * (kd - 1)
    total: Tensor | None = None
    for k in range(kd):
        tap = reshape(slice_dims(taps, {2: (k, 1, 1)}), (n, o, depth, *sizes))
        placed = pad_dims(spread(tap, 2, step), {2: (k * apart, reach - k * apart)})
        total = placed if total is None else total + placed
    assert total is not None
    before, after = plan.fit.get(2, (-plan.padding[0], plan.sizes[0] + plan.padding[0] - total.shape[2]))
    return with_bias("conv_transpose3d", pad_dims(total, {2: (before, after)}), bias)


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
