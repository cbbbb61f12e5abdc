"""The primitive of all reductions, with a kind."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, is_grad_enabled
from tabgrad.errors import IndexRangeError, ShapeError
from tabgrad.graph.op import Attrs, Heavy, Op, Roles, Shape, register
from tabgrad.graph.roles import numbered
from tabgrad.ops import elementwise as ew
from tabgrad.ops.movement import normalize_dim, permute, reshape
from tabgrad.tensor import Tensor

Dims = int | Sequence[int] | None


def dims_of(dim: Dims, ndim: int, caller: str) -> tuple[int, ...]:
    """Dimensions in order, counted from the front; all of them for None and for an empty sequence."""
    if dim is None or (isinstance(dim, Sequence) and not dim):
        return tuple(range(ndim))
    if isinstance(dim, bool | str | float):
        raise TypeError(f"{caller}: expected dim as an int or ints, got {dim!r}")
    given = dim if isinstance(dim, Sequence) else [dim]
    dims = tuple(sorted(normalize_dim(d, ndim, caller) for d in given))
    if len(set(dims)) != len(dims):
        raise ShapeError(f"{caller}: expected each dim once, got {dim}")
    return dims


def count_of(x: Tensor, dims: Sequence[int]) -> int:
    """How many elements are reduced to one."""
    return math.prod(x.shape[d] for d in dims if x.ndim)


def _shape_rule(attrs: Attrs, shape: Shape) -> Shape:
    return tuple(1 if d in attrs["dims"] else n for d, n in enumerate(shape))


def _logsumexp(x: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    top = x.max(dims, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        return (np.log(np.exp(x - top).sum(dims, keepdims=True)) + top).astype(x.dtype)


def _m2(x: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    deviation = x - x.mean(dims, keepdims=True, dtype=x.dtype)
    return (deviation * deviation).sum(dims, keepdims=True, dtype=x.dtype)


@dataclass(frozen=True, kw_only=True)
class Fold:
    """One kind of reduction; how shaders accumulate it says :mod:`tabgrad.compiler.families.accumulate`."""

    reference: Callable[[np.ndarray, tuple[int, ...]], np.ndarray]
    grad: Callable[[Tensor, Tensor, Tensor, tuple[int, ...]], Tensor] | None  # of (grad, out, x, dims)
    of_nothing: float | None  # None: there is no such result
    pairs: Op | None  # makes one result of two that were computed of parts
    finds: bool = False  # an index rather than a value


def _extreme_grad(g: Tensor, out: Tensor, x: Tensor, dims: tuple[int, ...]) -> Tensor:
    hit = ew.eq(x, out)  # ties share the gradient, as amax does
    return ew.where(hit, g, 0.0) / sum_dims(hit.float(), dims)  # NaN where the extreme is


def _m2_grad(g: Tensor, out: Tensor, x: Tensor, dims: tuple[int, ...]) -> Tensor:
    return (
        g * 2.0 * (x - sum_dims(x, dims) / float(count_of(x, dims)))
    )  # the mean's own share is the sum of the deviations: 0


def _prod_of_others(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Product of all other elements of the group; exact where elements are zero."""
    if is_grad_enabled():
        return _prod_again(x, dims)
    zero = ew.eq(x, 0)
    count = sum_dims(zero.float(), dims)
    rest = prod_dims(ew.where(zero, 1.0, x), dims)
    return ew.where(
        ew.eq(count, 0), rest / ew.where(zero, 1.0, x), ew.where(ew.logical_and(zero, count == 1), rest, 0.0)
    )


