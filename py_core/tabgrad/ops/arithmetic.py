"""Arithmetic of two numbers, the larger and the smaller of two, and copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, no_grad, record
from tabgrad.dtypes import DType
from tabgrad.errors import DTypeError
from tabgrad.graph.op import Op, elementwise_op
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, operands, result_dtype
from tabgrad.ops.comparison import eq, ge, le, logical_and, logical_or, where
from tabgrad.tensor import Tensor

# Arithmetic. Gradients compute the result again where PyTorch's do not need it, as it may be changed in place since.


def _div_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    return g / b, -g * (a / b) / b


ADD: Op = elementwise_op("add", "({0!} + {1!})", np.add, lambda g, out, a, b: (g, g), neutral=(0, 0))
SUB = elementwise_op("sub", "({0!} - {1!?})", np.subtract, lambda g, out, a, b: (g, -g), neutral=(None, 0))
MUL: Op = elementwise_op("mul", "({0!} * {1!})", np.multiply, lambda g, out, a, b: (g * b, g * a), neutral=(1, 1))
DIV = elementwise_op("div", "({0!} / {1!?})", np.divide, _div_grad, neutral=(None, 1))
NEG = elementwise_op("neg", "(-{0})", np.negative, lambda g, out, x: (-g,))


def float_dtype(*values: Any) -> DType:
    """The dtype that they are computed in together, where integers become float32."""
    found = result_dtype(*values)
    return found if found.is_floating_point else dtypes.float32


def binary(op: Op, a: Any, b: Any) -> Tensor:
    """An op of two operands, promoted and broadcast."""
    x, y = operands(op.name, a, b)
    return apply(op, x, y)


@public(method=True, operator="add", varying_ints=True)
def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """``input + alpha * other``, broadcast; bool operands are combined with *or*, as PyTorch does.

    Args:
        input, other: tensors or numbers, promoted as in PyTorch.
        alpha: a number by which ``other`` is multiplied first.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    if alpha != 1:
        other = mul(other, alpha)
    if result_dtype(input, other) is dtypes.bool_:
        return logical_or(input, other)
    return binary(ADD, input, other)


@public(method=True, operator="sub", varying_ints=True)
def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """``input - alpha * other``, broadcast.

    Args:
        input, other: tensors or numbers, promoted as in PyTorch.
        alpha: a number by which ``other`` is multiplied first.

    Raises:
        DTypeError: both are bool; use ``logical_xor``.
        ShapeError: the shapes do not broadcast.
    """
    if result_dtype(input, other) is dtypes.bool_:
        raise DTypeError("sub: expected numbers, got two bool tensors; use logical_xor")
    return binary(SUB, input, mul(other, alpha) if alpha != 1 else other)


