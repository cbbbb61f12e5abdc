"""Further forms of arithmetic: with a factor, of three tensors, rounded, with the sign of another number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, no_grad, record
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.graph.op import elementwise_op
from tabgrad.names import public
from tabgrad.ops._broadcast import operands, result_dtype
from tabgrad.ops.arithmetic import add, clamp, clone, div, float_dtype, maximum, minimum, mul, neg, remainder, sub
from tabgrad.ops.comparison import cast, eq, ge, gt, le, lt, where
from tabgrad.ops.creation import full_like
from tabgrad.ops.elementwise import abs, isnan, whole
from tabgrad.tensor import Tensor

SIGNBIT = elementwise_op("signbit", "signbit_f32({0})", np.signbit, None, dtypes.bool_)
TRUNC = elementwise_op("trunc", "trunc({0})", np.trunc, lambda g, out, x: (g * 0.0,))


@public(out=True)
def rsub(input: Tensor, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """``other - alpha * input``, broadcast.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    if isinstance(other, Tensor):
        return sub(other, input, alpha=alpha)
    return add(neg(input if alpha == 1 else mul(input, alpha)), other)


@public(method=True, inplace=True, out=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """``input + value * tensor1 * tensor2``, broadcast.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    product = mul(tensor1, tensor2)
    return add(input, product if value == 1 else mul(product, _factor("addcmul", value, input, tensor1, tensor2)))


@public(method=True, inplace=True, out=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    """``input + value * tensor1 / tensor2``, broadcast.

    Raises:
        DTypeError: both that are divided are integers.
        ShapeError: the shapes do not broadcast.
    """
    if not result_dtype(tensor1, tensor2).is_floating_point:
        raise DTypeError("addcdiv: expected a float among tensor1 and tensor2, got integers; convert one first")
    quotient = div(tensor1, tensor2)
    return add(input, quotient if value == 1 else mul(quotient, value))


def _factor(caller: str, value: float, *tensors: Tensor) -> float:
    dtype = result_dtype(*tensors)
    if isinstance(value, float) and not dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected an integer as value for {dtype.name}, got {value}; convert them first")
    return value


@public(method=True, inplace=True, out=True)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """``input + weight * (end - input)``, broadcast.

    Args:
        weight: a number or a tensor.

    Raises:
        DTypeError: the dtypes differ, or are not floating point.
        ShapeError: the shapes do not broadcast.
    """
    given = [t.dtype for t in (input, end, weight) if isinstance(t, Tensor)]
    if len(set(given)) > 1 or not given[0].is_floating_point:
        names = ", ".join(d.name for d in given)
        raise DTypeError(f"lerp: expected tensors of one floating-point dtype, got {names}; convert them first")
    a, b, w = operands("lerp", input, end, weight)
    step = b - a
    return where(lt(abs(w), 0.5), a + w * step, b - step * (1.0 - w))


@public(method=True, aliases=("fix",), inplace=True, out=True)
def trunc(input: Tensor) -> Tensor:
    """Round toward 0; integers stay as they are."""
    return whole(TRUNC, input)


@public(method=True, inplace=True, out=True)
def frac(input: Tensor) -> Tensor:
    """What lies behind the point, with the sign of ``input``.

    Raises:
        DTypeError: the tensor is not floating point.
    """
    if not input.dtype.is_floating_point:
        raise DTypeError(f"frac: expected a floating-point tensor, got {input.dtype.name}; of integers it is 0")
    return input - trunc(input)


def _fmod_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    return g, -g * trunc(a / b)


@public(method=True, inplace=True, out=True)
def fmod(input: Tensor, other: Tensor | float) -> Tensor:
    """What is left of ``input`` after whole multiples of ``other``, exact, signed as ``input``, broadcast.

    Raises:
        ShapeError: the shapes do not broadcast.
        ZeroDivisionError: an integer is divided by the number 0. Zeros in an integer tensor cannot raise.
    """
    a, b = operands("fmod", input, other)
    if not a.dtype.is_floating_point:
        if not isinstance(other, Tensor) and other == 0:
            raise ZeroDivisionError(f"fmod: expected a divisor other than 0 for {a.dtype.name}, got {other}")
        return sub(a, mul(b, div(a, b, rounding_mode="trunc")))
    with no_grad():
        out = copysign(remainder(abs(a), abs(b)), a)
    record(out, "fmod", _fmod_grad, (a, b), {})
    return out


@public(method=True, out=True)
def signbit(input: Tensor) -> Tensor:
    """Whether the sign is set, also of zeros; bool."""
    if input.dtype.is_floating_point:
        return apply(SIGNBIT, cast(input, dtypes.float32))
    return lt(input, 0)


@public(method=True, inplace=True, out=True)
def copysign(input: Tensor, other: Tensor | float) -> Tensor:
    """The size of ``input`` with the sign of ``other``, broadcast; a float.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    a, b = operands("copysign", input, other, dtype=float_dtype(input, other))
    with no_grad():
        out = where(eq(_sign_set(a), _sign_set(b)), a, neg(a))
    record(out, "copysign", _copysign_grad, (a, b), {})
    return out


def _sign_set(x: Tensor) -> Tensor:
    return apply(SIGNBIT, cast(x, dtypes.float32))


def _copysign_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    turned = where(eq(_sign_set(a), _sign_set(b)), g, neg(g))
    return where(eq(a, 0), 0.0, turned), mul(g, 0.0)


def _extreme(caller: str, a: Any, b: Any) -> Tensor:
    x, y = operands(caller, a, b)
    if not x.dtype.is_floating_point:
        return (maximum if caller == "fmax" else minimum)(x, y)
    first = (ge if caller == "fmax" else le)(x, y)
    return where(first | isnan(y), x, y)


@public(method=True, out=True)
def fmax(input: Tensor, other: Tensor) -> Tensor:
    """The larger of two, broadcast; the other one where one is NaN.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return _extreme("fmax", input, other)


@public(method=True, out=True)
def fmin(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of two, broadcast; the other one where one is NaN. Errors: :func:`fmax`."""
    return _extreme("fmin", input, other)


@public(method=True, inplace=True, out=True)
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """``input``, or ``min`` where that is larger: a number or a tensor."""
    return maximum(input, min) if input.dtype is dtypes.bool_ else clamp(input, min=min)


@public(method=True, inplace=True, out=True)
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """``input``, or ``max`` where that is less: a number or a tensor."""
    return minimum(input, max) if input.dtype is dtypes.bool_ else clamp(input, max=max)


def _no_heaviside_grad(g: Tensor, out: Tensor, x: Tensor, values: Tensor) -> Any:
    raise NotImplementedError("heaviside: expected no gradient through it, as in PyTorch; detach() its result")


@public(method=True, inplace=True, out=True)
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above, and ``values`` at 0; broadcast, no gradient.

    Raises:
        DTypeError: the dtypes differ.
    """
    if input.dtype is not values.dtype:
        raise DTypeError(f"heaviside: expected values of {input.dtype.name}, got {values.dtype.name}; convert one")
    x, at_zero = operands("heaviside", input, values)
    with no_grad():
        out = where(eq(x, 0), at_zero, cast(gt(x, 0), x.dtype))
    record(out, "heaviside", _no_heaviside_grad, (x, at_zero), {})
    return out


@public(method=True, inplace=True, out=True)
def nan_to_num(input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """``input`` with numbers in place of NaN and infinities: by default 0 and the dtype's largest and lowest."""
    if not input.dtype.is_floating_point:
        return clone(input)
    largest = _LARGEST.get(input.dtype, dtypes.LARGEST_FLOAT32)
    x = where(isnan(input), 0.0 if nan is None else nan, input)
    x = where(eq(x, math.inf), largest if posinf is None else posinf, x)
    return where(eq(x, -math.inf), -largest if neginf is None else neginf, x)


_LARGEST = {dtypes.float16: 65504.0, dtypes.bfloat16: 3.3895313892515355e38}


@public(method=True, inplace=True, out=True)
def sgn(input: Tensor) -> Tensor:
    """:func:`sign`, as there are no complex numbers."""
    return input.sign()


@public()
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor of the shape and dtype of ``input``, filled with ``value``, a number or a 0-d tensor."""
    if isinstance(value, Tensor) and value.ndim:
        raise ShapeError(f"fill: expected a number or a 0-d tensor, got shape {list(value.shape)}")
    with no_grad():
        out = full_like(input, value)
    given = value if isinstance(value, Tensor) else full_like(input, 0)
    record(out, "fill", lambda g, out, x, v: (mul(g, 0.0), g.sum() if v.ndim == 0 else None), (input, given), {})
    return out
