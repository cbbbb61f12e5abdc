"""Elementwise functions of floats, each with its WGSL, its NumPy reference and its gradient.

Other files find all elementwise ops here, those of ``arithmetic.py`` and ``comparison.py`` among them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, DTypeError
from tabgrad.graph import node as graph
from tabgrad.graph.op import Op, elementwise_op
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, operands, result_dtype
from tabgrad.ops.arithmetic import (
    ADD,
    COPY,
    DIV,
    FLOOR_DIV_F,
    FLOOR_DIV_I,
    MAXIMUM,
    MINIMUM,
    MUL,
    NEG,
    REMAINDER_F,
    SUB,
    add,
    binary,
    clamp,
    clone,
    div,
    float_dtype,
    floor_divide,
    maximum,
    minimum,
    mul,
    neg,
    remainder,
    square,
    sub,
)  # fmt: skip
from tabgrad.ops.comparison import (
    AND,
    CAST,
    EQ,
    EQ_F,
    GE,
    GT,
    LE,
    LT,
    NE,
    NE_F,
    NOT,
    OR,
    WHERE,
    cast,
    eq,
    ge,
    gt,
    le,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    ne,
    where,
)  # fmt: skip
from tabgrad.scalars import pack_scalars
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


def _float_unary(op: Op, x: Any) -> Tensor:
    return apply(op, as_tensor(x, result_dtype(x, 1.0)))


# Functions of one float


def unary(
    name: str,
    wgsl: str,
    reference: Any,
    grad: Any,
    doc: str,
    *,
    cost: int = 1,
    functional: bool = False,
    aliases: tuple[str, ...] = (),
) -> Callable[..., Tensor]:
    """Declare a function of one float, with its method in place and ``out``: the op, and what users call."""
    op = elementwise_op(name, wgsl, _quiet(reference), grad, cost=cost)

    def function(input: Tensor) -> Tensor:
        return _float_unary(op, input)

    return _entered(function, name, doc, functional, aliases)


def binary_of_floats(
    name: str, wgsl: str, reference: Any, grad: Any, doc: str, *, cost: int = 1, aliases: tuple[str, ...] = ()
) -> Callable[..., Tensor]:
    """Declare a function of two floats, broadcast; integers become float32."""
    op = elementwise_op(name, wgsl, _quiet(reference), grad, cost=cost)

    def function(input: Tensor, other: Tensor) -> Tensor:
        x, y = operands(name, input, other, dtype=float_dtype(input, other))
        return apply(op, x, y)

    return _entered(function, name, doc, False, aliases)


def _entered(
    function: Callable[..., Tensor], name: str, doc: str, functional: bool, aliases: tuple[str, ...]
) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    function.__module__ = sys._getframe(2).f_globals["__name__"]  # of the file that declares it
    return public(method=True, functional=functional, aliases=aliases, inplace=True, out=True)(function)


def _quiet(reference: Any) -> Any:
    def call(*xs: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return reference(*xs)

    return call


exp = unary("exp", "exp_f32({0})", np.exp, lambda g, out, x: (g * out,), "``e ** x``.", cost=4)
log = unary("log", "log_ieee({0})", np.log, lambda g, out, x: (g / x,), "Natural logarithm.", cost=4)
log1p = unary("log1p", "log1p_f32({0})", np.log1p, lambda g, out, x: (g / (x + 1.0),), "``log(1 + x)``.")
expm1 = unary("expm1", "expm1_f32({0})", np.expm1, lambda g, out, x: (g * (out + 1.0),), "``exp(x) - 1``.")
sqrt = unary("sqrt", "sqrt({0})", np.sqrt, lambda g, out, x: (g * 0.5 / out,), "Square root.")
rsqrt = unary(
    "rsqrt",
    "inverseSqrt({0})",
    lambda x: 1 / np.sqrt(x),
    lambda g, out, x: (g * -0.5 * (out * out * out),),
    "``1 / sqrt(x)``.",
)
reciprocal = unary("reciprocal", "(1.0 / {0})", np.reciprocal, lambda g, out, x: (-g * out * out,), "``1 / x``.")
sin = unary("sin", "sin({0})", np.sin, lambda g, out, x: (g * x.cos(),), "Sine of radians.", cost=4)
cos = unary("cos", "cos({0})", np.cos, lambda g, out, x: (-g * x.sin(),), "Cosine of radians.", cost=4)
tanh = unary(
    "tanh",
    "tanh_f32({0})",
    np.tanh,
    lambda g, out, x: (g * (1.0 - out * out),),
    "Hyperbolic tangent.",
    cost=6,
    functional=True,
)
FLOOR = elementwise_op("floor", "floor({0})", np.floor, lambda g, out, x: (g * 0.0,))
CEIL = elementwise_op("ceil", "ceil({0})", np.ceil, lambda g, out, x: (g * 0.0,))
ROUND = elementwise_op("round", "round({0})", np.round, lambda g, out, x: (g * 0.0,))


def whole(op: Op, input: Any) -> Tensor:
    """A rounding op of a tensor; integers stay as they are.

    Raises:
        DTypeError: the tensor is bool.
    """
    x = as_tensor(input)
    if x.dtype is dtypes.bool_:
        raise DTypeError(f"{op.name}: expected numbers, got a bool tensor; convert it first")
    return apply(op, x) if x.dtype.is_floating_point else clone(x)


@public(method=True, inplace=True, out=True)
def floor(input: Tensor) -> Tensor:
    """Round down; integers stay as they are."""
    return whole(FLOOR, input)


@public(method=True, inplace=True, out=True)
def ceil(input: Tensor) -> Tensor:
    """Round up; integers stay as they are."""
    return whole(CEIL, input)


@public(method=True, inplace=True, out=True)
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Round half to even; integers stay as they are.

    Args:
        decimals: how many of a float's digits after the point are kept; of a negative number, zeros before it.

    Raises:
        DTypeError: the tensor is bool, or of integers, and ``decimals`` is not 0.
    """
    if decimals == 0:
        return whole(ROUND, input)
    if not input.dtype.is_floating_point:
        raise DTypeError(
            f"round: expected a floating-point tensor where decimals is {decimals}, got {input.dtype.name}"
        )
    factor = 10.0 ** (decimals if decimals > 0 else -decimals)
    if decimals > 0:
        return div(whole(ROUND, mul(input, factor)), factor)
    return mul(whole(ROUND, div(input, factor)), factor)