def _prod_again(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The same, with gradients that are exact where elements are zero: a product for each element that is left out."""
    order = (*(d for d in range(x.ndim) if d not in dims), *dims)
    n = math.prod(x.shape[d] for d in dims)
    rows = math.prod(x.shape) // n if n else 0
    lines = reshape(permute(x, order), (rows, 1, n))
    shape = (rows, n, n)
    same = ew.eq(ew.iota(shape, 1), ew.iota(shape, 2))
    others = prod_dims(ew.where(same, 1.0, lines), (2,))
    back = reshape(others, tuple(x.shape[d] for d in order))
    return permute(back, tuple(order.index(d) for d in range(x.ndim)))


FOLDS: dict[str, Fold] = {
    "sum": Fold(
        reference=lambda x, dims: x.sum(dims, keepdims=True, dtype=x.dtype),
        grad=lambda g, out, x, dims: g.expand(x.shape),
        of_nothing=0.0,
        pairs=ew.ADD,
    ),
    "prod": Fold(
        reference=lambda x, dims: x.prod(dims, keepdims=True, dtype=x.dtype),
        grad=lambda g, out, x, dims: g * _prod_of_others(x, dims),
        of_nothing=1.0,
        pairs=ew.MUL,
    ),
    "max": Fold(
        reference=lambda x, dims: x.max(dims, keepdims=True),
        grad=_extreme_grad,
        of_nothing=None,
        pairs=ew.MAXIMUM,
    ),
    "min": Fold(
        reference=lambda x, dims: x.min(dims, keepdims=True),
        grad=_extreme_grad,
        of_nothing=None,
        pairs=ew.MINIMUM,
    ),
    "argmax": Fold(
        reference=lambda x, dims: x.argmax(dims[0], keepdims=True).astype(np.int32),
        grad=None,
        of_nothing=None,
        pairs=None,
        finds=True,
    ),
    "argmin": Fold(
        reference=lambda x, dims: x.argmin(dims[0], keepdims=True).astype(np.int32),
        grad=None,
        of_nothing=None,
        pairs=None,
        finds=True,
    ),
    "logsumexp": Fold(
        reference=_logsumexp,
        grad=lambda g, out, x, dims: g * (x - out).exp(),
        of_nothing=-math.inf,
        pairs=None,
    ),
    "m2": Fold(reference=_m2, grad=_m2_grad, of_nothing=0.0, pairs=None),
}


@dataclass(frozen=True, kw_only=True)
class Reduce(Heavy):
    """Along ``attrs["dims"]``, which stay as size 1; ``attrs["kind"]`` names the :data:`FOLDS` entry."""

    @property
    def rereads(self) -> int:
        return 0

    def roles(self, attrs: Attrs, shapes: Sequence[Shape]) -> Roles:
        names, dims = numbered(len(shapes[0])), attrs["dims"]
        whole = FOLDS[attrs["kind"]].finds  # an index cannot be put together from indices of parts
        arg = tuple(None if whole and d in dims else r for d, r in enumerate(names))
        return Roles(tuple(None if d in dims else r for d, r in enumerate(arg)), (arg,))

    def title(self, name: str, attrs: Attrs) -> str:
        return attrs["kind"]

    def of_nothing(self, attrs: Attrs) -> float:
        found = FOLDS[attrs["kind"]].of_nothing
        assert found is not None, attrs
        return found

    def combines(self, attrs: Attrs) -> str:
        return attrs["kind"]


def _grad(g: Tensor, out: Tensor, x: Tensor, kind: str, dims: tuple[int, ...]) -> tuple[Any, ...]:
    grad = FOLDS[kind].grad
    return (None if grad is None else grad(g, out, x, dims),)


REDUCE = register(
    Op(
        name="reduce",
        lowering=Reduce(
            flops=lambda attrs, out, x: math.prod(x),
            terms=lambda attrs, out, x: math.prod(x) // builtins.max(1, math.prod(out)),
        ),
        shape_rule=_shape_rule,
        dtype_rule=lambda attrs, d: dtypes.int32 if FOLDS[attrs["kind"]].finds else d,
        reference=lambda attrs, x: FOLDS[attrs["kind"]].reference(x, attrs["dims"]),
        grad=_grad,
    )
)


def sum_dims(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Sum over ``dims``, which stay as size 1."""
    return reduced("sum", x, dims, True, "sum")


def prod_dims(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Product over ``dims``, which stay as size 1."""
    return reduced("prod", x, dims, True, "prod")


def reduced(kind: str, x: Tensor, dim: Dims, keepdim: bool, caller: str) -> Tensor:
    """The reduction of a kind over dimensions; all of them for None and for an empty sequence.

    Raises:
        ShapeError: a dimension does not exist or is named twice, or there is nothing to take an extreme of.
        TypeError: a dimension is no integer.
    """
    dims = dims_of(dim, x.ndim, caller)
    if x.ndim == 0:
        return ew.clone(x) if not FOLDS[kind].finds else ew.cast(x * 0, dtypes.int32)
    if FOLDS[kind].of_nothing is None and builtins.any(x.shape[d] == 0 for d in dims):
        error = ShapeError if dim is None or dim == () else IndexRangeError
        raise error(f"{caller}: expected at least one element to reduce, got shape {list(x.shape)}")
    if x.dtype is dtypes.bool_ and kind in ("max", "min"):
        return ew.cast(reduced(kind, ew.cast(x, dtypes.int32), dims, keepdim, caller), dtypes.bool_)
    out = apply(REDUCE, x, kind=kind, dims=dims)
    return out if keepdim else reshape(out, tuple(n for d, n in enumerate(x.shape) if d not in dims))


def numeric(x: Tensor) -> Tensor:
    """Bools and narrow integers as int32, which sums of them are."""
    return ew.cast(x, dtypes.int32) if x.dtype.category < 2 and x.dtype is not dtypes.uint32 else x


__all__ = [
    "FOLDS", "REDUCE", "Dims", "Fold", "Reduce", "count_of", "dims_of", "numeric", "prod_dims", "reduced", "sum_dims",
]  # fmt: skip
