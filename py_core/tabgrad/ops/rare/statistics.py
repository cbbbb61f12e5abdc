"""Statistics beyond mean and variance: both at once, without NaN, counts, covariances."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.extremes import amax, amin
from tabgrad.ops.folds import Dims
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import reshape, transpose
from tabgrad.ops.reduce import mean, sum
from tabgrad.ops.result_types import MinAndMax
from tabgrad.ops.variance import root, spread, spread_of
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


@public(method=True, out=True)
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> MinAndMax:
    """The smallest and the largest element along ``dim`` (of all by default): (min, max)."""
    return MinAndMax(amin(input, dim, keepdim), amax(input, dim, keepdim))


@public()
def var_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Variance and mean; arguments are those of ``var``."""
    dim, correction = spread_of("var_mean", dim, unbiased, correction)
    return spread("var_mean", input, dim, keepdim, correction), mean(input, dim, keepdim)


@public()
def std_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Standard deviation and mean; arguments are those of ``std``."""
    dim, correction = spread_of("std_mean", dim, unbiased, correction)
    return root(spread("std_mean", input, dim, keepdim, correction)), mean(input, dim, keepdim)


@public(method=True, out=True)
def nansum(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """As ``sum``, where NaN counts as 0."""
    x = input if dtype is None else ew.cast(input, dtype)
    return sum(ew.where(ew.isnan(x), 0, x) if x.dtype.is_floating_point else x, dim, keepdim)


@public(method=True, out=True)
def nanmean(input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """Mean of the elements that are not NaN; NaN where none is."""
    x = input if dtype is None else ew.cast(input, dtype)
    if not x.dtype.is_floating_point:
        raise DTypeError(f"nanmean: expected a floating-point tensor, got {x.dtype.name}; use x.float()")
    known = ew.logical_not(ew.isnan(x.detach()))
    return nansum(x, dim, keepdim) / sum(ew.cast(known, dtypes.int32), dim, keepdim)


@public(method=True)
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """How many elements along ``dim`` (of all by default) are not 0; int32."""
    return sum(ew.cast(ew.ne(input.detach(), 0), dtypes.int32), dim)


@public(method=True)
def trace(input: Tensor) -> Tensor:
    """The sum of a matrix's diagonal.

    Raises:
        ShapeError: it is no matrix.
    """
    if input.ndim != 2:
        raise ShapeError(f"trace: expected a matrix, got {list(input.shape)}")
    on = ew.eq(ew.iota(input.shape, 0), ew.iota(input.shape, 1))
    return sum(ew.where(on, input, 0))


def _observations(caller: str, input: Tensor) -> Tensor:
    if input.ndim > 2:
        raise ShapeError(f"{caller}: expected [variables, observations] or [observations], got {list(input.shape)}")
    if input.dtype is dtypes.bool_:
        raise DTypeError(f"{caller}: expected numbers, got bool; use x.float()")
    x = input if input.dtype.is_floating_point else ew.cast(input, dtypes.float32)
    return reshape(x, (1, x.numel())) if x.ndim < 2 else x


@public(method=True)
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """Covariances of the variables, which are the rows of ``input`` ``[variables, observations]``.

    Args:
        correction: subtracted from the number of observations.
        fweights: integers ``[observations]``, how often each was made.
        aweights: floats ``[observations]``, how much each counts.

    Raises:
        ShapeError: the weights are not one for each observation.
    """
    x = _observations("cov", input)
    count = x.shape[1]
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is not None and weights.shape != (count,):
            raise ShapeError(f"cov: expected {name} [{count}], got {list(weights.shape)}")
    if fweights is not None and fweights.dtype.is_floating_point:
        raise DTypeError(f"cov: expected fweights of integers, got {fweights.dtype.name}")
    if aweights is not None and not aweights.dtype.is_floating_point:
        raise DTypeError(f"cov: expected aweights of floats, got {aweights.dtype.name}")
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is not None:
            _check_positive(name, weights)
    if fweights is None and aweights is None:
        centred = x - (sum(x, 1, keepdim=True) / float(count) if count else 0.0)
        found = matmul(centred, transpose(centred, 0, 1)) / float(max(0, count - correction))
        return reshape(found, ()) if x.shape[0] == 1 else found
    weights = ew.cast(fweights, x.dtype) if fweights is not None else None
    if aweights is not None:
        weights = aweights if weights is None else weights * aweights
    assert weights is not None
    total = sum(weights)
    centred = x - sum(x * weights, 1, keepdim=True) / total
    if aweights is not None and correction:
        norm = total - sum(weights * aweights) / total * float(correction)
    else:
        norm = total - float(correction)
    found = matmul(centred, transpose(centred * weights, 0, 1)) / ew.maximum(norm, 0.0)
    return reshape(found, ()) if x.shape[0] == 1 else found


def _check_positive(name: str, weights: Tensor) -> None:
    """Raise for weights below 0, where they lie on the host and looking costs nothing."""

    def check(weights: Tensor) -> None:
        values = weights._node.host_elements()
        if values is not None and values.size and values.min() < 0:
            raise ArgumentError(f"cov: expected {name} of at least 0, got {values.min()}")

    current().own(Tracer).check(weights, check)


@public(method=True)
def corrcoef(input: Tensor) -> Tensor:
    """Pearson's correlations of the variables, which are the rows of ``input`` ``[variables, observations]``."""
    found = cov(_observations("corrcoef", input))
    if not found.ndim:
        return found / found
    n = found.shape[0]
    on = ew.eq(ew.iota(found.shape, 0), ew.iota(found.shape, 1))
    deviation = ew.sqrt(sum(ew.where(on, found, 0.0), 1))
    return ew.clamp(found / reshape(deviation, (n, 1)) / reshape(deviation, (1, n)), -1.0, 1.0)