sigmoid = unary(
    "sigmoid",
    "(1.0 / (1.0 + exp_f32(-{0})))",
    lambda x: (1 / (1 + np.exp(-x))).astype(x.dtype),
    lambda g, out, x: (g * out * (1.0 - out),),
    "``1 / (1 + exp(-x))``.",
    cost=5,
    functional=True,
)
_erf_vector = np.vectorize(math.erf, otypes=[np.float64])
erf = unary(
    "erf",
    "erf_f32({0})",
    lambda x: _erf_vector(x).astype(x.dtype) if x.size else x,
    lambda g, out, x: (g * (2 / math.sqrt(math.pi)) * exp(-x * x),),
    "Gauss error function.",
    cost=10,
)


def _sign_reference(x: np.ndarray) -> np.ndarray:
    return ((x > 0).astype(x.dtype) - (x < 0)).astype(x.dtype)  # 0 of NaN, as PyTorch's


ABS = elementwise_op("abs", "abs({0})", np.abs, lambda g, out, x: (g * x.sign(),))
SIGN = elementwise_op("sign", "({t}({0} > {t}(0)) - {t}({0} < {t}(0)))", _sign_reference, lambda g, out, x: (g * 0.0,))
ISNAN = elementwise_op("isnan", "isnan_f32({0})", np.isnan, None, dtypes.bool_)
ISFINITE = elementwise_op("isfinite", "isfinite_f32({0})", np.isfinite, None, dtypes.bool_)


@public(method=True, operator="abs", aliases=("absolute",), inplace=True, out=True)
def abs(input: Tensor) -> Tensor:
    """Absolute value; gradient 0 at 0.

    Raises:
        DTypeError: the tensor is bool.
    """
    if input.dtype is dtypes.bool_:
        raise DTypeError("abs: expected numbers, got a bool tensor; convert it first")
    return apply(ABS, input)