@public(method=True, operator="mul", varying_ints=True)
def mul(input: Any, other: Any) -> Tensor:
    """``input * other``, broadcast; bool operands are combined with *and*.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    if result_dtype(input, other) is dtypes.bool_:
        return logical_and(input, other)
    return binary(MUL, input, other)


@public(method=True, operator="truediv", varying_ints=True)
def div(input: Any, other: Any) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    x, y = operands("div", input, other, dtype=float_dtype(input, other))
    return apply(DIV, x, y)


@public(method=True, operator="neg")
def neg(x: Tensor) -> Tensor:
    """``-x``.

    Raises:
        DTypeError: the tensor is bool; use ``logical_not``.
    """
    number = as_tensor(x)
    if number.dtype is dtypes.bool_:
        raise DTypeError("neg: expected numbers, got a bool tensor; use logical_not (or ~)")
    return apply(NEG, number)


def _floor_reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.floor_divide(a, b)


def _remainder_reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.remainder(a, b)


FLOOR_DIV_F = elementwise_op("floor_div", "floor_div_f32({0!}, {1!})", _floor_reference, None)
FLOOR_DIV_I = elementwise_op("floor_div_int", "floor_div_i32({0}, {1})", _floor_reference, None)
REMAINDER_F = elementwise_op(
    "remainder",
    "remainder_f32({0!}, {1!})",
    _remainder_reference,
    lambda g, out, a, b: (g, -g * a.floor_divide(b)),
)


def _whole_operands(caller: str, a: Any, b: Any) -> list[Tensor]:
    x, y = operands(caller, a, b)
    if not x.dtype.is_floating_point and not isinstance(b, Tensor) and b == 0:
        raise ZeroDivisionError(f"{caller}: expected a divisor other than 0 for {x.dtype.name}, got {b}")
    return [x, y]


@public(method=True, operator="floordiv")
def floor_divide(input: Any, other: Any) -> Tensor:
    """``floor(input / other)``, broadcast; no gradient.

    Raises:
        ZeroDivisionError: an integer is divided by the number 0. Zeros in an integer tensor cannot raise.
    """
    x, y = _whole_operands("floor_divide", input, other)
    return apply(FLOOR_DIV_F if x.dtype.is_floating_point else FLOOR_DIV_I, x, y)


@public(method=True, operator="mod")
def remainder(input: Any, other: Any) -> Tensor:
    """``input - other * floor(input / other)``, exact, signed as ``other``. Errors: :func:`floor_divide`."""
    x, y = _whole_operands("remainder", input, other)
    return apply(REMAINDER_F, x, y) if x.dtype.is_floating_point else sub(x, mul(y, floor_divide(x, y)))


@public(method=True)
def square(x: Tensor) -> Tensor:
    """``x * x``."""
    return mul(x, x)


# Extremes. Ties share the gradient equally, as PyTorch's maximum does.


def _extreme_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    tie = eq(a, b)
    half = g * 0.5
    return where(tie, half, where(eq(a, out), g, 0.0)), where(tie, half, where(eq(b, out), g, 0.0))


def _maximum_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    return _extreme_grad(g, maximum(a, b), a, b)


def _minimum_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    return _extreme_grad(g, minimum(a, b), a, b)


MAXIMUM: Op = elementwise_op("maximum", "maximum_{t}({0}, {1})", np.maximum, _maximum_grad)
MINIMUM: Op = elementwise_op("minimum", "minimum_{t}({0}, {1})", np.minimum, _minimum_grad)


@public(method=True)
def maximum(input: Any, other: Any) -> Tensor:
    """The larger of two; NaN if either is.

    Equal elements share the gradient.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return binary(MAXIMUM, input, other)


@public(method=True)
def minimum(input: Any, other: Any) -> Tensor:
    """The smaller of two; NaN if either is.

    Equal elements share the gradient.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return binary(MINIMUM, input, other)


def _clamp_grad(g: Tensor, out: Tensor, x: Tensor, low: float | None, high: float | None) -> tuple[Any, ...]:
    if low is not None:
        g = where(ge(x, low), g, 0.0)
    return (g if high is None else where(le(x, high), g, 0.0),)


@public(method=True)
def clamp(x: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """``x`` limited to [min, max]; the gradient passes inside the limits, limits included.

    Args:
        min, max: numbers, or None for no limit on that side.

    Raises:
        DTypeError: neither limit is given, or float32 cannot hold one.
        NotImplementedError: a limit is a tensor; use ``maximum`` and ``minimum``.
    """
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        raise NotImplementedError("clamp with tensor limits is not supported; use maximum and minimum")
    if min is None and max is None:
        raise DTypeError("clamp: expected min or max, got neither")
    dtypes.check_fits("clamp", min, max)
    with no_grad():
        out = x if min is None else maximum(x, min)
        out = out if max is None else minimum(out, max)
    out = out.detach()
    record(out, "clamp", _clamp_grad, (x,), {"low": min, "high": max})
    return out


# Copy: a value in memory of its own

COPY = elementwise_op("copy", "{0}", np.copy, None)


@public(method=True)
def clone(input: Tensor) -> Tensor:
    """The same values, in memory of their own.

    Shape and dtype of ``input``; gradients pass.
    """
    return logical_or(input, input) if input.dtype is dtypes.bool_ else mul(input, 1)
