"""Images, and what has one or three axes instead of two, in another size."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, NoSuchModeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._rare import rare
from tabgrad.ops.activation import check_float
from tabgrad.ops.indexing import index_select
from tabgrad.ops.movement import broadcast_to, reshape
from tabgrad.ops.rare.axis_weights import antialiased_weights, cubic_weights, linear_weights, summed_along
from tabgrad.ops.slicing import slice_dims
from tabgrad.tensor import Tensor

_AXES = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
_MODES = ("nearest", "nearest-exact", "area", *_AXES)


@public(top=False, functional=True)
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """``input [N, C, *sizes]`` in another size.

    Args:
        size: of the result, one for all axes or one for each.
        scale_factor: in its place, by what sizes are multiplied, rounded down.
        mode: ``"nearest"``, ``"nearest-exact"``, ``"area"``, and by the number of axes ``"linear"``, ``"bilinear"``,
            ``"bicubic"``, ``"trilinear"``. The last four are products with matrices: an infinity spreads along axes.
        align_corners: whether the centres, rather than the edges, of the corners' elements lie on each other.
        recompute_scale_factor: whether the sizes, once they are rounded, say what the factor is.
        antialias: a wider kernel where the result is smaller; of ``"bilinear"`` and ``"bicubic"``.

    Raises:
        ArgumentError: arguments that mean nothing together.
        ShapeError: another number of axes than the mode's, or of sizes than axes.
    """
    axes = input.ndim - 2
    if mode not in _MODES:
        raise NoSuchModeError(f"interpolate: expected mode as one of {', '.join(_MODES)}, got {mode!r}")
    if axes not in (1, 2, 3):
        raise ShapeError(f"interpolate: expected input [N, C, ...] with 1, 2 or 3 more axes, got {list(input.shape)}")
    if _AXES.get(mode, axes) != axes:
        raise NotImplementedError(
            f"interpolate: expected {_AXES[mode]} axes after [N, C] with mode={mode!r}, got {list(input.shape)}"
        )
    if mode not in _AXES and align_corners is not None:
        raise ArgumentError(f"interpolate: expected align_corners with {', '.join(_AXES)} only, got mode={mode!r}")
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ArgumentError(f"interpolate: expected antialias with 'bilinear' or 'bicubic', got mode={mode!r}")
    sizes, factors = _sizes(input.shape[2:], size, scale_factor, recompute_scale_factor)
    if mode == "area":
        return rare(f"adaptive_avg_pool{axes}d")(input, sizes)
    if not mode.startswith("nearest"):
        check_float("interpolate", input)
    out = ew.cast(input, input.dtype.computed) if input.dtype.is_narrow else input
    for dim, (n, m, factor) in enumerate(zip(input.shape[2:], sizes, factors, strict=True), start=2):
        out = _axis(out, dim, n, m, factor, mode, bool(align_corners), antialias)
    out = ew.cast(out, input.dtype) if input.dtype.is_narrow else out
    return out if out is not input else ew.clone(input)


def _sizes(
    shape: tuple[int, ...], size: Any, scale_factor: Any, recompute: bool | None
) -> tuple[list[int], list[float | None]]:
    """Those of the result, and the factors that say where its elements lie, if the sizes do not."""
    axes = len(shape)
    if (size is None) == (scale_factor is None):
        raise ArgumentError(f"interpolate: expected one of size and scale_factor, got {size} and {scale_factor}")
    given = size if scale_factor is None else scale_factor
    each = list(given) if isinstance(given, list | tuple) else [given] * axes
    if len(each) != axes:
        raise ShapeError(f"interpolate: expected {axes} sizes or factors, for [N, C, {list(shape)}], got {given}")
    if size is not None and recompute:
        raise ArgumentError("interpolate: expected recompute_scale_factor with scale_factor, got it with size")
    factors: list[float | None]
    if size is not None:
        sizes, factors = [int(n) for n in each], [None] * axes
    else:
        sizes = [math.floor(n * float(f)) for n, f in zip(shape, each, strict=True)]
        factors = [None if recompute else float(f) for f in each]
    if min(sizes) < 1 or min(shape) < 1:
        raise ShapeError(f"interpolate: expected sizes above 0, got {list(shape)} and {sizes} of the result")
    return sizes, factors


def _axis(
    x: Tensor, dim: int, n: int, out: int, factor: float | None, mode: str, align_corners: bool, antialias: bool
) -> Tensor:
    scale = 1 / factor if factor else n / out
    if mode.startswith("nearest"):
        return _nearest(x, dim, n, out, np.float32(scale), 0.5 if mode == "nearest-exact" else 0.0)
    if align_corners:
        scale = (n - 1) / (out - 1) if out > 1 else 0.0
    if n == out and scale == 1:
        return x
    scale = float(np.float32(scale))
    kind = "cubic" if mode == "bicubic" else "linear"
    if antialias:
        return summed_along(x, dim, antialiased_weights(out, n, scale, kind))
    weights = cubic_weights if kind == "cubic" else linear_weights
    return summed_along(x, dim, weights(out, n, scale, align_corners=align_corners))


def _nearest(x: Tensor, dim: int, n: int, out: int, scale: np.float32, shift: float) -> Tensor:
    """Elements that are repeated, skipped, or, where neither says it, chosen by an index."""
    places = np.arange(out, dtype=np.float32)
    found = np.minimum(np.floor((places + np.float32(shift)) * scale), n - 1).astype(np.int64)  # rounded as PyTorch's
    times, step = out // n, int(found[1] - found[0]) if out > 1 else 1
    if out % n == 0 and (found == np.arange(out) // times).all():
        if times == 1:
            return x
        wide = (*x.shape[: dim + 1], times, *x.shape[dim + 1 :])
        each = broadcast_to(reshape(x, (*x.shape[: dim + 1], 1, *x.shape[dim + 1 :])), wide)
        return reshape(each, (*x.shape[:dim], out, *x.shape[dim + 1 :]))
    if step > 0 and (found == found[0] + step * np.arange(out)).all():
        return slice_dims(x, {dim: (int(found[0]), step, out)})
    source = (ew.cast(ew.iota((out,), 0), dtypes.float32) + shift) * float(scale)
    return index_select(x, dim, ew.cast(ew.minimum(ew.floor(source), float(n - 1)), dtypes.int32))


@public(top=False, functional=True)
def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """:func:`interpolate` as older programs call it; warns."""
    _warn("upsample", "interpolate(...)")
    return interpolate(input, size, scale_factor, mode, align_corners)


@public(top=False, functional=True)
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """:func:`interpolate` with ``mode="nearest"``; warns."""
    _warn("upsample_nearest", "interpolate(...)")
    return interpolate(input, size, scale_factor, "nearest")


@public(top=False, functional=True)
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """:func:`interpolate` with ``mode="bilinear"`` and ``align_corners=True``; warns."""
    _warn("upsample_bilinear", "interpolate(..., mode='bilinear', align_corners=True)")
    return interpolate(input, size, scale_factor, "bilinear", True)


def _warn(name: str, instead: str) -> None:
    warnings.warn(f"`nn.functional.{name}` is deprecated; call `nn.functional.{instead}`", UserWarning, stacklevel=4)


__all__ = ["interpolate", "upsample", "upsample_bilinear", "upsample_nearest"]
