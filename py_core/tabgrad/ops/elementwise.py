"""Elementwise primitives: each with its WGSL, its NumPy reference and its gradient."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, no_grad, record
from tabgrad.dtypes import DType
from tabgrad.errors import DeviceError, DTypeError
from tabgrad.graph import node as graph
from tabgrad.graph.op import Elementwise, Op, first_dtype, register, same_shape
from tabgrad.names import public
from tabgrad.ops._broadcast import as_tensor, broadcast_shapes, operands, result_dtype
from tabgrad.scalars import pack_scalars
from tabgrad.session import current
from tabgrad.tensor import Tensor


def elementwise_op(
    name: str,
    wgsl: str,
    reference: Callable[..., np.ndarray],
    grad: Callable[..., tuple[Any, ...]] | None,
    dtype: DType | None = None,
    *,
    cost: int = 1,
    neutral: tuple[float | None, ...] = (),
) -> Op:
    """Enter an elementwise primitive; ``dtype`` fixes the output's, otherwise it is the first input's."""
    return register(
        Op(
            name=name,
            lowering=Elementwise(wgsl=wgsl, cost=cost, neutral=neutral),
            shape_rule=same_shape,
            dtype_rule=first_dtype if dtype is None else lambda *_: dtype,
            reference=lambda attrs, *xs: reference(*xs),
            grad=grad,
        )
    )


def _float_unary(op: Op, x: Any) -> Tensor:
    return apply(op, as_tensor(x, result_dtype(x, 1.0)))


# Arithmetic. Gradients compute the result again where PyTorch's do not need it, as it may be changed in place since.


def _div_grad(g: Tensor, out: Tensor, a: Tensor, b: Tensor) -> tuple[Any, ...]:
    return g / b, -g * (a / b) / b


ADD: Op = elementwise_op("add", "({0!} + {1!})", np.add, lambda g, out, a, b: (g, g), neutral=(0, 0))
SUB = elementwise_op("sub", "({0!} - {1!?})", np.subtract, lambda g, out, a, b: (g, -g), neutral=(None, 0))
MUL: Op = elementwise_op("mul", "({0!} * {1!})", np.multiply, lambda g, out, a, b: (g * b, g * a), neutral=(1, 1))
DIV = elementwise_op("div", "({0!} / {1!?})", np.divide, _div_grad, neutral=(None, 1))
NEG = elementwise_op("neg", "(-{0})", np.negative, lambda g, out, x: (-g,))


def _float_dtype(*values: Any) -> DType:
    """What they are computed in together, where integers become float32."""
    found = result_dtype(*values)
    return found if found.is_floating_point else dtypes.float32


def _binary(op: Op, a: Any, b: Any) -> Tensor:
    x, y = operands(op.name, a, b)
    return apply(op, x, y)


@public(method=True, operator="add")
def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """``input + alpha * other``, broadcast; bool operands are combined with *or*, as PyTorch does."""
    if alpha != 1:
        other = mul(other, alpha)
    if result_dtype(input, other) is dtypes.bool_:
        return logical_or(input, other)
    return _binary(ADD, input, other)


@public(method=True, operator="sub")
def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    """``input - alpha * other``, broadcast."""
    if result_dtype(input, other) is dtypes.bool_:
        raise DTypeError("sub: expected numbers, got two bool tensors; use logical_xor")
    return _binary(SUB, input, mul(other, alpha) if alpha != 1 else other)


@public(method=True, operator="mul")
def mul(input: Any, other: Any) -> Tensor:
    """``input * other``, broadcast; bool operands are combined with *and*."""
    if result_dtype(input, other) is dtypes.bool_:
        return logical_and(input, other)
    return _binary(MUL, input, other)


@public(method=True, operator="truediv")
def div(input: Any, other: Any) -> Tensor:
    """``input / other``, broadcast; integers are divided as float32."""
    x, y = operands("div", input, other, dtype=_float_dtype(input, other))
    return apply(DIV, x, y)


@public(method=True, operator="neg")
def neg(x: Tensor) -> Tensor:
    """``-x``."""
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


# Comparison and logic


def _comparison(name: str, sign: str, reference: Callable[..., np.ndarray]) -> Op:
    return elementwise_op(name, f"({{0}} {sign} {{1}})", reference, None, dtypes.bool_)


EQ = _comparison("eq", "==", np.equal)
NE = _comparison("ne", "!=", np.not_equal)
LT = _comparison("lt", "<", np.less)
LE = _comparison("le", "<=", np.less_equal)
GT = _comparison("gt", ">", np.greater)
GE = _comparison("ge", ">=", np.greater_equal)
# of floats: a shader's compiler may take a NaN to equal itself
EQ_F = elementwise_op("eq_float", "eq_f32({0}, {1})", np.equal, None, dtypes.bool_)
NE_F = elementwise_op("ne_float", "ne_f32({0}, {1})", np.not_equal, None, dtypes.bool_)


def _equality(caller: str, op: Op, op_f: Op, a: Any, b: Any) -> Tensor:
    x, y = operands(caller, a, b)
    return apply(op_f if x.dtype.is_floating_point else op, x, y)


def _order(op: Op, a: Any, b: Any) -> Tensor:
    x, y = operands(op.name, a, b)
    if x.dtype is dtypes.bool_:
        x, y = cast(x, dtypes.int32), cast(y, dtypes.int32)
    return apply(op, x, y)


@public(method=True, operator="eq")
def eq(input: Any, other: Any) -> Tensor:
    """``input == other``, broadcast; bool."""
    return _equality("eq", EQ, EQ_F, input, other)


@public(method=True, operator="ne")
def ne(input: Any, other: Any) -> Tensor:
    """``input != other``, broadcast; bool."""
    return _equality("ne", NE, NE_F, input, other)


@public(method=True, operator="lt")
def lt(input: Any, other: Any) -> Tensor:
    """``input < other``, broadcast; bool."""
    return _order(LT, input, other)


@public(method=True, operator="le")
def le(input: Any, other: Any) -> Tensor:
    """``input <= other``, broadcast; bool."""
    return _order(LE, input, other)


@public(method=True, operator="gt")
def gt(input: Any, other: Any) -> Tensor:
    """``input > other``, broadcast; bool."""
    return _order(GT, input, other)


@public(method=True, operator="ge")
def ge(input: Any, other: Any) -> Tensor:
    """``input >= other``, broadcast; bool."""
    return _order(GE, input, other)


AND = elementwise_op("logical_and", "({0} && {1})", np.logical_and, None, dtypes.bool_)
OR = elementwise_op("logical_or", "({0} || {1})", np.logical_or, None, dtypes.bool_)
NOT = elementwise_op("logical_not", "(!{0})", np.logical_not, None, dtypes.bool_)


@public(method=True, operator="and")
def logical_and(input: Any, other: Any) -> Tensor:
    """Both nonzero; bool."""
    return apply(AND, *operands("logical_and", input, other, dtype=dtypes.bool_))


@public(method=True, operator="or")
def logical_or(input: Any, other: Any) -> Tensor:
    """Either nonzero; bool."""
    return apply(OR, *operands("logical_or", input, other, dtype=dtypes.bool_))


@public(method=True, operator="invert")
def logical_not(x: Any) -> Tensor:
    """Zero; bool."""
    return apply(NOT, cast(as_tensor(x), dtypes.bool_))


@public(method=True, operator="xor")
def logical_xor(input: Any, other: Any) -> Tensor:
    """Exactly one nonzero; bool."""
    return ne(cast(as_tensor(input), dtypes.bool_), cast(as_tensor(other), dtypes.bool_))


def _where_grad(g: Tensor, out: Tensor, condition: Tensor, a: Tensor, b: Tensor, part: Any = None) -> tuple[Any, ...]:
    return None, where(condition, g, 0.0), where(condition, 0.0, g)


WHERE = register(
    Op(
        name="where",
        lowering=Elementwise(wgsl="select({2}, {1?}, {0})", cost=1, chooses=True),
        shape_rule=same_shape,
        dtype_rule=lambda attrs, condition, first, second: first,
        reference=lambda attrs, *xs: np.where(*xs),
        grad=_where_grad,
    )
)


@public()
def where(condition: Tensor, a: Any, b: Any) -> Tensor:
    """``a`` where ``condition`` holds, else ``b``; all broadcast."""
    dtypes.check_fits("where", a, b)
    x, y = operands("where", a, b)
    shape = broadcast_shapes(condition.shape, x.shape, caller="where")
    mask = cast(condition, dtypes.bool_)
    return apply(WHERE, *(t if t.shape == shape else t.broadcast_to(shape) for t in (mask, x, y)))


# Copy: a value in memory of its own

COPY = elementwise_op("copy", "{0}", np.copy, None)


@public(method=True)
def clone(input: Tensor) -> Tensor:
    """The same values, in memory of their own."""
    return logical_or(input, input) if input.dtype is dtypes.bool_ else mul(input, 1)


# Cast


def _cast_reference(attrs: dict[str, Any], x: np.ndarray) -> np.ndarray:
    target: DType = attrs["dtype"]
    if target is dtypes.bool_:
        return x != 0
    with np.errstate(invalid="ignore"):
        whole = x.astype(target.array)
    return target.unpack(target.stored(whole)) if target.is_narrow else whole


CAST: Op = register(
    Op(
        name="cast",
        lowering=Elementwise(wgsl="{convert}", cost=1, converts=True),
        shape_rule=same_shape,
        dtype_rule=lambda attrs, _: attrs["dtype"],
        reference=_cast_reference,
        grad=lambda g, out, x, dtype: (g.to(x.dtype) if x.dtype.is_floating_point else None,),
    )
)


@public(top=False)
def cast(x: Tensor, dtype: DType) -> Tensor:
    """``x`` in another dtype; floats are truncated toward zero, nonzero (NaN, too) is True."""
    if x.dtype is dtype:
        return x
    return ne(x, 0) if dtype is dtypes.bool_ else apply(CAST, x, dtype=dtype)


@public(top=False, method=True)
def to(x: Tensor, target: Any) -> Tensor:
    """``x`` as another dtype, or itself where ``target`` names the device that it is computed on.

    Raises:
        DeviceError: it names another one; all tensors of a session are on one.
    """
    if isinstance(target, DType):
        return cast(x, target)
    device = (x._session or current()).device
    name = getattr(target, "name", target)
    if name not in (device.name, "auto"):
        raise DeviceError(
            f"to: expected the device in use, '{device.name}', got {name!r}; "
            f"all tensors share one device: choose it first with tabgrad.device(...)"
        )
    return x


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
    """The larger of two; NaN if either is."""
    return _binary(MAXIMUM, input, other)


@public(method=True)
def minimum(input: Any, other: Any) -> Tensor:
    """The smaller of two; NaN if either is."""
    return _binary(MINIMUM, input, other)


def _clamp_grad(g: Tensor, out: Tensor, x: Tensor, low: float | None, high: float | None) -> tuple[Any, ...]:
    if low is not None:
        g = where(ge(x, low), g, 0.0)
    return (g if high is None else where(le(x, high), g, 0.0),)


@public(method=True)
def clamp(x: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """``x`` limited to [min, max]; the gradient passes inside the limits, limits included."""
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


# Functions of one float


def _unary(
    name: str, wgsl: str, reference: Any, grad: Any, doc: str, *, cost: int = 1, functional: bool = False
) -> Callable[[Any], Tensor]:
    """Declare a function of one float: the op, and what users call."""
    op = elementwise_op(name, wgsl, _quiet(reference), grad, cost=cost)

    def function(input: Any) -> Tensor:
        return _float_unary(op, input)

    return _entered(function, name, doc, functional)


def _binary_of_floats(
    name: str, wgsl: str, reference: Any, grad: Any, doc: str, *, cost: int = 1
) -> Callable[[Any, Any], Tensor]:
    """Declare a function of two floats, broadcast; integers become float32."""
    op = elementwise_op(name, wgsl, _quiet(reference), grad, cost=cost)

    def function(input: Any, other: Any) -> Tensor:
        x, y = operands(name, input, other, dtype=_float_dtype(input, other))
        return apply(op, x, y)

    return _entered(function, name, doc)


def _entered(function: Callable[..., Tensor], name: str, doc: str, functional: bool = False) -> Callable[..., Tensor]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return public(method=True, functional=functional)(function)


def _quiet(reference: Any) -> Any:
    def call(*xs: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return reference(*xs)

    return call


exp = _unary("exp", "exp_f32({0})", np.exp, lambda g, out, x: (g * out,), "``e ** x``.", cost=4)
log = _unary("log", "log_ieee({0})", np.log, lambda g, out, x: (g / x,), "Natural logarithm.", cost=4)
log1p = _unary("log1p", "log1p_f32({0})", np.log1p, lambda g, out, x: (g / (x + 1.0),), "``log(1 + x)``.")
expm1 = _unary("expm1", "expm1_f32({0})", np.expm1, lambda g, out, x: (g * (out + 1.0),), "``exp(x) - 1``.")
sqrt = _unary("sqrt", "sqrt({0})", np.sqrt, lambda g, out, x: (g * 0.5 / out,), "Square root.")
rsqrt = _unary(
    "rsqrt",
    "inverseSqrt({0})",
    lambda x: 1 / np.sqrt(x),
    lambda g, out, x: (g * -0.5 * (out * out * out),),
    "``1 / sqrt(x)``.",
)
reciprocal = _unary("reciprocal", "(1.0 / {0})", np.reciprocal, lambda g, out, x: (-g * out * out,), "``1 / x``.")
sin = _unary("sin", "sin({0})", np.sin, lambda g, out, x: (g * x.cos(),), "Sine of radians.", cost=4)
cos = _unary("cos", "cos({0})", np.cos, lambda g, out, x: (-g * x.sin(),), "Cosine of radians.", cost=4)
tanh = _unary(
    "tanh",
    "tanh_f32({0})",
    np.tanh,
    lambda g, out, x: (g * (1.0 - out * out),),
    "Hyperbolic tangent.",
    cost=6,
    functional=True,
)
floor = _unary("floor", "floor({0})", np.floor, lambda g, out, x: (g * 0.0,), "Round down.")
ceil = _unary("ceil", "ceil({0})", np.ceil, lambda g, out, x: (g * 0.0,), "Round up.")
round = _unary("round", "round({0})", np.round, lambda g, out, x: (g * 0.0,), "Round half to even.")
sigmoid = _unary(
    "sigmoid",
    "(1.0 / (1.0 + exp_f32(-{0})))",
    lambda x: (1 / (1 + np.exp(-x))).astype(np.float32),
    lambda g, out, x: (g * out * (1.0 - out),),
    "``1 / (1 + exp(-x))``.",
    cost=5,
    functional=True,
)
_erf_vector = np.vectorize(math.erf, otypes=[np.float32])
erf = _unary(
    "erf",
    "erf_f32({0})",
    lambda x: _erf_vector(x) if x.size else x,
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
    return apply(ISNAN, cast(x, dtypes.float32))


@public(method=True)
def isfinite(x: Tensor) -> Tensor:
    """Whether each element is neither infinite nor NaN; bool."""
    return apply(ISFINITE, cast(x, dtypes.float32))


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
    return _binary(POW, base, exponent)


@public(method=True)
def square(x: Tensor) -> Tensor:
    """``x * x``."""
    return mul(x, x)


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
        node.value = provider()
        pack_scalars([(node.value, dtype)])  # now, while nothing that depends on it has been recorded
    else:
        recording.scalars.append(node)
    return Tensor._from_node(node)


def iota(shape: tuple[int, ...], axis: int, dtype: DType = dtypes.int32) -> Tensor:
    """Each element's index along ``axis``."""
    return Tensor._from_node(graph.iota(shape, axis, dtype))
