"""Images sampled at places that a grid names, and grids of affine maps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.activation import check_float
from tabgrad.ops.indexing import gather
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import broadcast_to, permute, reshape
from tabgrad.ops.slicing import slice_dims, stack
from tabgrad.tensor import Tensor

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


@public()
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """:func:`grid_sample`, with its modes as numbers."""
    return grid_sample(input, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners)


@public()
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """:func:`grid_sampler` of images."""
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@public()
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """:func:`grid_sampler` of volumes."""
    return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@public(top=False, functional=True)
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """``input`` at the places of ``grid``.

    Args:
        input: ``[N, C, H, W]`` or ``[N, C, D, H, W]``.
        grid: ``[N, *sizes, 2]`` or ``[N, *sizes, 3]``: x, y (, z) from -1 to 1.
        mode: ``"bilinear"``, ``"nearest"``, or of images ``"bicubic"``.
        padding_mode: what is outside: ``"zeros"``, ``"border"`` or ``"reflection"``.
        align_corners: whether -1 and 1 are the centres, rather than the edges, of the corners' elements.

    Returns:
        ``[N, C, *sizes]``.

    Raises:
        ArgumentError: no such mode.
        ShapeError: ``grid`` does not fit ``input``.
    """
    axes = input.ndim - 2
    if mode not in _MODES or padding_mode not in _PADDINGS:
        raise ArgumentError(
            f"grid_sample: expected mode as one of {', '.join(_MODES)} and padding_mode as one of "
            f"{', '.join(_PADDINGS)}, got {mode!r} and {padding_mode!r}"
        )
    check_float("grid_sample", input)
    if axes not in (2, 3) or grid.ndim != input.ndim or grid.shape[0] != input.shape[0] or grid.shape[-1] != axes:
        raise ShapeError(
            f"grid_sample: expected input [N, C, H, W] and grid [N, h, w, 2], or with 3 axes, got "
            f"{list(input.shape)} and {list(grid.shape)}"
        )
    if min(input.shape[2:]) < 1:
        raise ShapeError(f"grid_sample: expected axes that are not empty, got {list(input.shape)}")
    if mode == "bicubic" and axes == 3:
        raise NotImplementedError("grid_sample: mode='bicubic' is for images alone, as PyTorch's; use 'bilinear'")
    sizes, align = input.shape[2:], bool(align_corners)
    count = math.prod(grid.shape[1:-1])
    lines = reshape(grid, (grid.shape[0], count, axes))
    # the grid's last number is of the first axis
    places = [
        _unnormalized(reshape(slice_dims(lines, {2: (axes - 1 - a, 1, 1)}), (grid.shape[0], 1, count)), n, align)
        for a, n in enumerate(sizes)
    ]
    flat = reshape(input, (*input.shape[:2], math.prod(sizes)))
    if mode == "bicubic":
        out = _bicubic(flat, places, sizes, padding_mode, align)
    else:
        inside = [_inside(p, n, padding_mode, align) for p, n in zip(places, sizes, strict=True)]
        out = (_nearest if mode == "nearest" else sampled)(flat, inside, sizes)
    return reshape(out, (*input.shape[:2], *grid.shape[1:-1]))


def _unnormalized(place: Tensor, n: int, align: bool) -> Tensor:
    """From [-1, 1] to elements."""
    return (place + 1.0) * ((n - 1) / 2) if align else ((place + 1.0) * n - 1.0) / 2


def _inside(place: Tensor, n: int, padding_mode: str, align: bool) -> Tensor:
    """A place outside as the mode says; the gradient of one that was limited is 0."""
    if padding_mode == "reflection":
        low, span = (0.0, float(n - 1)) if align else (-0.5, float(n))
        if span == 0:
            return place * 0.0
        away = ew.abs(place - low)
        turns = ew.floor(away / span).detach()
        rest = away - turns * span
        even = ew.eq(turns - ew.floor(turns * 0.5) * 2.0, 0.0)
        place = ew.where(even, rest + low, span - rest + low)
    if padding_mode != "zeros":
        place = ew.where(ew.le(place, 0.0), 0.0, ew.where(ew.ge(place, float(n - 1)), float(n - 1), place))
    return ew.where(ew.isfinite(place), place, -100.0)  # as PyTorch does where no element is meant


def _taken(flat: Tensor, at: Sequence[Tensor], sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Elements at whole places ``[N, 1, L]`` (floats), and whether these exist; of those that do not, any element."""
    exists: Tensor | None = None
    index: Tensor | None = None
    for place, n in zip(at, sizes, strict=True):
        place = place.detach()
        one = ew.logical_and(ew.ge(place, 0.0), ew.le(place, float(n - 1)))
        exists = one if exists is None else ew.logical_and(exists, one)
        whole = ew.cast(ew.minimum(ew.maximum(place, 0.0), float(n - 1)), dtypes.int32)
        index = whole if index is None else index * n + whole
    assert exists is not None
    assert index is not None
    return gather(flat, 2, broadcast_to(index, (*flat.shape[:2], index.shape[2]))), exists


