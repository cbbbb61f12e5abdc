"""The limits of dtypes, as ``torch.finfo`` and ``torch.iinfo`` tell them."""

from __future__ import annotations

import numpy as np

from tabgrad import dtypes
from tabgrad.dtypes import DType


class finfo:
    """Limits of a floating-point dtype.

    Attributes:
        bits: of an element.
        eps: from 1 to the next larger number.
        max, min: the largest and the lowest number.
        tiny, smallest_normal: the smallest positive number of full precision.
        resolution: what decimal digits are good for.

    Raises:
        TypeError: the dtype is not floating point.
    """

    def __init__(self, dtype: DType = dtypes.float32) -> None:
        if not isinstance(dtype, DType) or not dtype.is_floating_point:
            raise TypeError(f"finfo: expected a floating-point dtype, got {dtype!r}; use iinfo for integers")
        self.dtype = dtype.name
        self.bits = dtype.itemsize * 8
        if dtype is dtypes.bfloat16:
            self.eps, self.max, self.tiny, self.resolution = 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126, 0.01
        else:
            info = np.finfo(dtype.storage)
            self.eps, self.max, self.tiny = float(info.eps), float(info.max), float(info.tiny)
            self.resolution = 10.0**-info.precision
        self.min = -self.max
        self.smallest_normal = self.tiny

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """Limits of an integer dtype; of int64 those of int32, which it is stored as.

    Attributes:
        bits: of an element.
        max, min: the largest and the lowest number.

    Raises:
        TypeError: the dtype is not one of integers.
    """

    def __init__(self, dtype: DType) -> None:
        if not isinstance(dtype, DType) or dtype.category != 1:
            raise TypeError(f"iinfo: expected an integer dtype, got {dtype!r}; use finfo for floats")
        info = np.iinfo(dtype.storage)
        self.dtype, self.bits, self.max, self.min = dtype.name, int(info.bits), int(info.max), int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


__all__ = ["finfo", "iinfo"]
