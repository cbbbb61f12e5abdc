"""Reductions: one primitive with a kind; the others are composed from it."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply
from tabgrad.dtypes import DType
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.graph.op import Attrs, Heavy, Op, Roles, Shape, register
from tabgrad.graph.roles import numbered
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.movement import normalize_dim, reshape
from tabgrad.tensor import Tensor

Dims = int | Sequence[int] | None


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
    return ew.where(hit, g, 0.0) / sum(hit.float(), dims, keepdim=True)  # NaN where the extreme is


def _m2_grad(g: Tensor, out: Tensor, x: Tensor, dims: tuple[int, ...]) -> Tensor:
    return g * 2.0 * (x - mean(x, dims, keepdim=True))  # the mean's own share is the sum of the deviations: 0


def _prod_of_others(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Product of all other elements of the group; exact where elements are zero."""
    zero = ew.eq(x, 0)
    count = sum(zero.float(), dims, keepdim=True)
    rest = prod_dims(ew.where(zero, 1.0, x), dims)
    return ew.where(
        ew.eq(count, 0), rest / ew.where(zero, 1.0, x), ew.where(ew.logical_and(zero, count == 1), rest, 0.0)
    )


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


def _reduce(kind: str, x: Tensor, dim: Dims, keepdim: bool, caller: str) -> Tensor:
    if dim is None or (isinstance(dim, Sequence) and not dim):
        dims = tuple(range(x.ndim))
    else:
        dims = tuple(sorted(normalize_dim(d, x.ndim, caller) for d in ([dim] if isinstance(dim, int) else dim)))
        if len(set(dims)) != len(dims):
            raise ShapeError(f"{caller}: expected each dim once, got {dim}")
    if x.ndim == 0:
        return ew.clone(x) if not FOLDS[kind].finds else ew.cast(x * 0, dtypes.int32)
    if FOLDS[kind].of_nothing is None and builtins.any(x.shape[d] == 0 for d in dims):
        raise ShapeError(f"{caller}: expected at least one element to reduce, got shape {list(x.shape)}")
    if x.dtype is dtypes.bool_ and kind in ("max", "min"):
        return ew.cast(_reduce(kind, ew.cast(x, dtypes.int32), dims, keepdim, caller), dtypes.bool_)
    out = apply(REDUCE, x, kind=kind, dims=dims)
    return out if keepdim else reshape(out, tuple(n for d, n in enumerate(x.shape) if d not in dims))


def _numeric(x: Tensor) -> Tensor:
    return ew.cast(x, dtypes.int32) if x.dtype.category < 2 and x.dtype is not dtypes.uint32 else x