def _nearest(flat: Tensor, places: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    value, exists = _taken(flat, [ew.round(p) for p in places], sizes)
    return ew.where(exists, value, 0.0)


def sampled(flat: Tensor, places: Sequence[Tensor], sizes: Sequence[int]) -> Tensor:
    """Linear interpolation of ``flat [N, C, prod(sizes)]`` at places ``[N, 1, L]`` of each axis; zeros outside."""
    below = [ew.floor(p).detach() for p in places]
    total: Tensor | None = None
    for corner in range(2 ** len(sizes)):
        at, weight = [], None
        for axis, (place, low) in enumerate(zip(places, below, strict=True)):
            upper = corner >> axis & 1
            at.append(low + 1.0 if upper else low)
            part = place - low if upper else low + 1.0 - place
            weight = part if weight is None else weight * part
        value, exists = _taken(flat, at, sizes)
        assert weight is not None
        term = ew.where(exists, value, 0.0) * weight
        total = term if total is None else total + term
    assert total is not None
    return total


def _bicubic(flat: Tensor, places: Sequence[Tensor], sizes: Sequence[int], padding_mode: str, align: bool) -> Tensor:
    """Sixteen elements; each, rather than the place, is brought inside."""
    places = [ew.where(ew.isfinite(p), p, -100.0) for p in places]
    below = [ew.floor(p).detach() for p in places]
    weights = [_cubic_weights(p - low) for p, low in zip(places, below, strict=True)]
    total: Tensor | None = None
    for i in range(4):
        for j in range(4):
            at = [_inside(below[0] + float(i - 1), sizes[0], padding_mode, align)]
            at.append(_inside(below[1] + float(j - 1), sizes[1], padding_mode, align))
            value, exists = _taken(flat, at, sizes)
            term = ew.where(exists, value, 0.0) * (weights[0][i] * weights[1][j])
            total = term if total is None else total + term
    assert total is not None
    return total


def _cubic_weights(t: Tensor) -> list[Tensor]:
    """Of the elements from one below the place's to two above; ``t`` is what the place is above the element below."""
    a = -0.75

    def near(d: Tensor) -> Tensor:
        return ((a + 2) * d - (a + 3)) * d * d + 1.0

    def far(d: Tensor) -> Tensor:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]


@public(top=False, functional=True)
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid of an affine map for :func:`grid_sample`.

    Args:
        theta: ``[N, 2, 3]`` or ``[N, 3, 4]``.
        size: of the images, ``[N, C, H, W]`` or ``[N, C, D, H, W]``.
        align_corners: as of :func:`grid_sample`.

    Returns:
        ``[N, H, W, 2]`` or ``[N, D, H, W, 3]``.
    """
    axes = len(size) - 2
    check_float("affine_grid", theta)
    if axes not in (2, 3) or theta.shape != (size[0], axes, axes + 1):
        raise ShapeError(
            f"affine_grid: expected theta [N, 2, 3] and a size [N, C, H, W], or with 3 axes, got "
            f"{list(theta.shape)} and {list(size)}"
        )
    if min(size) < 1:
        raise ShapeError(f"affine_grid: expected sizes above 0, got {list(size)}")
    sizes = tuple(int(n) for n in size[2:])
    columns = [_base(sizes, a, bool(align_corners)) for a in reversed(range(axes))]
    columns.append(columns[0] * 0.0 + 1.0)
    base = reshape(stack(columns, -1), (1, -1, axes + 1))  # 1, places, axes + 1
    out = matmul(ew.cast(base, theta.dtype), permute(theta, (0, 2, 1)))
    return reshape(out, (size[0], *sizes, axes))


def _base(sizes: tuple[int, ...], axis: int, align: bool) -> Tensor:
    """Each element's place along an axis, from -1 to 1."""
    n, at = sizes[axis], ew.cast(ew.iota(sizes, axis), dtypes.float32)
    if align:
        return at * (2 / (n - 1)) - 1.0 if n > 1 else at * 0.0
    return (at * 2.0 + (1 - n)) / n


__all__ = ["affine_grid", "grid_sample", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "sampled"]
