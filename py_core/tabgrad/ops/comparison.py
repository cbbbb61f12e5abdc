"""Comparison, logic, choice by a condition, and conversion between dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply
from tabgrad.dtypes import DType
from tabgrad.errors import DTypeError
from tabgrad.graph.op import Elementwise, Op, elementwise_op, register, same_shape
from tabgrad.late import load_function
from tabgrad.names import PUBLIC, public
from tabgrad.ops._broadcast import as_tensor, broadcast_shapes, operands
from tabgrad.session import current
from tabgrad.tensor import Tensor

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


@public(method=True, operator="eq", inplace=True, out=True)
def eq(input: Tensor, other: Tensor | float) -> Tensor:
    """``input == other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return _equality("eq", EQ, EQ_F, input, other)


@public(method=True, operator="ne", aliases=("not_equal",), inplace=True, out=True)
def ne(input: Tensor, other: Tensor | float) -> Tensor:
    """``input != other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return _equality("ne", NE, NE_F, input, other)


@public(method=True, operator="lt", aliases=("less",), inplace=True, out=True)
def lt(input: Tensor, other: Tensor | float) -> Tensor:
    """``input < other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return _order(LT, input, other)


@public(method=True, operator="le", aliases=("less_equal",), inplace=True, out=True)
def le(input: Tensor, other: Tensor | float) -> Tensor:
    """``input <= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return _order(LE, input, other)


@public(method=True, operator="gt", aliases=("greater",), inplace=True, out=True)
def gt(input: Tensor, other: Tensor | float) -> Tensor:
    """``input > other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return _order(GT, input, other)


@public(method=True, operator="ge", aliases=("greater_equal",), inplace=True, out=True)
def ge(input: Tensor, other: Tensor | float) -> Tensor:
    """``input >= other``, broadcast; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return _order(GE, input, other)


AND = elementwise_op("logical_and", "({0} && {1})", np.logical_and, None, dtypes.bool_)
OR = elementwise_op("logical_or", "({0} || {1})", np.logical_or, None, dtypes.bool_)
NOT = elementwise_op("logical_not", "(!{0})", np.logical_not, None, dtypes.bool_)


@public(method=True, inplace=True, out=True, only_tensors=True)
def logical_and(input: Any, other: Any) -> Tensor:
    """Both nonzero; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return apply(AND, *operands("logical_and", input, other, dtype=dtypes.bool_))


@public(method=True, inplace=True, out=True, only_tensors=True)
def logical_or(input: Any, other: Any) -> Tensor:
    """Either nonzero; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return apply(OR, *operands("logical_or", input, other, dtype=dtypes.bool_))


@public(method=True, inplace=True, out=True)
def logical_not(input: Tensor) -> Tensor:
    """Zero; bool.

    Shape of ``input``.
    """
    return apply(NOT, cast(as_tensor(input), dtypes.bool_))


@public(method=True, inplace=True, out=True, only_tensors=True)
def logical_xor(input: Any, other: Any) -> Tensor:
    """Exactly one nonzero; bool.

    Raises:
        ShapeError: the shapes do not broadcast.
    """
    return apply(NE, *operands("logical_xor", input, other, dtype=dtypes.bool_))


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


@public(out=True)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """``input`` where ``condition`` holds, else ``other``; all broadcast.

    Args:
        condition: bool. Alone, its places are read back, as
            :func:`tabgrad.nonzero` with ``as_tuple=True`` does.
        input, other: tensors or numbers, promoted as in PyTorch.

    Raises:
        DTypeError: ``condition`` is not bool, or float32 cannot hold a number.
        ShapeError: the shapes do not broadcast.
    """
    if input is None or other is None:
        if input is not other:
            raise TypeError("where: expected input and other, or neither of them, got one")
        load_function("nonzero")
        return PUBLIC["nonzero"].function(condition, as_tuple=True)
    if condition.dtype not in (dtypes.bool_, dtypes.uint8):
        raise DTypeError(f"where: expected condition of bool, got {condition.dtype.name}; write condition != 0")
    dtypes.check_fits("where", input, other)
    x, y = operands("where", input, other)
    shape = broadcast_shapes(condition.shape, x.shape, caller="where")
    mask = cast(condition, dtypes.bool_)
    return apply(WHERE, *(t if t.shape == shape else t.broadcast_to(shape) for t in (mask, x, y)))


@public(top=False, also=("where",))
def where_of(input: Any, condition: Tensor, other: Any) -> Tensor:
    """``input`` where ``condition`` holds, else ``other``."""
    found: Tensor = where(condition, input, other)
    return found


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
    if dtype is dtypes.float64:
        dtype = (x._session or current()).stored_as(dtype)
    return ne(x, 0) if dtype is dtypes.bool_ else apply(CAST, x, dtype=dtype)
