"""2-D pooling: maximum and average, and their gradients as gathers (no scatter, so a fixed order)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad.autograd import apply
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.graph.op import Attrs, Heavy, Names, Op, Roles, Shape, first_dtype, register
from tabgrad.names import public
from tabgrad.ops._window import Pair, pair
from tabgrad.ops.movement import reshape
from tabgrad.ops.reduce import mean
from tabgrad.tensor import Tensor


def _size(n: int, k: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    span = n + 2 * padding - dilation * (k - 1) - 1
    out = -(-span // stride) + 1 if ceil_mode else span // stride + 1
    if ceil_mode and (out - 1) * stride >= n + padding:  # the last window must start inside the input
        out -= 1
    return out


def _shape_rule(attrs: Attrs, x: Shape) -> Shape:
    rows = zip(x[2:], attrs["kernel"], attrs["stride"], attrs["padding"], attrs["dilation"], strict=True)
    return (x[0], x[1], *(_size(*r, attrs["ceil_mode"]) for r in rows))


def _taps(attrs: Attrs, x: np.ndarray, fill: float) -> tuple[np.ndarray, np.ndarray]:
    """Values [K, N, C, OH, OW] of every tap, and their flat positions in the padded plane [K, OH, OW]."""
    (kh, kw), (sh, sw), (ph, pw), (dh, dw) = (attrs[k] for k in ("kernel", "stride", "padding", "dilation"))
    oh, ow = _shape_rule(attrs, x.shape)[2:]
    need_h, need_w = (oh - 1) * sh + (kh - 1) * dh + 1, (ow - 1) * sw + (kw - 1) * dw + 1
    after = max(0, need_h - x.shape[2] - ph), max(0, need_w - x.shape[3] - pw)
    padded = np.pad(x, ((0, 0), (0, 0), (ph, after[0]), (pw, after[1])), constant_values=fill)
    values, places = [], []
    rows, cols = np.arange(oh)[:, None] * sh, np.arange(ow)[None, :] * sw
    for i in range(kh):
        for j in range(kw):
            r, c = rows + i * dh, cols + j * dw
            values.append(padded[:, :, r, c])
            places.append(r * padded.shape[3] + c)
    return np.stack(values), np.stack(places)


def _max_reference(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    return _taps(attrs, x, -np.inf)[0].max(0)


def _scatter(attrs: Attrs, x_shape: Shape, pieces: np.ndarray, places: np.ndarray) -> np.ndarray:
    ph, pw = attrs["padding"]
    n, c, h, w = x_shape
    kh, kw = attrs["kernel"]
    (sh, sw), (dh, dw) = attrs["stride"], attrs["dilation"]
    oh, ow = pieces.shape[3:]
    full_h = max(h + ph, (oh - 1) * sh + (kh - 1) * dh + 1)
    full_w = max(w + pw, (ow - 1) * sw + (kw - 1) * dw + 1)
    out = np.zeros((n * c, full_h * full_w), pieces.dtype)
    for k in range(pieces.shape[0]):
        np.add.at(out.T, places[k].ravel(), pieces[k].reshape(n * c, -1).T)
    return out.reshape(n, c, full_h, full_w)[:, :, ph : ph + h, pw : pw + w].copy()


def _max_grad_reference(attrs: Attrs, g: np.ndarray, x: np.ndarray) -> np.ndarray:
    values, places = _taps(attrs, x, -np.inf)
    first = values.argmax(0)  # the first of equals, as PyTorch's
    pieces = np.where(np.arange(values.shape[0])[:, None, None, None, None] == first, g, 0).astype(g.dtype)
    return _scatter(attrs, x.shape, pieces, places)


def _divisors(attrs: Attrs, shape: Shape) -> np.ndarray:
    """Elements that each window averages over, [OH, OW]."""
    if attrs["count_include_pad"]:
        h, w = shape[2] + 2 * attrs["padding"][0], shape[3] + 2 * attrs["padding"][1]
        ones = np.ones((1, 1, h, w), np.float32)
        inner = {**attrs, "padding": (0, 0)}
        counts = _taps_to(inner, ones, _shape_rule(attrs, shape)[2:])
    else:
        counts = _taps(attrs, np.ones((1, 1, *shape[2:]), np.float32), 0)[0].sum(0)[0, 0]
    return counts


def _taps_to(attrs: Attrs, x: np.ndarray, out: Shape) -> np.ndarray:
    (kh, kw), (sh, sw) = attrs["kernel"], attrs["stride"]
    need = (out[0] - 1) * sh + kh, (out[1] - 1) * sw + kw
    x = np.pad(x, ((0, 0), (0, 0), (0, max(0, need[0] - x.shape[2])), (0, max(0, need[1] - x.shape[3]))))
    rows, cols = np.arange(out[0])[:, None] * sh, np.arange(out[1])[None, :] * sw
    return np.sum([x[0, 0, rows + i, cols + j] for i in range(kh) for j in range(kw)], axis=0)


def _avg_reference(attrs: Attrs, x: np.ndarray) -> np.ndarray:
    return (_taps(attrs, x, 0)[0].sum(0) / _divisors(attrs, x.shape)).astype(x.dtype)


def _avg_grad_reference(attrs: Attrs, g: np.ndarray) -> np.ndarray:
    shape = attrs["shape"]
    values, places = _taps(attrs, np.zeros(shape, g.dtype), 0)
    piece = (g / _divisors(attrs, shape)).astype(g.dtype)
    return _scatter(attrs, shape, np.broadcast_to(piece, values.shape), places)


def _max_grad(g: Tensor, out: Tensor, x: Tensor, **attrs: Any) -> tuple[Any, ...]:
    return (apply(MAX_POOL_GRAD, g, x, **attrs),)


def _no_second_gradient(*_: Any, **__: Any) -> tuple[Any, ...]:
    raise NotImplementedError("the second derivative of max_pool2d is not supported; use avg_pool2d")


def _avg_grad(g: Tensor, out: Tensor, x: Tensor, **attrs: Any) -> tuple[Any, ...]:
    return (apply(AVG_POOL_GRAD, g, shape=x.shape, **attrs),)


def _avg_grad_grad(gg: Tensor, out: Tensor, g: Tensor, shape: Shape, **attrs: Any) -> tuple[Any, ...]:
    return (apply(AVG_POOL, gg, **attrs),)


_IMAGES: Names = ("n", "c", None, None)


@dataclass(frozen=True, kw_only=True)
class Pool(Heavy):
    """Windows of planes, or the gradient with respect to the planes."""

    maximum: bool  # rather than the average
    backward: bool

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles:
        return Roles(_IMAGES, (_IMAGES,) * len(shapes))


def _lowering(*, maximum: bool, backward: bool) -> Pool:
    return Pool(
        maximum=maximum,
        backward=backward,
        flops=lambda attrs, out, *args: 0,  # comparisons and sums beside what is loaded
        terms=lambda attrs, out, *args: math.prod(attrs["kernel"]),
    )


MAX_POOL = register(
    Op(
        name="max_pool2d",
        lowering=_lowering(maximum=True, backward=False),
        shape_rule=_shape_rule,
        dtype_rule=first_dtype,
        reference=_max_reference,
        grad=_max_grad,
    )
)
MAX_POOL_GRAD = register(
    Op(
        name="max_pool2d_grad",
        lowering=_lowering(maximum=True, backward=True),
        shape_rule=lambda attrs, g, x: x,
        dtype_rule=first_dtype,
        reference=_max_grad_reference,
        grad=_no_second_gradient,
    )
)
AVG_POOL = register(
    Op(
        name="avg_pool2d",
        lowering=_lowering(maximum=False, backward=False),
        shape_rule=_shape_rule,
        dtype_rule=first_dtype,
        reference=_avg_reference,
        grad=_avg_grad,
    )
)
AVG_POOL_GRAD = register(
    Op(
        name="avg_pool2d_grad",
        lowering=_lowering(maximum=False, backward=True),
        shape_rule=lambda attrs, g: attrs["shape"],
        dtype_rule=first_dtype,
        reference=_avg_grad_reference,
        grad=_avg_grad_grad,
    )
)


def _pool(
    op: Op, x: Tensor, kernel_size: Pair, stride: Pair | None, padding: Pair, dilation: Pair, **more: Any
) -> Tensor:
    caller = op.name
    if not x.dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected float32, got {x.dtype.name}")
    if x.ndim == 3:
        out = _pool(op, reshape(x, (1, *x.shape)), kernel_size, stride, padding, dilation, **more)
        return reshape(out, out.shape[1:])
    if x.ndim != 4:
        raise ShapeError(f"{caller}: expected input [N, C, H, W] or [C, H, W], got {list(x.shape)}")
    k = pair(kernel_size, caller, "kernel_size", minimum=1)
    attrs = {
        "kernel": k,
        "stride": k if stride is None else pair(stride, caller, "stride", minimum=1),
        "padding": pair(padding, caller, "padding", minimum=0),
        "dilation": pair(dilation, caller, "dilation", minimum=1),
        **more,
    }
    if any(2 * p > n for p, n in zip(attrs["padding"], k, strict=True)):
        raise ShapeError(f"{caller}: expected padding at most half the kernel {k}, got {attrs['padding']}")
    if min(_shape_rule(attrs, x.shape)[2:]) < 1:
        raise ShapeError(f"{caller}: expected input at least as large as the kernel {k}, got {list(x.shape)}")
    return apply(op, x, **attrs)


@public(functional=True)
def max_pool2d(
    x: Tensor,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    """Largest value of each window; x ``[N, C, H, W]`` or ``[C, H, W]``. The first of equals gets the gradient."""
    if return_indices:
        raise NotImplementedError("max_pool2d with return_indices=True is not supported")
    return _pool(MAX_POOL, x, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode)


@public(functional=True)
def avg_pool2d(
    x: Tensor,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Mean of each window; x ``[N, C, H, W]`` or ``[C, H, W]``."""
    if divisor_override is not None:
        raise NotImplementedError("avg_pool2d with divisor_override is not supported; scale the result instead")
    return _pool(AVG_POOL, x, kernel_size, stride, padding, 1, ceil_mode=ceil_mode, count_include_pad=count_include_pad)


@public(functional=True)
def adaptive_avg_pool2d(x: Tensor, output_size: Any) -> Tensor:
    """Mean over windows that tile the input into ``output_size``; sizes must divide the input's."""
    target = pair(output_size, "adaptive_avg_pool2d", "output_size", minimum=1)
    if x.ndim not in (3, 4):
        raise ShapeError(f"adaptive_avg_pool2d: expected [N, C, H, W] or [C, H, W], got {list(x.shape)}")
    if target == (1, 1):
        return mean(x, (-2, -1), keepdim=True)
    if any(n % t for n, t in zip(x.shape[-2:], target, strict=True)):
        raise NotImplementedError(
            f"adaptive_avg_pool2d from {list(x.shape[-2:])} to {list(target)} is not supported; "
            f"the output size must divide the input size"
        )
    return avg_pool2d(x, (x.shape[-2] // target[0], x.shape[-1] // target[1]))
