"""Conversion of users' arrays to dtypes that tensors have.

``float32``, ``float16``, ``int32``, ``uint8``, ``int8`` and ``bool`` are kept. 16-bit integers widen, which loses
nothing. ``int64`` is stored as ``int32`` if every value fits. Everything else is an error: precision is never
reduced implicitly.
"""

from __future__ import annotations

import numpy as np

from tabgrad.errors import DTypeError

_INT32 = np.iinfo(np.int32)


def host_array(array: object, *, caller: str) -> np.ndarray:
    """``array`` as a C-contiguous NumPy array of a dtype that tensors have.

    Args:
        array: anything that ``np.asarray`` takes. Python floats count as float32, as in PyTorch.
        caller: the function named in error messages, e.g. ``"TensorDataset"``.

    Raises:
        DTypeError: float64 values, an integer that int32 cannot hold, or values that are not numbers.
    """
    x = np.asarray(array)
    if x.dtype == np.float64 and not isinstance(array, (np.ndarray, np.generic)):
        x = x.astype(np.float32)
    kind, size = x.dtype.kind, x.dtype.itemsize
    if kind == "b" or x.dtype in (np.float32, np.float16, np.int32, np.uint8, np.int8):
        pass
    elif kind in "iu" and size < 4:
        x = x.astype(np.int32)
    elif kind in "iu":
        x = _narrow(x, caller)
    elif kind == "f":
        raise DTypeError(
            f"{caller}: expected float32, float16, integers or bool, got {x.dtype} of shape {list(x.shape)}; "
            "the core computes in float32, so pass x.astype(np.float32)"
        )
    else:
        raise DTypeError(
            f"{caller}: expected numbers or booleans, got dtype {x.dtype}; encode the values as float32 or int32 first"
        )
    # ascontiguousarray turns a scalar into [1], so scalars are left alone
    return np.ascontiguousarray(x) if x.ndim else x


def _narrow(x: np.ndarray, caller: str) -> np.ndarray:
    if x.size:
        low, high = int(x.min()), int(x.max())
        if low < _INT32.min or high > _INT32.max:
            worst = high if high > _INT32.max else low
            raise DTypeError(
                f"{caller}: expected integers within int32, got {worst} in an array of {x.dtype}; "
                f"{x.dtype} is stored as int32, so renumber the values to fit "
                f"{_INT32.min}..{_INT32.max}"
            )
    return x.astype(np.int32)
