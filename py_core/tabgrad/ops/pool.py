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
from tabgrad.ops._rare import rare
from tabgrad.ops._window import Pair, sizes_of
from tabgrad.ops.indexing import gather
from tabgrad.ops.movement import reshape
from tabgrad.ops.reduce import mean
from tabgrad.ops.slicing import pad_dims
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


def _max_grad_grad(gg: Tensor, out: Tensor, g: Tensor, x: Tensor, **attrs: Any) -> tuple[Any, ...]:
    _, places = rare("pooled_with_places")(
        x, attrs["kernel"], attrs["stride"], attrs["padding"], attrs["dilation"], g.shape[2:]
    )
    flat = reshape(gg, (*gg.shape[:2], gg.shape[2] * gg.shape[3]))
    return reshape(gather(flat, 2, reshape(places, (*g.shape[:2], g.shape[2] * g.shape[3]))), g.shape), None


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
        grad=_max_grad_grad,
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


def window_attrs(
    caller: str, x: Tensor, count: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> dict[str, Any]:
    """Of windows over the last ``count`` axes; ``x`` is ``[N, C, ...]`` or ``[C, ...]``.

    Raises:
        ShapeError: a size means nothing, or there is no window.
    """
    axes = ["L"] if count == 1 else ["H", "W"] if count == 2 else ["D", "H", "W"]
    if x.ndim not in (count + 1, count + 2):
        shape = ", ".join(["C", *axes])
        raise ShapeError(f"{caller}: expected input [N, {shape}] or [{shape}], got {list(x.shape)}")
    k = sizes_of(kernel_size, count, caller, "kernel_size", minimum=1)
    attrs: dict[str, Any] = {
        "kernel": k,
        "stride": k if stride is None or stride in ((), []) else sizes_of(stride, count, caller, "stride", minimum=1),
        "padding": sizes_of(padding, count, caller, "padding", minimum=0),
        "dilation": sizes_of(dilation, count, caller, "dilation", minimum=1),
        "ceil_mode": ceil_mode,
    }
    # in dilated windows, too, half the distance that their elements span
    spans = [d * (n - 1) + 1 for d, n in zip(attrs["dilation"], k, strict=True)]
    if any(2 * p > n for p, n in zip(attrs["padding"], spans, strict=True)):
        raise ShapeError(f"{caller}: expected padding at most half the kernel {k}, got {attrs['padding']}")
    if min(x.shape[-count - 1 :]) < 1 or min(window_sizes(attrs, x.shape[-count:])) < 1:
        raise ShapeError(f"{caller}: expected input at least as large as the kernel {k}, got {list(x.shape)}")
    return attrs


def window_sizes(attrs: Attrs, sizes: Shape) -> Shape:
    """How many windows there are along each axis."""
    rows = zip(sizes, attrs["kernel"], attrs["stride"], attrs["padding"], attrs["dilation"], strict=True)
    return tuple(_size(*r, attrs["ceil_mode"]) for r in rows)


def _pool(op: Op, x: Tensor, **attrs: Any) -> Tensor:
    if not x.dtype.is_floating_point:
        raise DTypeError(f"{op.name}: expected float32, got {x.dtype.name}")
    if x.ndim == 3:
        out = apply(op, reshape(x, (1, *x.shape)), **attrs)
        return reshape(out, out.shape[1:])
    return apply(op, x, **attrs)


@public(functional=True)
def max_pool2d(
    input: Tensor,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Largest value of each window; input ``[N, C, H, W]`` or ``[C, H, W]``. The first of equals gets the gradient.

    Args:
        return_indices: return the pair (values, flat places in their planes).
    """
    attrs = window_attrs("max_pool2d", input, 2, kernel_size, stride, padding, dilation, ceil_mode)
    if not return_indices and input.dtype.is_floating_point:
        return _pool(MAX_POOL, input, **attrs)
    sizes = window_sizes(attrs, input.shape[-2:])
    of = (attrs["kernel"], attrs["stride"], attrs["padding"], attrs["dilation"])
    values, places = rare("pooled_with_places")(input, *of, sizes)
    return (values, places) if return_indices else values


@public(functional=True)
def avg_pool2d(
    input: Tensor,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Mean of each window; input ``[N, C, H, W]`` or ``[C, H, W]``.

    Args:
        ceil_mode: keep windows that extend over the edge.
        count_include_pad: whether padding counts in the mean.
        divisor_override: what each window's sum is divided by in place of the number of its elements.
    """
    attrs = window_attrs("avg_pool2d", input, 2, kernel_size, stride, padding, 1, ceil_mode)
    if divisor_override is None:
        return _pool(AVG_POOL, input, **attrs, count_include_pad=count_include_pad)
    input, whole = padded_windows(input, attrs)
    out = _pool(AVG_POOL, input, **whole, count_include_pad=True)
    return out * (math.prod(attrs["kernel"]) / divisor("avg_pool2d", divisor_override))


def padded_windows(x: Tensor, attrs: dict[str, Any]) -> tuple[Tensor, dict[str, Any]]:
    """The input with all zeros that windows see, and nothing that they do not; and windows without padding."""
    count = len(attrs["kernel"])
    amounts = {}
    rows = zip(
        x.shape[-count:], window_sizes(attrs, x.shape[-count:]), attrs["kernel"], attrs["stride"], attrs["padding"],
        strict=True,
    )  # fmt: skip
    for i, (n, out, k, stride, before) in enumerate(rows, start=x.ndim - count):
        amounts[i] = (before, (out - 1) * stride + k - n - before)
    return pad_dims(x, amounts), {**attrs, "padding": (0,) * count, "ceil_mode": False}


def divisor(caller: str, value: Any) -> int:
    """``divisor_override``, checked."""
    if isinstance(value, bool) or not isinstance(value, int) or value == 0:
        raise ShapeError(f"{caller}: expected divisor_override as a whole number other than 0, got {value!r}")
    return value


@public(functional=True)
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Mean over windows that cover the input ``[N, C, H, W]`` or ``[C, H, W]`` and make it ``output_size``.

    Args:
        output_size: a number, or (height, width); None keeps that of the input.
    """
    if input.ndim not in (3, 4):
        raise ShapeError(f"adaptive_avg_pool2d: expected [N, C, H, W] or [C, H, W], got {list(input.shape)}")
    target = target_sizes("adaptive_avg_pool2d", input, output_size, 2)
    if target == (1, 1) and input.numel():
        return mean(input, (-2, -1), keepdim=True)
    steps = [n // t if t and n and n % t == 0 else 0 for n, t in zip(input.shape[-2:], target, strict=True)]
    return avg_pool2d(input, (steps[0], steps[1])) if all(steps) else rare("adaptive_mean")(input, target)


def target_sizes(caller: str, x: Tensor, output_size: Any, count: int) -> tuple[int, ...]:
    """Sizes of the result of adaptive pooling over the last axes: given, or the input's where None is.

    Raises:
        ShapeError: no whole numbers, or another number of them.
    """
    each = tuple(output_size) if isinstance(output_size, list | tuple) else (output_size,) * count
    each = each * count if len(each) == 1 else each
    own = x.shape[-count:]
    filled = tuple(n if t is None else t for t, n in zip(each, own, strict=False))
    if len(each) != count or any(isinstance(t, bool) or not isinstance(t, int) or t < 0 for t in filled):
        raise ShapeError(f"{caller}: expected output_size as {count} whole numbers or None, got {output_size!r}")
    return filled
