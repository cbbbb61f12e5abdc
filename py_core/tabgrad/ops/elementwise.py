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

    def function(input: Any) -> Tensor:
        return _float_unary(op, input)

    return _entered(function, name, doc, functional, aliases)


def binary_of_floats(
    name: str, wgsl: str, reference: Any, grad: Any, doc: str, *, cost: int = 1, aliases: tuple[str, ...] = ()
) -> Callable[..., Tensor]:
    """Declare a function of two floats, broadcast; integers become float32."""
    op = elementwise_op(name, wgsl, _quiet(reference), grad, cost=cost)

    def function(input: Any, other: Any) -> Tensor:
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
floor = unary("floor", "floor({0})", np.floor, lambda g, out, x: (g * 0.0,), "Round down.")
ceil = unary("ceil", "ceil({0})", np.ceil, lambda g, out, x: (g * 0.0,), "Round up.")
round = unary("round", "round({0})", np.round, lambda g, out, x: (g * 0.0,), "Round half to even.")
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
SIGN = elementwise_op("sign", "sign({0})", _sign_reference, lambda g, out, x: (g * 0.0,))
ISNAN = elementwise_op("isnan", "isnan_f32({0})", np.isnan, None, dtypes.bool_)
ISFINITE = elementwise_op("isfinite", "isfinite_f32({0})", np.isfinite, None, dtypes.bool_)


@public(method=True, operator="abs")
def abs(x: Tensor) -> Tensor:
    """Absolute value; gradient 0 at 0."""
    return apply(ABS, x)


@public(method=True)
def sign(x: Tensor) -> Tensor:
    """-1, 0 or 1."""
    return apply(SIGN, x)


@public(method=True)
def isnan(x: Tensor) -> Tensor:
    """Whether each element is not a number; bool."""
    return apply(ISNAN, cast(x, float_dtype(x)))


@public(method=True)
def isfinite(x: Tensor) -> Tensor:
    """Whether each element is neither infinite nor NaN; bool."""
    return apply(ISFINITE, cast(x, float_dtype(x)))


def _pow_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    da = where(eq(b, 0), 0.0, g * b * pow(a, b - 1.0))
    db = g * where(gt(a, 0), out * log(where(gt(a, 0), a, 1.0)), 0.0)
    return da, db


POW = elementwise_op("pow", "pow_f32({0!}, {1!})", _quiet(np.power), _pow_grad, cost=8)


@public(method=True, operator="pow")
def pow(base: Any, exponent: Any) -> Tensor:
    """``base ** exponent``; small integer exponents become products."""
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
    if not result_dtype(base, exponent).is_floating_point:
        raise NotImplementedError("pow of integer tensors is supported for exponents 1, 2 and 3; cast to float32 first")
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
