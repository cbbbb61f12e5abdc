"""The largest and the smallest element, and where they are."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.folds import Dims, numeric, reduced
from tabgrad.ops.movement import reshape
from tabgrad.ops.result_types import ValuesAndIndices
from tabgrad.tensor import Tensor


@public(method=True, out=True)
def amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Largest element; ties share the gradient.

    Arguments and errors are those of :func:`sum`; a dimension without elements raises, too.
    """
    return reduced("max", input, dim, keepdim, "amax")


@public(method=True, out=True)
def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """Smallest element; ties share the gradient.

    Arguments and errors are those of :func:`sum`; a dimension without elements raises, too.
    """
    return reduced("min", input, dim, keepdim, "amin")


def _arg(kind: str, x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    if dim is None:
        found = reduced(kind, reshape(numeric(x), -1), 0, False, kind)
        return reshape(found, (1,) * x.ndim) if keepdim else found
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise TypeError(f"{kind}: expected dim as an int, got {dim!r}")
    return reduced(kind, numeric(x), dim, keepdim, kind)


@public(method=True, out=True)
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index of the first largest element along ``dim`` (of the flattened tensor by default); int32.

    Raises:
        ShapeError: the dimension does not exist, or has no elements.
    """
    return _arg("argmax", input, dim, keepdim)


@public(method=True, out=True)
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Index of the first smallest element.

    As :func:`argmax`.
    """
    return _arg("argmin", input, dim, keepdim)


def _extreme(kind: str, x: Tensor, dim: Any, keepdim: bool) -> Any:
    if dim is None:
        if keepdim:
            raise TypeError(f"{kind}: expected dim where keepdim is given, got None; use a{kind}")
        return reduced(kind, x, None, False, kind)
    if isinstance(dim, Tensor):
        return ew.maximum(x, dim) if kind == "max" else ew.minimum(x, dim)
    index = _arg("arg" + kind, x, dim, True)
    values = x.gather(dim, index) if x.ndim else x * 1 if x.dtype is not dtypes.bool_ else ew.clone(x)
    return ValuesAndIndices(*((values, index) if keepdim or not x.ndim else (values.squeeze(dim), index.squeeze(dim))))


def _second(kind: str, dim: Any, other: Tensor | None) -> Any:
    if dim is not None and other is not None:
        raise TypeError(f"{kind}: expected dim or other, got both")
    return dim if other is None else other


@public(method=True, out=True)
def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """Largest element; with ``dim`` the pair (values, indices); of two tensors :func:`maximum`.

    Args:
        dim: a dimension, None for the whole tensor, or the other tensor.

    Raises:
        ShapeError: the dimension does not exist, or has no elements.
    """
    return _extreme("max", input, _second("max", dim, other), keepdim)


@public(method=True, out=True)
def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """Smallest element; with ``dim`` the pair (values, indices); of two tensors :func:`minimum`.

    As :func:`max`.
    """
    return _extreme("min", input, _second("min", dim, other), keepdim)


__all__ = ["amax", "amin", "argmax", "argmin", "max", "min"]
