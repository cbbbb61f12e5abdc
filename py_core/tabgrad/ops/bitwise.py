"""Operations on the bits of integers; of bools the logical ones: ``&``, ``|``, ``^``, ``~``, ``<<``, ``>>``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply
from tabgrad.errors import NoSuchDTypeError
from tabgrad.graph.op import Op, elementwise_op
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, operands
from tabgrad.ops.comparison import logical_and, logical_not, logical_or, logical_xor
from tabgrad.tensor import Tensor

_BITS = 32


def _shift_left(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    inside = (b >= 0) & (b < _BITS)
    return np.where(inside, a << np.where(inside, b, 0), 0).astype(a.dtype)


def _shift_right(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    inside = (b >= 0) & (b < _BITS)
    return np.where(inside, a >> np.where(inside, b, 0), a >> (_BITS - 1) >> 1).astype(a.dtype)


BITWISE_AND = elementwise_op("bitwise_and", "({0} & {1})", np.bitwise_and, None)
BITWISE_OR = elementwise_op("bitwise_or", "({0} | {1})", np.bitwise_or, None)
BITWISE_XOR = elementwise_op("bitwise_xor", "({0} ^ {1})", np.bitwise_xor, None)
BITWISE_NOT = elementwise_op("bitwise_not", "(~{0})", np.invert, None)
# all bits are shifted out by numbers from 32 on, and by negative ones
SHIFT_LEFT = elementwise_op(
    "bitwise_left_shift", "select({t}(0), {0} << (u32({1}) & 31u), u32({1}) < 32u)", _shift_left, None
)
SHIFT_RIGHT = elementwise_op(
    "bitwise_right_shift", "select(({0} >> 31u) >> 1u, {0} >> (u32({1}) & 31u), u32({1}) < 32u)", _shift_right, None
)


def _check(caller: str, x: Tensor, *, bools: bool = True) -> None:
    if x.dtype.is_floating_point or (x.dtype is dtypes.bool_ and not bools):
        kinds = "integers or bools" if bools else "integers"
        raise NoSuchDTypeError(
            f"{caller}: expected {kinds}, got {x.dtype.name}; convert first, for example with x.long()"
        )


def _combined(caller: str, op: Op, logical: Callable[..., Tensor], a: Any, b: Any) -> Tensor:
    x, y = operands(caller, a, b)
    _check(caller, x)
    return logical(x, y) if x.dtype is dtypes.bool_ else apply(op, x, y)


def _shifted(caller: str, op: Op, a: Any, b: Any) -> Tensor:
    x, y = operands(caller, a, b)
    _check(caller, x, bools=False)
    return apply(op, x, y)


@public(method=True, operator="and", inplace=True, out=True)
def bitwise_and(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The bits that both have, broadcast; of bools the logical *and*.

    Raises:
        NoSuchDTypeError: an operand is floating point.
        ShapeError: the shapes do not broadcast.
    """
    return _combined("bitwise_and", BITWISE_AND, logical_and, input, other)


@public(method=True, operator="or", inplace=True, out=True)
def bitwise_or(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The bits that either has, broadcast; of bools the logical *or*. Errors: :func:`bitwise_and`."""
    return _combined("bitwise_or", BITWISE_OR, logical_or, input, other)


@public(method=True, operator="xor", inplace=True, out=True)
def bitwise_xor(input: Tensor | float, other: Tensor | float) -> Tensor:
    """The bits that one of both has, broadcast; of bools the logical *xor*. Errors: :func:`bitwise_and`."""
    return _combined("bitwise_xor", BITWISE_XOR, logical_xor, input, other)


@public(method=True, operator="invert", inplace=True, out=True)
def bitwise_not(input: Tensor) -> Tensor:
    """All bits changed; of bools the logical *not*.

    Raises:
        NoSuchDTypeError: the tensor is floating point.
    """
    x = as_tensor(input)
    _check("bitwise_not", x)
    return logical_not(x) if x.dtype is dtypes.bool_ else apply(BITWISE_NOT, x)


@public(method=True, operator="lshift", inplace=True, out=True)
def bitwise_left_shift(input: Tensor | float, other: Tensor | float) -> Tensor:
    """``input * 2 ** other`` of integers, broadcast; 0 if ``other`` is not in [0, 32).

    Raises:
        NoSuchDTypeError: an operand is floating point, or both are bool.
        ShapeError: the shapes do not broadcast.
    """
    return _shifted("bitwise_left_shift", SHIFT_LEFT, input, other)


@public(method=True, operator="rshift", inplace=True, out=True)
def bitwise_right_shift(input: Tensor | float, other: Tensor | float) -> Tensor:
    """``input / 2 ** other`` of integers, rounded down, broadcast. Errors: :func:`bitwise_left_shift`."""
    return _shifted("bitwise_right_shift", SHIFT_RIGHT, input, other)
