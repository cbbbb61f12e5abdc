"""Arithmetic of two numbers, the larger and the smaller of two, and copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, no_grad, record
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, DTypeError
from tabgrad.graph.op import Op, elementwise_op
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, operands, result_dtype, scalar_dtype
from tabgrad.ops.comparison import cast, eq, ge, le, logical_and, logical_or, lt, ne, where
from tabgrad.placement import check_placement
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


@public(method=True, operator="add", varying_ints=True, out=True)
def add(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """``input + alpha * other``, broadcast; bool operands are combined with *or*, as PyTorch does.

    Args:
        input, other: tensors or numbers, promoted as in PyTorch.
        alpha: a number by which ``other`` is multiplied first.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    if alpha != 1:
        other = scaled("add", input, other, alpha)
    if result_dtype(input, other) is dtypes.bool_:
        return logical_or(input, other)
    return binary(ADD, input, other)


def scaled(caller: str, input: Any, other: Any, alpha: float) -> Any:
    """``alpha * other``, where ``input`` and ``other`` are combined.

    Raises:
        DTypeError: both are integers, and ``alpha`` is not.
    """
    dtype = result_dtype(input, other)
    if not isinstance(alpha, int | float):
        raise TypeError(f"{caller}: expected alpha as a number, got {type(alpha).__name__}")
    if scalar_dtype(alpha).category > dtype.category:
        raise DTypeError(f"{caller}: expected alpha that {dtype.name} holds, got {alpha}; convert the tensors first")
    return mul(other, alpha)