@public(method=True)
def sum(x: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Sum over ``dim`` (all by default), in a fixed order. Bools and narrow integers are summed as int32.

    Args:
        dim: a dimension or several; None or an empty tuple for all.
        keepdim: they stay, with size 1.
        dtype: what elements are converted to first.

    Raises:
        ShapeError: a dimension does not exist, or is named twice.
    """
    return _reduce("sum", _numeric(x) if dtype is None else ew.cast(x, dtype), dim, keepdim, "sum")


@public(method=True)
def mean(x: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Mean over ``dim`` (all by default) of a float tensor.

    Arguments and errors are those of :func:`sum`.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
    """
    if not x.dtype.is_floating_point:
        raise DTypeError(f"mean: expected a floating-point tensor, got {x.dtype}; use x.float().mean()")
    if x.dtype.is_narrow:  # which may not hold the sum
        return ew.cast(mean(ew.cast(x, x.dtype.computed), dim, keepdim), x.dtype)
    total = _reduce("sum", x, dim, keepdim, "mean")
    count = x.numel() / total.numel() if total.numel() else _count(x, dim)
    return total / count if count else total / 0.0


def _count(x: Tensor, dim: Dims) -> float:
    dims = range(x.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    return float(math.prod(x.shape[d] for d in dims))


@public(method=True)
def var(x: Tensor, dim: Dims = None, keepdim: bool = False, *, correction: int = 1) -> Tensor:
    """Variance over ``dim``, the sum of squares divided by ``n - correction``.

    Arguments and errors are those of :func:`sum`.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
    """
    if not x.dtype.is_floating_point:
        raise DTypeError(f"var: expected a floating-point tensor, got {x.dtype}; use x.float().var()")
    total = _reduce("m2", x, dim, keepdim, "var") if x.ndim else x - x
    divisor = float(builtins.max(0.0, _count(x, dim) - correction))
    if divisor == 0 and _count(x, dim) == 1:
        return total + math.nan  # 0 / 0: a shader's compiler knows this total
    return total / divisor


def m2(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Sum of squared deviations from the mean over ``dims``, which stay as size 1; in one pass, far from zero too."""
    return _reduce("m2", x, dims, True, "var")


@public(method=True)
def std(x: Tensor, dim: Dims = None, keepdim: bool = False, *, correction: int = 1) -> Tensor:
    """Square root of :func:`var`."""
    return ew.sqrt(var(x, dim, keepdim, correction=correction))


@public(method=True)
def amax(x: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Largest element; ties share the gradient.

    Arguments and errors are those of :func:`sum`; a dimension without elements raises, too.
    """
    return _reduce("max", x, dim, keepdim, "amax")


@public(method=True)
def amin(x: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Smallest element; ties share the gradient.

    Arguments and errors are those of :func:`sum`; a dimension without elements raises, too.
    """
    return _reduce("min", x, dim, keepdim, "amin")


def _arg(kind: str, x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    if dim is None:
        return _reduce(kind, reshape(_numeric(x), -1), 0, False, kind)
    return _reduce(kind, _numeric(x), dim, keepdim, kind)


@public(method=True)
def argmax(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index of the first largest element along ``dim`` (of the flattened tensor by default); int32.

    Raises:
        ShapeError: the dimension does not exist, or has no elements.
    """
    return _arg("argmax", x, dim, keepdim)


@public(method=True)
def argmin(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index of the first smallest element.

    As :func:`argmax`.
    """
    return _arg("argmin", x, dim, keepdim)


def _extreme(kind: str, x: Tensor, dim: int | None, keepdim: bool) -> Any:
    if dim is None:
        return _reduce(kind, x, None, False, kind)
    other: Any = dim
    if isinstance(other, Tensor):  # the larger or smaller of two tensors
        return (ew.maximum if kind == "max" else ew.minimum)(x, other)
    index = _arg("arg" + kind, x, dim, True)
    values = x.gather(dim, index) if x.ndim else x
    return (values, index) if keepdim or not x.ndim else (values.squeeze(dim), index.squeeze(dim))


@public(method=True)
def max(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Largest element; with ``dim`` the pair (values, indices).

    Raises:
        ShapeError: the dimension does not exist, or has no elements.
    """
    return _extreme("max", x, dim, keepdim)


@public(method=True)
def min(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Smallest element; with ``dim`` the pair (values, indices).

    As :func:`max`.
    """
    return _extreme("min", x, dim, keepdim)


def prod_dims(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Product over ``dims``, which stay as size 1."""
    return _reduce("prod", x, dims, True, "prod")


@public(method=True)
def prod(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Product over ``dim`` (all by default)."""
    return _reduce("prod", _numeric(x), dim, keepdim, "prod")


@public(method=True)
def logsumexp(x: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """``log(sum(exp(x)))`` in one pass that does not overflow.

    Arguments and errors are those of :func:`sum`; the result is float32.
    """
    return _reduce("logsumexp", ew.cast(x, dtypes.float32), dim, keepdim, "logsumexp")


def log_normalizer(x: Tensor, dim: int) -> Tensor:
    """:func:`logsumexp` along ``dim``, which stays, for softmax: NaN where it is infinite, as PyTorch's softmax is."""
    total = logsumexp(x, dim, keepdim=True)
    return ew.where(ew.isfinite(total), total, math.nan)


@public(method=True)
def any(x: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether any element is nonzero; bool."""
    return ew.ne(_reduce("sum", ew.cast(ew.ne(x, 0), dtypes.int32), dim, keepdim, "any"), 0)


@public(method=True)
def all(x: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Whether every element is nonzero; bool."""
    return ew.eq(_reduce("sum", ew.cast(ew.eq(x, 0), dtypes.int32), dim, keepdim, "all"), 0)
