"""PyTorch's ``torch.finfo`` and ``torch.iinfo``."""

from __future__ import annotations

import numpy as np

from tabgrad.dtypes import DType, bfloat16, float32
from tabgrad.errors import DTypeError

_BFLOAT16 = {"bits": 16, "eps": 2.0**-7, "max": (2 - 2.0**-7) * 2.0**127, "tiny": 2.0**-126, "resolution": 0.01}


class finfo:
    """Limits of a floating-point dtype: ``bits``, ``eps``, ``max``, ``min``, ``tiny``, ``resolution``."""

    def __init__(self, type: DType = float32) -> None:
        if not isinstance(type, DType) or not type.is_floating_point:
            raise DTypeError(f"finfo: expected a floating-point dtype, got {type!r}; iinfo is for integers")
        if type is bfloat16:
            known = _BFLOAT16
        else:
            found = np.finfo(type.storage)
            known = {name: float(getattr(found, name)) for name in ("bits", "eps", "max", "tiny")}
            known["resolution"] = 10.0**-found.precision
        self.dtype = type.name
        self.bits = int(known["bits"])
        self.eps, self.max, self.min = known["eps"], known["max"], -known["max"]
        self.tiny = self.smallest_normal = known["tiny"]
        self.resolution = known["resolution"]

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "tiny", "smallest_normal")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in names)}, dtype={self.dtype})"


class iinfo:
    """Limits of an integer dtype: ``bits``, ``max``, ``min``. int64 has those of int32, which it is stored as."""

    def __init__(self, type: DType) -> None:
        if not isinstance(type, DType) or type.category != 1:
            raise DTypeError(f"iinfo: expected an integer dtype, got {type!r}; finfo is for floating-point ones")
        found = np.iinfo(type.storage)
        self.dtype = type.name
        self.bits, self.max, self.min = found.bits, int(found.max), int(found.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


__all__ = ["finfo", "iinfo"]
