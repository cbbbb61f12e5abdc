"""PyTorch's old constructors, one for each dtype: ``FloatTensor(2, 3)``, ``LongTensor([1, 2])``."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.ops.creation import zeros
from tabgrad.tensor import Tensor


class TensorType:
    """Makes tensors of one dtype, of sizes (filled with 0) or of values; ``isinstance`` asks for the dtype.

    Raises:
        TypeError: neither sizes nor a sequence of values are given.
    """

    def __init__(self, name: str, dtype: DType) -> None:
        self.__name__, self.dtype = name, dtype

    def __call__(self, *data: Any) -> Tensor:
        if len(data) == 1 and isinstance(data[0], Tensor):
            return data[0].to(self.dtype)
        if len(data) == 1 and isinstance(data[0], list | tuple | range | np.ndarray):
            return Tensor._of(data[0], self.dtype)
        if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in data):
            raise TypeError(f"{self.__name__}: expected sizes, or one sequence of values, got {data}; use tensor(...)")
        return zeros(*(data or (0,)), dtype=self.dtype)

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, Tensor) and value.dtype is self.dtype

    def __repr__(self) -> str:
        return f"tabgrad.{self.__name__}"


FloatTensor = TensorType("FloatTensor", dtypes.float32)
HalfTensor = TensorType("HalfTensor", dtypes.float16)
BFloat16Tensor = TensorType("BFloat16Tensor", dtypes.bfloat16)
LongTensor = TensorType("LongTensor", dtypes.int64)
IntTensor = TensorType("IntTensor", dtypes.int32)
CharTensor = TensorType("CharTensor", dtypes.int8)
ByteTensor = TensorType("ByteTensor", dtypes.uint8)
BoolTensor = TensorType("BoolTensor", dtypes.bool_)

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "FloatTensor", "HalfTensor", "IntTensor",
    "LongTensor", "TensorType",
]  # fmt: skip
