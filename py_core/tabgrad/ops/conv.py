"""2-D convolution and its two gradients: three primitives, each an implicit GEMM.

Shapes: x ``[N, C, H, W]``, w ``[O, C/groups, KH, KW]``, out ``[N, O, OH, OW]``. Pairs are (height, width).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.graph.op import Attrs, Names, Op, Roles, Shape, first_dtype, register
from tabgrad.names import public
from tabgrad.ops._window import Pair, sizes_of
from tabgrad.ops.matmul import Gemm
from tabgrad.ops.movement import reshape
from tabgrad.ops.slicing import pad_dims
from tabgrad.tensor import Tensor


def out_size(n: int, k: int, stride: int, padding: int, dilation: int) -> int:
    """Number of window positions along one dimension."""
    return (n + 2 * padding - dilation * (k - 1) - 1) // stride + 1


def _conv_shape(attrs: Attrs, x: Shape, w: Shape) -> Shape:
    sizes = zip(x[2:], w[2:], attrs["stride"], attrs["padding"], attrs["dilation"], strict=True)
    return (x[0], w[0], *(out_size(*s) for s in sizes))


def _windows(x: np.ndarray, kernel: Shape, attrs: Attrs, out: Shape) -> np.ndarray:
    """View [N, C, OH, OW, KH, KW] of the padded input."""
    (ph, pw), (sh, sw), (dh, dw) = attrs["padding"], attrs["stride"], attrs["dilation"]
    x = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    n, c, h, w = x.strides
    shape = (*x.shape[:2], *out, *kernel)
    return np.lib.stride_tricks.as_strided(x, shape, (n, c, h * sh, w * sw, h * dh, w * dw))


def _conv_reference(attrs: Attrs, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    g = attrs["groups"]
    oh, ow = _conv_shape(attrs, x.shape, w.shape)[2:]
    cols = _windows(x, w.shape[2:], attrs, (oh, ow))  # [N, C, OH, OW, KH, KW]
    cols = cols.reshape(x.shape[0], g, x.shape[1] // g, oh, ow, *w.shape[2:])
    kernels = w.reshape(g, w.shape[0] // g, *w.shape[1:])
    out = np.einsum("ngchwij,gocij->ngohw", cols, kernels, optimize=True)
    return np.ascontiguousarray(out.reshape(x.shape[0], w.shape[0], oh, ow), dtype=x.dtype)


def _input_reference(attrs: Attrs, grad: np.ndarray, w: np.ndarray) -> np.ndarray:
    g, (n, c, h, wd) = attrs["groups"], attrs["shape"]
    (ph, pw), (sh, sw), (dh, dw) = attrs["padding"], attrs["stride"], attrs["dilation"]
    oh, ow = grad.shape[2:]
    out = np.zeros((n, g, c // g, h + 2 * ph, wd + 2 * pw), grad.dtype)
    gg = grad.reshape(n, g, -1, oh, ow)
    kernels = w.reshape(g, w.shape[0] // g, *w.shape[1:])
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            piece = np.einsum("ngohw,goc->ngchw", gg, kernels[..., i, j], optimize=True)
            top, left = i * dh, j * dw
            out[..., top : top + sh * (oh - 1) + 1 : sh, left : left + sw * (ow - 1) + 1 : sw] += piece
    return np.ascontiguousarray(out.reshape(n, c, h + 2 * ph, wd + 2 * pw)[:, :, ph : ph + h, pw : pw + wd])


def _weight_reference(attrs: Attrs, grad: np.ndarray, x: np.ndarray) -> np.ndarray:
    # the compiler may ask for partial sums over shares of all images' rows, one after the other
    parts = attrs.get("split", 1)
    if parts == 1:
        return _weight_grad_whole(attrs, grad, x)
    rows = np.arange(grad.shape[0] * grad.shape[2]).reshape(grad.shape[0], 1, grad.shape[2], 1) * parts
    part_of = rows // rows.size
    return np.concatenate([_weight_grad_whole(attrs, np.where(part_of == p, grad, 0), x) for p in range(parts)])


def _weight_grad_whole(attrs: Attrs, grad: np.ndarray, x: np.ndarray) -> np.ndarray:
    g, shape = attrs["groups"], attrs["shape"]
    oh, ow = grad.shape[2:]
    cols = _windows(x, shape[2:], attrs, (oh, ow)).reshape(x.shape[0], g, x.shape[1] // g, oh, ow, *shape[2:])
    gg = grad.reshape(x.shape[0], g, -1, oh, ow)
    return np.einsum("ngohw,ngchwij->gocij", gg, cols, optimize=True).reshape(shape).astype(x.dtype)


def _conv_grad(g: Tensor, out: Tensor, x: Tensor, w: Tensor, **attrs: Any) -> tuple[Any, ...]:
    dx = apply(CONV_INPUT_GRAD, g, w, shape=x.shape, **attrs) if x.requires_grad else None
    dw = apply(CONV_WEIGHT_GRAD, g, x, shape=w.shape, **attrs) if w.requires_grad else None
    return dx, dw


def _input_grad_grad(gg: Tensor, out: Tensor, g: Tensor, w: Tensor, shape: Shape, **attrs: Any) -> tuple[Any, ...]:
    # linear in g and in w: as a function of g it is the adjoint of the convolution
    dg = apply(CONV2D, gg, w, **attrs) if g.requires_grad else None
    dw = apply(CONV_WEIGHT_GRAD, g, gg, shape=w.shape, **attrs) if w.requires_grad else None
    return dg, dw


def _weight_grad_grad(gg: Tensor, out: Tensor, g: Tensor, x: Tensor, shape: Shape, **attrs: Any) -> tuple[Any, ...]:
    dg = apply(CONV2D, x, gg, **attrs) if g.requires_grad else None
    dx = apply(CONV_INPUT_GRAD, g, gg, shape=x.shape, **attrs) if x.requires_grad else None
    return dg, dx


def _given_shape(attrs: Attrs, *_: Shape) -> Shape:
    first, *rest = attrs["shape"]
    return attrs.get("split", 1) * first, *rest


def _names(attrs: Attrs) -> tuple[Names, Names, Names]:
    """Roles of x, w and out: images, input and output channels; channels stay together where they are in groups."""
    o, c = ("o", "c") if attrs["groups"] == 1 else (None, None)
    return ("n", c, None, None), (o, c, None, None), ("n", o, None, None)


def _forward_roles(attrs: Attrs) -> Roles:
    x, w, out = _names(attrs)
    return Roles(out, (x, w))


def _input_grad_roles(attrs: Attrs) -> Roles:
    x, w, out = _names(attrs)
    return Roles(x, (out, w))


def _weight_grad_roles(attrs: Attrs) -> Roles:
    x, w, out = _names(attrs)
    return Roles(w, (out, x))


CONV2D = register(
    Op(
        name="conv2d",
        lowering=Gemm(
            contracts=_forward_roles,
            flops=lambda attrs, out, x, w: 2 * math.prod(out) * math.prod(w[1:]),
            terms=lambda attrs, out, x, w: math.prod(w[1:]),
        ),
        shape_rule=_conv_shape,
        dtype_rule=first_dtype,
        reference=_conv_reference,
        grad=_conv_grad,
    )
)
CONV_INPUT_GRAD = register(
    Op(
        name="conv2d_input_grad",
        lowering=Gemm(
            contracts=_input_grad_roles,
            flops=lambda attrs, out, g, w: 2 * math.prod(g) * math.prod(w[1:]),
            terms=lambda attrs, out, g, w: w[0] * math.prod(w[2:]),
        ),
        shape_rule=_given_shape,
        dtype_rule=first_dtype,
        reference=_input_reference,
        grad=_input_grad_grad,
    )
)
CONV_WEIGHT_GRAD = register(
    Op(
        name="conv2d_weight_grad",
        lowering=Gemm(
            contracts=_weight_grad_roles,
            flops=lambda attrs, out, g, x: 2 * math.prod(g) * math.prod(attrs["shape"][1:]),
            terms=lambda attrs, out, g, x: g[0] * math.prod(g[2:]),
        ),
        shape_rule=_given_shape,
        dtype_rule=first_dtype,
        reference=_weight_reference,
        grad=_weight_grad_grad,
    )
)


def check_convolution(caller: str, x: Tensor, w: Tensor, groups: int, axes: str, *, transposed: bool = False) -> None:
    """An input ``[N, C, *axes]`` and a weight that fit each other.

    Args:
        transposed: the weight is ``[C, O/groups, ...]`` rather than ``[O, C/groups, ...]``.

    Raises:
        DTypeError: they are not of one floating-point dtype.
        ShapeError: numbers of dimensions or channels do not fit.
    """
    if not x.dtype.is_floating_point or x.dtype is not w.dtype:
        raise DTypeError(
            f"{caller}: expected input and weight of one floating-point dtype, got {x.dtype.name} and {w.dtype.name}"
        )
    names = ["N", "C", *axes]
    if x.ndim != len(names) or w.ndim != len(names):
        raise ShapeError(
            f"{caller}: expected input [{', '.join(names)}] and a {len(names)}-d weight, "
            f"got {list(x.shape)} and {list(w.shape)}"
        )
    channels = w.shape[0] if transposed else w.shape[1] * groups
    if groups < 1 or x.shape[1] != channels:
        names[1] = str(channels)
        raise ShapeError(
            f"{caller}: expected input [{', '.join(names)}], got {list(x.shape)}; "
            f"channels must equal the weight's {channels if transposed else w.shape[1]} (groups={groups})"
        )
    if w.shape[0] % groups:
        kind = "input" if transposed else "output"
        raise ShapeError(f"{caller}: expected {kind} channels divisible by groups={groups}, got {w.shape[0]}")


def with_bias(caller: str, out: Tensor, bias: Tensor | None) -> Tensor:
    """``out [N, O, ...]`` plus ``bias [O]``, if there is one."""
    if bias is None:
        return out
    if bias.shape != (out.shape[1],):
        raise ShapeError(f"{caller}: expected bias [{out.shape[1]}], got {list(bias.shape)}")
    return out + reshape(bias, (1, -1) + (1,) * (out.ndim - 2))


@public(functional=True)
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Pair = 1,
    padding: Pair | str = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Tensor:
    """2-D cross-correlation: input ``[N, C, H, W]`` or ``[C, H, W]``, weight ``[O, C/groups, KH, KW]``.

    ``padding`` may be ``'valid'`` or ``'same'`` (stride 1 only).

    Raises:
        ShapeError: channels do not match, or the kernel is larger than the padded input.
    """
    if input.ndim == 3:
        out = conv2d(reshape(input, (1, *input.shape)), weight, bias, stride, padding, dilation, groups)
        return reshape(out, out.shape[1:])
    check_convolution("conv2d", input, weight, groups, "HW")
    s, d = sizes_of(stride, 2, "conv2d", "stride"), sizes_of(dilation, 2, "conv2d", "dilation")
    x, p = padded_input("conv2d", input, weight, s, padding, d)
    return with_bias("conv2d", convolved("conv2d", x, weight, s, p, d, groups), bias)


def convolved(
    caller: str, x: Tensor, weight: Tensor, s: tuple[int, ...], p: tuple[int, ...], d: tuple[int, ...], groups: int
) -> Tensor:
    """The primitive, for an input that was checked.

    Raises:
        ShapeError: a size means nothing, or the kernel is larger than the padded input.
    """
    if min(s) < 1 or min(d) < 1 or min(p) < 0:
        raise ShapeError(f"{caller}: expected stride, dilation >= 1 and padding >= 0, got {s}, {d}, {p}")
    attrs = {"stride": s, "padding": p, "dilation": d, "groups": groups}
    if min(_conv_shape(attrs, x.shape, weight.shape)[2:]) < 1:
        raise ShapeError(
            f"{caller}: expected a padded input at least as large as the kernel, "
            f"got input {list(x.shape)}, kernel {list(weight.shape[2:])}, padding {p}, dilation {d}"
        )
    return apply(CONV2D, x, weight, **attrs)


def padded_input(
    caller: str, x: Tensor, weight: Tensor, stride: tuple[int, ...], padding: Any, dilation: tuple[int, ...]
) -> tuple[Tensor, tuple[int, ...]]:
    """The input, and zeros that are to be added on both sides of each axis, of ``padding`` in numbers or by name."""
    count = len(stride)
    if not isinstance(padding, str):
        return x, sizes_of(padding, count, caller, "padding")
    if padding == "valid":
        return x, (0,) * count
    if padding != "same":
        raise ShapeError(f"{caller}: expected padding 'valid', 'same' or a size, got '{padding}'")
    if stride != (1,) * count:
        raise ShapeError(f"{caller}: expected stride 1 with padding='same', got {stride}")
    totals = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
    extra = {2 + i: (0, t % 2) for i, t in enumerate(totals) if t % 2}  # PyTorch puts the odd one after
    return pad_dims(x, extra), tuple(t // 2 for t in totals)
