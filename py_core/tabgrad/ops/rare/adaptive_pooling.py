"""Pooling to a given size: windows of unequal length that cover the input."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.creation import zeros
from tabgrad.ops.movement import reshape
from tabgrad.ops.pool import target_sizes
from tabgrad.ops.rare.axis_weights import mean_weights, summed_along
from tabgrad.ops.rare.window_maxima import adaptive, picked, places_of_maxima
from tabgrad.tensor import Tensor


@public(top=False)
def adaptive_mean(input: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Means over the last axes, along each of which ``sizes`` says how many there are."""
    if not input.dtype.is_floating_point:
        raise DTypeError(f"adaptive_avg_pool: expected a floating-point input, got {input.dtype.name}")
    if min(input.shape[-len(sizes) :]) < 1:
        raise ShapeError(f"adaptive_avg_pool: expected axes that are not empty, got {list(input.shape)}")
    if 0 in sizes:
        return zeros((*input.shape[: input.ndim - len(sizes)], *sizes), dtype=input.dtype) + red.sum(input) * 0
    out = ew.cast(input, input.dtype.computed) if input.dtype.is_narrow else input
    for dim, size in enumerate(sizes, start=input.ndim - len(sizes)):
        n = out.shape[dim]
        if n == size:
            continue
        if n % size == 0:
            parts = reshape(out, (*out.shape[:dim], size, n // size, *out.shape[dim + 1 :]))
            out = red.mean(parts, dim + 1)
        else:
            out = summed_along(out, dim, mean_weights(size, n))
    out = ew.cast(out, input.dtype) if input.dtype.is_narrow else out
    return out if out is not input else ew.clone(input)


def _checked(caller: str, x: Tensor, output_size: Any, count: int) -> tuple[int, ...]:
    if x.ndim not in (count + 1, count + 2):
        raise ShapeError(f"{caller}: expected [N, C, ...] or [C, ...] with {count} more axes, got {list(x.shape)}")
    return target_sizes(caller, x, output_size, count)


@public(functional=True)
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Means over windows that cover ``[N, C, L]`` or ``[C, L]``; as :func:`adaptive_avg_pool2d`."""
    return adaptive_mean(input, _checked("adaptive_avg_pool1d", input, output_size, 1))


@public(top=False, functional=True)
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Means over windows that cover ``[N, C, D, H, W]`` or without N; as :func:`adaptive_avg_pool2d`."""
    return adaptive_mean(input, _checked("adaptive_avg_pool3d", input, output_size, 3))


def _adaptive_max(caller: str, x: Tensor, output_size: Any, count: int, with_places: bool) -> Any:
    sizes = _checked(caller, x, output_size, count)
    own = x.shape[-count:]
    if min(x.shape[x.ndim - count - 1 :]) < 1:
        raise ShapeError(f"{caller}: expected axes that are not empty, got {list(x.shape)}")
    if 0 in sizes or not x.numel():
        empty = zeros((*x.shape[: x.ndim - count], *sizes), dtype=x.dtype)
        return (empty, ew.cast(empty, ew.iota((1,), 0).dtype)) if with_places else empty
    places = places_of_maxima(x, [adaptive(n, m) for n, m in zip(own, sizes, strict=True)])
    values = picked(x, places, count)
    return (values, places) if with_places else values


@public(functional=True)
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Largest values of windows that cover ``[N, C, L]``; with ``return_indices`` the pair (values, places)."""
    return _adaptive_max("adaptive_max_pool1d", input, output_size, 1, return_indices)


@public(top=False, functional=True)
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Largest values of windows that cover ``[N, C, H, W]``; with ``return_indices`` the pair (values, places)."""
    return _adaptive_max("adaptive_max_pool2d", input, output_size, 2, return_indices)


@public(top=False, functional=True)
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Largest values of windows that cover ``[N, C, D, H, W]``; with ``return_indices`` the pair (values, places)."""
    return _adaptive_max("adaptive_max_pool3d", input, output_size, 3, return_indices)


__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool3d", "adaptive_mean"]
