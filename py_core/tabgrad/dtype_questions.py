"""How dtypes combine, and the default one."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import DTypeError
from tabgrad.ops._broadcast import result_dtype
from tabgrad.tensor import Tensor


def result_type(tensor1: Any, tensor2: Any) -> DType:
    """The dtype of a result of two operands, tensors or numbers."""
    for operand in (tensor1, tensor2):
        if not isinstance(operand, Tensor | bool | int | float):
            raise TypeError(f"result_type: expected tensors or numbers, got {type(operand).__name__}")
    return result_dtype(tensor1, tensor2)


def promote_types(type1: DType, type2: DType) -> DType:
    """The dtype of a result that mixes two dtypes."""
    for dtype in (type1, type2):
        if not isinstance(dtype, DType):
            raise TypeError(f"promote_types: expected dtypes, got {dtype!r}")
    return dtypes.promote(type1, type2)


def can_cast(from_: DType, to: DType) -> bool:
    """Whether a result of one dtype may be written to a tensor of another: not floats to integers, numbers to bools."""
    for dtype in (from_, to):
        if not isinstance(dtype, DType):
            raise TypeError(f"can_cast: expected dtypes, got {dtype!r}")
    signs = to.is_signed or not from_.is_signed or from_.category != 1 or to.category != 1
    return from_.category <= to.category and signs


def get_default_dtype() -> DType:
    """That of floats without a dtype: float32."""
    return dtypes.float32


def set_default_dtype(d: DType) -> None:
    """Accepts float32, which is the default.

    Raises:
        DTypeError: another dtype.
    """
    if d is not dtypes.float32:
        raise DTypeError(
            f"set_default_dtype: expected float32, the only default dtype here, got {d!r}; pass dtype= where it matters"
        )


__all__ = ["can_cast", "get_default_dtype", "promote_types", "result_type", "set_default_dtype"]
