"""Questions about each element, and whether two tensors are equal."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, DTypeError
from tabgrad.names import public
from tabgrad.ops._broadcast import operands
from tabgrad.ops.comparison import cast, eq, le, logical_and, logical_or
from tabgrad.ops.creation import full
from tabgrad.ops.elementwise import abs, isfinite, isnan
from tabgrad.tensor import Tensor


def _is(input: Tensor, value: float) -> Tensor:
    return eq(cast(input, dtypes.float32), value)


@public(method=True)
def isinf(input: Tensor) -> Tensor:
    """Whether each element is infinite; bool."""
    return _is(abs(cast(input, dtypes.float32)), math.inf)


@public(method=True, out=True)
def isposinf(input: Tensor) -> Tensor:
    """Whether each element is positive infinity; bool."""
    return _is(input, math.inf)


@public(method=True, out=True)
def isneginf(input: Tensor) -> Tensor:
    """Whether each element is negative infinity; bool."""
    return _is(input, -math.inf)


@public(method=True)
def isreal(input: Tensor) -> Tensor:
    """True everywhere, as there are no complex numbers."""
    return full(input.shape, True)


@public(method=True)
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether ``|input - other| <= atol + rtol * |other|``, broadcast; bool.

    Raises:
        ArgumentError: a tolerance is negative.
        DTypeError: the dtypes differ.
    """
    if input.dtype is not other.dtype:
        raise DTypeError(
            f"isclose: expected tensors of one dtype, got {input.dtype.name} and {other.dtype.name}; convert one first"
        )
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise ArgumentError(f"isclose: expected {name} of at least 0, got {value}")
    a, b = operands("isclose", input.detach(), other.detach())
    same = eq(a, b)
    if equal_nan and a.dtype.is_floating_point:
        same = logical_or(same, logical_and(isnan(a), isnan(b)))
    if rtol == 0 and atol == 0:
        return same
    x, y = (cast(t, dtypes.float32) for t in (a, b))
    distance = abs(x - y)
    near = logical_and(isfinite(distance), le(distance, abs(y) * rtol + atol))
    return logical_or(same, near)


@public(method=True, traced=False)
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether :func:`isclose` holds everywhere: a bool of Python's, so it waits for the device."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


@public(method=True, traced=False)
def equal(input: Tensor, other: Tensor) -> Any:
    """Whether shapes and elements are equal: a bool of Python's, so it waits for the device."""
    if not isinstance(other, Tensor):
        raise TypeError(f"equal: expected other as a Tensor, got {type(other).__name__}")
    return input.shape == other.shape and bool(eq(input, other).all())