@public(method=True, operator="sub", varying_ints=True, aliases=("subtract",), out=True)
def sub(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
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
    return binary(SUB, input, scaled("sub", input, other, alpha) if alpha != 1 else other)


@public(method=True, operator="mul", varying_ints=True, aliases=("multiply",), out=True)
def mul(input: Tensor | float, other: Tensor | float) -> Tensor:
    """``input * other``, broadcast; bool operands are combined with *and*.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    if result_dtype(input, other) is dtypes.bool_:
        return logical_and(input, other)
    return binary(MUL, input, other)


@public(method=True, operator="truediv", varying_ints=True, aliases=("divide", "true_divide"), out=True)
def div(input: Tensor | float, other: Tensor | float, *, rounding_mode: str | None = None) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32, unless the quotient is rounded.

    Args:
        rounding_mode: None; ``"trunc"``, toward 0; or ``"floor"``, down, as :func:`floor_divide`.

    Raises:
        ArgumentError: there is no such rounding mode.
        ShapeError: the shapes do not broadcast.
    """
    if rounding_mode is not None:
        return _rounded_quotient(input, other, rounding_mode)
    x, y = operands("div", input, other, dtype=float_dtype(input, other))
    return apply(DIV, x, y)


@public(method=True, operator="neg", aliases=("negative",), inplace=True, out=True)
def neg(input: Tensor) -> Tensor:
    """``-input``.

    Raises:
        DTypeError: the tensor is bool; use ``logical_not``.
    """
    number = as_tensor(input)
    if number.dtype is dtypes.bool_:
        raise DTypeError("neg: expected numbers, got a bool tensor; use logical_not (or ~)")
    return apply(NEG, number)


@public(method=True, operator="pos")
def positive(input: Tensor) -> Tensor:
    """``input`` itself.

    Raises:
        DTypeError: the tensor is bool.
    """
    if input.dtype is dtypes.bool_:
        raise DTypeError("positive: expected numbers, got a bool tensor; convert it first")
    return input


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


def _rounded_quotient(a: Any, b: Any, mode: str) -> Tensor:
    if mode not in ("trunc", "floor"):
        raise ArgumentError(f"div: expected rounding_mode None, 'trunc' or 'floor', got {mode!r}")
    x, y = _whole_operands("div", a, b)
    with no_grad():
        out = floor_divide(x, y)
        if mode == "trunc":
            less = logical_and(lt(out, 0), ne(mul(out, y), x)) if out.dtype.category == 1 else lt(div(x, y), 0)
            out = where(less, neg(floor_divide(neg(x), y)), out)
    record(out, "div", lambda g, out, x, y: (mul(g, 0.0), mul(g, 0.0)), (x, y), {})
    return out


@public(method=True, operator="floordiv", inplace=True, out=True)
def floor_divide(input: Tensor | float, other: Tensor | float) -> Tensor:
    """``floor(input / other)``, broadcast; no gradient.

    Raises:
        ZeroDivisionError: an integer is divided by the number 0. Zeros in an integer tensor cannot raise.
    """
    x, y = _whole_operands("floor_divide", input, other)
    return apply(FLOOR_DIV_F if x.dtype.is_floating_point else FLOOR_DIV_I, x, y)


@public(method=True, operator="mod", inplace=True, out=True)
def remainder(input: Tensor | float, other: Tensor | float) -> Tensor:
    """``input - other * floor(input / other)``, exact, signed as ``other``. Errors: :func:`floor_divide`."""
    x, y = _whole_operands("remainder", input, other)
    return apply(REMAINDER_F, x, y) if x.dtype.is_floating_point else sub(x, mul(y, floor_divide(x, y)))


@public(method=True, inplace=True, out=True)
def square(input: Tensor) -> Tensor:
    """``input * input``; of bools int64."""
    x = input if input.dtype is not dtypes.bool_ else cast(input, dtypes.int64)
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


@public(method=True, out=True, only_tensors=True)
def maximum(input: Any, other: Any) -> Tensor:
    """The larger of two; NaN if either is.

    Equal elements share the gradient.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return binary(MAXIMUM, input, other)


@public(method=True, out=True, only_tensors=True)
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


def _clamp_tensors_grad(g: Tensor, out: Tensor, x: Tensor, *limits: Tensor, low: bool, high: bool) -> tuple[Any, ...]:
    to_x, grads = g, []
    if low:
        to_x = where(ge(x, limits[0]), to_x, 0.0)
        below = lt(x, limits[0])
        grads.append(where(logical_and(below, lt(limits[0], limits[1])) if high else below, g, 0.0))
    if high:
        to_x = where(le(x, limits[-1]), to_x, 0.0)
        above = lt(limits[-1], x)
        grads.append(where(logical_or(above, lt(limits[1], limits[0])) if low else above, g, 0.0))
    return (to_x, *grads)


def _clamped_by_tensors(x: Tensor, min: Any, max: Any) -> Tensor:
    limits = [v for v in (min, max) if v is not None]
    x, *limits = operands("clamp", x, *limits)
    with no_grad():
        out = x if min is None else maximum(x, limits[0])
        out = out if max is None else minimum(out, limits[-1])
    out = out.detach()
    record(out, "clamp", _clamp_tensors_grad, (x, *limits), {"low": min is not None, "high": max is not None})
    return out


@public(method=True, aliases=("clip",), inplace=True, out=True)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """``input`` limited to [min, max]; the gradient passes inside the limits, limits included.

    Args:
        min, max: numbers, tensors that broadcast, or None for no limit on that side.

    Raises:
        DTypeError: neither limit is given, float32 cannot hold one, or the tensor is bool.
    """
    x = input
    if min is None and max is None:
        raise DTypeError("clamp: expected min or max, got neither")
    if x.dtype is dtypes.bool_:
        raise DTypeError("clamp: expected numbers, got a bool tensor; convert it first")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return _clamped_by_tensors(x, min, max)
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
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """The same values, in memory of their own.

    Shape and dtype of ``input``; gradients pass. ``memory_format`` changes no value.
    """
    if memory_format is not None:
        check_placement("clone", {"memory_format": memory_format})
    return logical_or(input, input) if input.dtype is dtypes.bool_ else mul(input, 1)
