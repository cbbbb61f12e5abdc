"""Differences of neighbours, gradients of sampled functions, and integrals by trapezoids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.movement import normalize_dim, reshape
from tabgrad.ops.reduce import sum
from tabgrad.ops.scan import cumsum
from tabgrad.ops.slicing import cat, narrow
from tabgrad.tensor import Tensor


def _step(x: Tensor, dim: int) -> Tensor:
    n = x.shape[dim]
    later, earlier = narrow(x, dim, 1, n - 1), narrow(x, dim, 0, n - 1)
    return ew.logical_xor(later, earlier) if x.dtype is dtypes.bool_ else later - earlier


@public(method=True, out=True)
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """Differences of neighbours along ``dim``, ``n`` times; of bools whether they differ.

    Args:
        prepend, append: put before and after the elements first.

    Raises:
        ShapeError: the tensor has no dimension.
    """
    if not input.ndim:
        raise ShapeError("diff: expected at least 1 dimension, got a 0-d tensor")
    if n < 0:
        raise ArgumentError(f"diff: expected n of at least 0, got {n}")
    d = normalize_dim(dim, input.ndim, "diff")
    if n == 0:
        return ew.clone(input)
    parts = [t for t in (prepend, input, append) if t is not None]
    x = cat(parts, d) if len(parts) > 1 else input
    for _ in range(min(n, x.shape[d])):
        if x.shape[d]:
            x = _step(x, d)
    return x


def _gradient_along(x: Tensor, dim: int, spacing: Any, edge_order: int) -> Tensor:
    """Central differences of second order inside, one-sided ones of order ``edge_order`` at both ends."""
    n = x.shape[dim]
    if n < edge_order + 1:
        raise ShapeError(f"gradient: expected at least {edge_order + 1} elements along dim {dim}, got {list(x.shape)}")

    def at(k: int, count: int = 1) -> Tensor:
        return narrow(x, dim, k % n, count)

    if not isinstance(spacing, Tensor):
        h = float(spacing)
        first, last = (at(1) - at(0)) / h, (at(-1) - at(-2)) / h
        if edge_order == 2:
            first = (at(0) * -1.5 + at(1) * 2.0 - at(2) * 0.5) / h
            last = (at(-1) * 1.5 - at(-2) * 2.0 + at(-3) * 0.5) / h
        inside = [(at(2, n - 2) - at(0, n - 2)) / (2 * h)] if n > 2 else []
        return cat([first, *inside, last], dim)
    shape = tuple(n - 1 if k == dim else 1 for k in range(x.ndim))
    steps = reshape(_step(ew.cast(spacing, dtypes.float32), 0), shape)

    def step(k: int, count: int = 1) -> Tensor:
        return narrow(steps, dim, k % (n - 1), count)

    first, last = (at(1) - at(0)) / step(0), (at(-1) - at(-2)) / step(-1)
    if edge_order == 2:
        a, b = step(0), step(1)
        first = at(0) * (-(a * 2.0 + b) / (a * (a + b))) + at(1) * ((a + b) / (a * b)) - at(2) * (a / (b * (a + b)))
        a, b = step(-2), step(-1)
        last = at(-3) * (b / (a * (a + b))) - at(-2) * ((b + a) / (a * b)) + at(-1) * ((b * 2.0 + a) / (b * (a + b)))
    inside = []
    if n > 2:
        a, b = step(0, n - 2), step(1, n - 2)
        low, middle, high = -b / (a * (a + b)), (b - a) / (a * b), a / (b * (a + b))
        inside = [at(0, n - 2) * low + at(1, n - 2) * middle + at(2, n - 2) * high]
    return cat([first, *inside, last], dim)


@public()
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """Derivatives of a sampled function, one for each of ``dim`` (all by default), of second order inside.

    Args:
        spacing: a number, a number for each dimension, or for each a tensor of coordinates.
        edge_order: 1 or 2, of the one-sided differences at both ends.

    Raises:
        ShapeError: too few elements, or coordinates of another size.
    """
    if input.dtype is dtypes.bool_:
        raise DTypeError("gradient: expected numbers, got bool; use x.float()")
    if edge_order not in (1, 2):
        raise ArgumentError(f"gradient: expected edge_order 1 or 2, got {edge_order}")
    x = input if input.dtype.is_floating_point else ew.cast(input, dtypes.float32)
    dims = list(range(x.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    dims = [normalize_dim(d, x.ndim, "gradient") for d in dims]
    if len(set(dims)) < len(dims):
        raise ArgumentError(f"gradient: expected different dims, got {dims}")
    spacing = 1 if spacing is None else spacing
    given = list(spacing) if isinstance(spacing, Sequence) else [spacing] * len(dims)
    if len(given) != len(dims):
        raise ShapeError(f"gradient: expected spacing for each of {len(dims)} dims, got {len(given)}")
    for d, one in zip(dims, given, strict=True):
        if x.shape[d] < edge_order + 1:
            raise ShapeError(f"gradient: expected at least {edge_order + 1} elements of dim {d}, got {x.shape[d]}")
        if isinstance(one, Tensor) and one.shape != (x.shape[d],):
            raise ShapeError(f"gradient: expected coordinates [{x.shape[d]}] of dim {d}, got {list(one.shape)}")
    return tuple(_gradient_along(x, d, one, edge_order) for d, one in zip(dims, given, strict=True))


def _areas(caller: str, y: Tensor, x: Tensor | None, dx: Any, dim: int) -> tuple[Tensor, int]:
    d = normalize_dim(dim, y.ndim, caller)
    if y.dtype is dtypes.bool_ or (x is not None and x.dtype is dtypes.bool_):
        raise DTypeError(f"{caller}: expected numbers, got bool; use x.float()")
    n = y.shape[d]
    if n == 0:
        return narrow(y, d, 0, 0) * 1.0, d
    if x is None:
        step: Any = dx
    elif x.ndim == 1:
        if x.shape[0] != n:
            raise ShapeError(f"{caller}: expected x of {n} coordinates, got {list(x.shape)}")
        step = reshape(_step(x, 0), tuple(n - 1 if k == d else 1 for k in range(y.ndim)))
    else:
        dx_dim = normalize_dim(dim, x.ndim, caller)
        step = _step(x, dx_dim)
    pairs = narrow(y, d, 1, n - 1) + narrow(y, d, 0, n - 1)
    found = pairs * step / 2.0
    return found, normalize_dim(dim, found.ndim, caller)


@public(aliases=("trapz",))
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The integral along ``dim`` by trapezoids, at coordinates ``x`` or ``dx`` apart."""
    areas, d = _areas("trapezoid", y, x, dx, dim)
    return sum(areas, d)


@public()
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The integral up to each element but the first along ``dim``; arguments are those of :func:`trapezoid`."""
    areas, d = _areas("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(areas, d)
