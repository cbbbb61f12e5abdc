"""Elementwise functions: PyTorch's, whose operands are promoted by their dtypes alone, 0-d ones too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tabgrad
from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.tensor import Tensor

Operand = Tensor | bool | int | float


def common_dtype(*operands: Any) -> DType:
    """The dtype of a result of tensors and dtypes, and of Python numbers, which count only where their kind is higher.

    Raises:
        TypeError: an operand is something else, or there is neither a tensor nor a dtype.
    """
    found: DType | None = None
    numbers = []
    for operand in operands:
        if isinstance(operand, bool | int | float):
            numbers.append(operand)
            continue
        if not isinstance(operand, Tensor | DType):
            raise TypeError(f"result_type: expected tensors, dtypes or numbers, got {type(operand).__name__}")
        one = operand if isinstance(operand, DType) else operand.dtype
        found = one if found is None else dtypes.promote(found, one)
    if found is None:
        raise TypeError("result_type: expected at least one tensor or dtype, got numbers alone")
    for number in numbers:
        category = 0 if isinstance(number, bool) else 1 if isinstance(number, int) else 2
        if category > found.category:
            found = dtypes.int32 if category == 1 else dtypes.float32
    return found


def together(*operands: Any) -> list[Tensor]:
    """Tensors of one dtype: that of the result."""
    dtype = common_dtype(*operands)
    return [x.to(dtype) if isinstance(x, Tensor) else tabgrad.full((), x, dtype=dtype) for x in operands]


def _unary(name: str, of: str = "") -> Callable[[Tensor], Tensor]:
    def function(x: Tensor, /) -> Tensor:
        found: Tensor = getattr(tabgrad, of or name)(x)
        return found

    return _named(function, name, of)


def _binary(name: str, of: str = "") -> Callable[[Operand, Operand], Tensor]:
    def function(x1: Operand, x2: Operand, /) -> Tensor:
        found: Tensor = getattr(tabgrad, of or name)(*together(x1, x2))
        return found

    return _named(function, name, of)


def _named(function: Any, name: str, of: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"As :func:`tabgrad.{of or name}`, elementwise."
    return function


abs = _unary("abs")
acos = _unary("acos")
acosh = _unary("acosh")
asin = _unary("asin")
asinh = _unary("asinh")
atan = _unary("atan")
atanh = _unary("atanh")
bitwise_invert = _unary("bitwise_invert", "bitwise_not")
ceil = _unary("ceil")
cos = _unary("cos")
cosh = _unary("cosh")
exp = _unary("exp")
expm1 = _unary("expm1")
floor = _unary("floor")
isfinite = _unary("isfinite")
isinf = _unary("isinf")
isnan = _unary("isnan")
log = _unary("log")
log10 = _unary("log10")
log1p = _unary("log1p")
log2 = _unary("log2")
logical_not = _unary("logical_not")
negative = _unary("negative")
positive = _unary("positive")
reciprocal = _unary("reciprocal")
round = _unary("round")
signbit = _unary("signbit")
sin = _unary("sin")
sinh = _unary("sinh")
sqrt = _unary("sqrt")
square = _unary("square")
tan = _unary("tan")
tanh = _unary("tanh")
trunc = _unary("trunc")

add = _binary("add")
atan2 = _binary("atan2")
bitwise_and = _binary("bitwise_and")
bitwise_left_shift = _binary("bitwise_left_shift")
bitwise_or = _binary("bitwise_or")
bitwise_right_shift = _binary("bitwise_right_shift")
bitwise_xor = _binary("bitwise_xor")
copysign = _binary("copysign")
divide = _binary("divide")
equal = _binary("equal", "eq")
floor_divide = _binary("floor_divide")
greater = _binary("greater")
greater_equal = _binary("greater_equal")
hypot = _binary("hypot")
less = _binary("less")
less_equal = _binary("less_equal")
logaddexp = _binary("logaddexp")
logical_and = _binary("logical_and")
logical_or = _binary("logical_or")
logical_xor = _binary("logical_xor")
maximum = _binary("maximum")
minimum = _binary("minimum")
multiply = _binary("multiply")
nextafter = _binary("nextafter")
not_equal = _binary("not_equal")
pow = _binary("pow")
remainder = _binary("remainder")
subtract = _binary("subtract")


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1, as the number is below, equal to or above 0; NaN of NaN, where PyTorch's function gives 0."""
    found = tabgrad.sign(x)
    return tabgrad.where(tabgrad.isnan(x), x, found) if x.dtype.is_floating_point else found


def clip(x: Tensor, /, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """Elements below ``min`` or above ``max`` replaced by these, numbers or tensors; in the dtype of ``x``."""
    low, high = (b.to(x.dtype) if isinstance(b, Tensor) else b for b in (min, max))
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        low, high = (
            b if b is None or isinstance(b, Tensor) else tabgrad.full((), b, dtype=x.dtype) for b in (low, high)
        )
    if low is None and high is None:
        return tabgrad.clone(x)
    found: Tensor = tabgrad.clamp(x, low, high)
    return found.to(x.dtype)


__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]  # fmt: skip
