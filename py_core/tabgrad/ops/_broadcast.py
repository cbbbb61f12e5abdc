"""Bring operands to one shape and dtype, as PyTorch's broadcasting and type promotion do."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import ShapeError
from tabgrad.graph import node as graph
from tabgrad.graph.op import Shape
from tabgrad.tensor import Tensor
from tabgrad.tracing.number import Number


def broadcast_shapes(*shapes: Shape, caller: str = "broadcast") -> Shape:
    """The common shape.

    Raises:
        ShapeError: two sizes differ and neither is 1.
    """
    ndim = max((len(s) for s in shapes), default=0)
    out = [1] * ndim
    for shape in shapes:
        for i, n in enumerate(shape, start=ndim - len(shape)):
            if n != 1 and out[i] not in (1, n):
                listed = " and ".join(str(list(s)) for s in shapes)
                raise ShapeError(
                    f"{caller}: expected shapes that broadcast, got {listed}; sizes must be equal or 1, from the right"
                )
            if n != 1:
                out[i] = n
    return tuple(out)


def scalar_dtype(value: Any) -> DType:
    """The dtype a Python number has of its own accord."""
    if isinstance(value, bool):
        return dtypes.bool_
    return dtypes.int32 if isinstance(value, int) else dtypes.float32


def _weak(operand: Any) -> DType | None:
    """A number's dtype, which yields to a tensor's of the same category; None for tensors."""
    number = operand.item() if isinstance(operand, np.generic) else operand
    return scalar_dtype(number) if isinstance(number, bool | int | float) else None


def result_dtype(*operands: Any) -> DType:
    """Type promotion, as ``torch.result_type``.

    Tensors with dimensions come first; 0-d tensors, and after them Python numbers, count only where they are of a
    higher category (bool, integer, floating point).
    """
    whole: DType | None = None
    single: DType | None = None
    number: DType | None = None
    for operand in operands:  # this is on the path of every op of two tensors
        if isinstance(operand, np.ndarray):
            of_array = dtypes.from_numpy_dtype(operand.dtype)
            if operand.ndim:
                whole = _promoted(whole, of_array)
            else:
                single = _promoted(single, of_array)
        elif not isinstance(operand, Tensor):
            number = _promoted(number, _weak(operand))
        elif operand._node.shape:
            whole = _promoted(whole, operand._node.dtype)
        else:
            single = _promoted(single, operand._node.dtype)
    if whole is not None and single is number is None:
        return whole
    found = _raised(whole, _raised(single, number))
    assert found is not None, operands
    return found


def _promoted(found: DType | None, dtype: DType | None) -> DType | None:
    if found is None or dtype is None or found is dtype:
        return found or dtype
    return dtypes.promote(found, dtype)


def _raised(first: DType | None, second: DType | None) -> DType | None:
    """The first, unless the second is of a higher category."""
    if first is None or second is None:
        return first or second
    return second if second.category > first.category else first


def as_tensor(value: Any, dtype: DType | None = None, shape: Shape = ()) -> Tensor:
    """``value`` as a tensor; Python numbers become constants of the program."""
    if isinstance(value, Tensor):
        return value if dtype is None or value.dtype is dtype else value.to(dtype)
    if type(value) is Number:  # one that differs from round to round of a loop
        scalar = value.scalar(dtype or scalar_dtype(value))
        if scalar is None:
            return as_tensor(value.value, dtype, shape)
        made = Tensor._from_node(scalar)
        return made.broadcast_to(shape) if shape else made
    if isinstance(value, bool | int | float):
        target = dtype or scalar_dtype(value)
        return Tensor._from_node(graph.const(dtypes.constant(value, target), shape, target))
    if isinstance(value, np.generic):
        return as_tensor(value.item(), dtype, shape)
    made = Tensor._of(value)
    return made if dtype is None else made.to(dtype)


def operands(caller: str, *values: Any, dtype: DType | None = None) -> list[Tensor]:
    """All operands in one dtype and one shape."""
    target = dtype or result_dtype(*values)
    shape = broadcast_shapes(*(tuple(v.shape) for v in values if hasattr(v, "shape")), caller=caller)
    found = (as_tensor(v, target, shape) for v in values)
    return [t if t.shape == shape else t.broadcast_to(shape) for t in found]
