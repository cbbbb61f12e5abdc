"""Pooling along one axis and three axes, made of pooling over images; and powers' means."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._window import sizes_of
from tabgrad.ops.movement import reshape
from tabgrad.ops.pool import avg_pool2d, divisor, max_pool2d, padded_windows, window_attrs, window_sizes
from tabgrad.ops.rare.window_maxima import pooled_with_places
from tabgrad.tensor import Tensor


def _max_pool(
    caller: str, x: Tensor, count: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool, places: bool
) -> Any:
    attrs = window_attrs(caller, x, count, kernel, stride, padding, dilation, ceil)
    k, s, p, d = attrs["kernel"], attrs["stride"], attrs["padding"], attrs["dilation"]
    if places or not x.dtype.is_floating_point:
        found = pooled_with_places(x, k, s, p, d, window_sizes(attrs, x.shape[-count:]))
        return found if places else found[0]
    if count == 1:
        flat = reshape(x, (*x.shape[:-1], 1, x.shape[-1]))
        out = max_pool2d(flat, (1, *k), (1, *s), (0, *p), (1, *d), ceil)
        return reshape(out, (*x.shape[:-1], out.shape[-1]))
    out = max_pool2d(
        reshape(x, (math.prod(x.shape[:-3]), *x.shape[-3:])), k[1:], s[1:], p[1:], d[1:], ceil
    )  # planes first
    h, w = out.shape[-2:]
    deep = reshape(out, (math.prod(x.shape[:-3]), 1, x.shape[-3], h * w))
    out = max_pool2d(deep, (k[0], 1), (s[0], 1), (p[0], 0), (d[0], 1), ceil)
    return reshape(out, (*x.shape[:-3], out.shape[2], h, w))


@public(functional=True)
def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Largest value of each window of ``[N, C, L]`` or ``[C, L]``; arguments as of :func:`max_pool2d`."""
    return _max_pool("max_pool1d", input, 1, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@public(functional=True)
def max_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Largest value of each window of ``[N, C, D, H, W]`` or without N; arguments as of :func:`max_pool2d`."""
    return _max_pool("max_pool3d", input, 3, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@public(top=False, functional=True)
def max_pool1d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """:func:`max_pool1d` with its places."""
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@public(top=False, functional=True)
def max_pool2d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """:func:`max_pool2d` with its places."""
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@public(top=False, functional=True)
def max_pool3d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """:func:`max_pool3d` with its places."""
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


@public(functional=True)
def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Mean of each window of ``[N, C, L]`` or ``[C, L]``; arguments as of :func:`avg_pool2d`."""
    attrs = window_attrs("avg_pool1d", input, 1, kernel_size, stride, padding, 1, ceil_mode)
    flat = reshape(input, (*input.shape[:-1], 1, input.shape[-1]))
    k, s, p = attrs["kernel"], attrs["stride"], attrs["padding"]
    out = avg_pool2d(flat, (1, *k), (1, *s), (0, *p), ceil_mode, count_include_pad)
    return reshape(out, (*input.shape[:-1], out.shape[-1]))


@public(top=False, functional=True)
def avg_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Mean of each window of ``[N, C, D, H, W]`` or without N; arguments as of :func:`avg_pool2d`."""
    attrs = window_attrs("avg_pool3d", input, 3, kernel_size, stride, padding, 1, ceil_mode)
    x, scale = input, 1.0
    if divisor_override is not None:
        scale = math.prod(attrs["kernel"]) / divisor("avg_pool3d", divisor_override)
        x, attrs = padded_windows(input, attrs)
    k, s, p, ceil = attrs["kernel"], attrs["stride"], attrs["padding"], attrs["ceil_mode"]
    # a window's mean is the mean of its planes' means, all of which have as many elements
    out = avg_pool2d(reshape(x, (math.prod(x.shape[:-3]), *x.shape[-3:])), k[1:], s[1:], p[1:], ceil, count_include_pad)
    h, w = out.shape[-2:]
    deep = reshape(out, (math.prod(x.shape[:-3]), 1, x.shape[-3], h * w))
    out = avg_pool2d(deep, (k[0], 1), (s[0], 1), (p[0], 0), ceil, count_include_pad)
    out = reshape(out, (*x.shape[:-3], out.shape[2], h, w))
    return out if divisor_override is None else out * scale


def _lp_pool(caller: str, x: Tensor, count: int, p: float, kernel: Any, stride: Any, ceil: bool) -> Tensor:
    k = sizes_of(kernel, count, caller, "kernel_size", minimum=1)
    pool = (avg_pool1d, avg_pool2d, avg_pool3d)[count - 1]
    mean = pool(ew.pow(x, float(p)), k, stride, 0, ceil)
    total = ew.sign(mean) * ew.maximum(ew.abs(mean), 0.0) * float(math.prod(k))
    return ew.pow(total, 1.0 / p)


@public(top=False, functional=True)
def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """``(sum of x ** p) ** (1 / p)`` of each window of ``[N, C, L]``, with ``p`` as ``norm_type``."""
    return _lp_pool("lp_pool1d", input, 1, norm_type, kernel_size, stride, ceil_mode)


@public(top=False, functional=True)
def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """As :func:`lp_pool1d`, of ``[N, C, H, W]``."""
    return _lp_pool("lp_pool2d", input, 2, norm_type, kernel_size, stride, ceil_mode)


@public(top=False, functional=True)
def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """As :func:`lp_pool1d`, of ``[N, C, D, H, W]``."""
    return _lp_pool("lp_pool3d", input, 3, norm_type, kernel_size, stride, ceil_mode)


__all__ = ["avg_pool1d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_pool1d", "max_pool3d"]