@public(method=True, inplace=True, out=True)
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1; 0 of NaN. A bool tensor is its own."""
    return clone(input) if input.dtype is dtypes.bool_ else apply(SIGN, input)


@public(method=True)
def isnan(input: Tensor) -> Tensor:
    """Whether each element is not a number; bool."""
    return apply(ISNAN, cast(input, float_dtype(input)))


@public(method=True)
def isfinite(input: Tensor) -> Tensor:
    """Whether each element is neither infinite nor NaN; bool."""
    return apply(ISFINITE, cast(input, float_dtype(input)))


def _pow_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    da = where(eq(b, 0), 0.0, g * b * pow(a, b - 1.0))
    known = logical_and(
        eq(a, 0), ge(b, 0)
    )  # 0 ** b does not change with b; of a negative base there is no such gradient
    db = g * where(known, 0.0, out * log(where(known, 1.0, a)))
    return da, db


POW = elementwise_op("pow", "pow_f32({0!}, {1!})", _quiet(np.power), _pow_grad, cost=8)


def _pow_reference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        found = np.power(a, np.maximum(b, 0))
    negative = np.where(a == 1, 1, np.where(a == -1, np.where(b % 2 == 0, 1, -1), 0))
    return np.where(b < 0, negative, found).astype(a.dtype)


POW_I = elementwise_op("pow_int", "pow_i32({0}, {1})", _pow_reference, None, cost=40)


def _integer_pow(base: Any, exponent: Any) -> Tensor:
    if not isinstance(exponent, Tensor) and exponent < 0:
        raise ArgumentError(
            f"pow: expected an exponent >= 0 of integers, got {exponent}; convert the tensor first, as with x.float()"
        )
    x, y = operands("pow", base, exponent)
    if x.dtype is dtypes.bool_:
        raise DTypeError("pow: expected numbers, got bool tensors; convert one first")
    return cast(apply(POW_I, cast(x, dtypes.int32), cast(y, dtypes.int32)), x.dtype)


@public(method=True, operator="pow", out=True, inplace=True)
def pow(input: Tensor | float, exponent: Tensor | float) -> Tensor:
    """``input ** exponent``; small integer exponents become products.

    Raises:
        ArgumentError: an integer tensor, and a number below 0 as exponent.
        DTypeError: bools alone.
    """
    base = input
    if not result_dtype(base, exponent).is_floating_point:
        small = isinstance(base, Tensor) and base.dtype is not dtypes.bool_ and type(exponent) is int
        if not (small and 1 <= exponent <= 3):
            return _integer_pow(base, exponent)
    if isinstance(exponent, int | float) and not isinstance(exponent, bool) and isinstance(base, Tensor):
        if exponent == 1:
            return base * 1
        if exponent == 2:
            return base * base
        if exponent == 3:
            return base * base * base
        if exponent == 0.5:
            return sqrt(base)
        if exponent == -1:
            return reciprocal(base)
    return binary(POW, base, exponent)


# Sources: constants, indices and numbers that change each step


@public()
def step_scalar(provider: Callable[[], Any], dtype: DType = dtypes.float32) -> Tensor:
    """A 0-d tensor whose value is asked again at every run, without recompiling.

    ``provider`` is called once per run, in the order in which scalars were made.

    Raises:
        DTypeError: a number does not fit the dtype.
    """
    node = graph.scalar(provider, dtype)
    recording = current().capturing()
    if recording is None:
        node.value = current().own(Tracer).number(node)
        pack_scalars([(node.value, dtype)])  # now, while nothing that depends on it has been recorded
    else:
        recording.scalars.append(node)
    return Tensor._from_node(node)


def iota(shape: tuple[int, ...], axis: int, dtype: DType = dtypes.int32) -> Tensor:
    """Each element's index along ``axis``."""
    return Tensor._from_node(graph.iota(shape, axis, dtype))


__all__ = [
    "ABS", "ADD", "AND", "CAST", "COPY", "DIV", "EQ", "EQ_F", "FLOOR_DIV_F", "FLOOR_DIV_I", "GE", "GT", "ISFINITE",
    "ISNAN", "LE", "LT", "MAXIMUM", "MINIMUM", "MUL", "NE", "NEG", "NE_F", "NOT", "OR", "POW", "REMAINDER_F", "SIGN",
    "SUB", "WHERE", "abs", "add", "binary_of_floats", "cast", "ceil", "clamp", "clone", "cos", "div",
    "elementwise_op", "eq", "erf", "exp", "expm1", "floor", "floor_divide", "ge", "gt", "iota", "isfinite", "isnan",
    "le", "log", "log1p", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "maximum", "minimum",
    "mul", "ne", "neg", "pow", "reciprocal", "remainder", "round", "rsqrt", "sigmoid", "sign", "sin", "sqrt",
    "square", "step_scalar", "sub", "tanh", "unary", "where",
]  # fmt: skip
