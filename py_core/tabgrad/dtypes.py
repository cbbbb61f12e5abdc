"""The element types a tensor can have. All take four bytes, as WGSL's storage buffers do.

``int64`` (PyTorch's label dtype) is an alias of ``int32``: values are accepted where they fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tabgrad.errors import DTypeError

ITEM_BYTES = 4
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)  # each exists once: compared by identity, which is quick
class DType:
    """An element type: its PyTorch name, how NumPy stores it, what WGSL calls it."""

    name: str
    storage: np.dtype  # how the bytes lie in a buffer; bool is a u32 that is 0 or 1
    wgsl: str
    priority: int  # the higher one wins in type promotion

    @property
    def is_floating_point(self) -> bool:
        """Whether the dtype can carry gradients."""
        return self.name == "float32"

    def __repr__(self) -> str:
        return f"tabgrad.{self.name}"


bool_ = DType("bool", np.dtype(np.uint32), "bool", 0)
uint32 = DType("uint32", np.dtype(np.uint32), "u32", 1)
int32 = DType("int32", np.dtype(np.int32), "i32", 2)
float32 = DType("float32", np.dtype(np.float32), "f32", 3)
int64 = int32
long = int32

BY_NAME = {d.name: d for d in (bool_, uint32, int32, float32)}


def promote(a: DType, b: DType) -> DType:
    """The dtype of a result that mixes ``a`` and ``b``, as PyTorch promotes."""
    return a if a.priority >= b.priority else b


def from_numpy_dtype(dtype: np.dtype) -> DType:
    """The dtype that holds a NumPy array's values without loss.

    Raises:
        DTypeError: 16- and 64-bit floats, complex and object arrays, which no device here stores.
    """
    if dtype == np.float32:
        return float32
    if dtype == np.bool_:
        return bool_
    if dtype == np.uint32:
        return uint32
    if dtype.kind in "iu":
        return int32
    raise DTypeError(
        f"tensor: expected float32, integer or bool values, got {dtype}; "
        f"convert first, for example with array.astype('float32') or dtype=tabgrad.float32"
    )


def to_storage(array: np.ndarray, dtype: DType, caller: str = "tensor") -> np.ndarray:
    """A C-contiguous copy or view of ``array`` in the dtype's storage form.

    Raises:
        DTypeError: an integer does not fit in 32 bits, or a NaN shall become one.
    """
    if dtype in (int32, uint32) and array.size and array.dtype.kind in "iuf":
        low, high = array.min(), array.max()
        info = np.iinfo(dtype.storage)
        if not (low >= info.min and high <= info.max):  # NaN fails both
            raise DTypeError(
                f"{caller}: expected {dtype.name} values in [{info.min}, {info.max}], got [{low}, {high}]; "
                f"64-bit integers are stored in 32 bits"
            )
    if dtype is bool_:
        array = array != 0
    return np.ascontiguousarray(array, dtype=dtype.storage)


def constant(value: float | int | bool, dtype: DType, caller: str = "tensor") -> float | int | bool:
    """A Python number as ``dtype``.

    A float that float32 cannot hold is an infinity, as in PyTorch; :func:`check_fits` refuses it.

    Raises:
        DTypeError: an integer does not fit in 32 bits, or in a float.
    """
    if dtype is bool_:
        return bool(value)
    if isinstance(value, int) and not -LARGEST_FLOAT32 <= value <= LARGEST_FLOAT32:
        raise DTypeError(
            f"{caller}: expected a number that {dtype.name} holds, got an integer of {_digits(value)} digits"
        )
    return float(value) if dtype.is_floating_point else to_storage(np.asarray(value), dtype, caller).item()


def check_fits(caller: str, *values: object) -> None:
    """Raise if float32 holds one of these numbers only as an infinity, which it is not.

    Raises:
        DTypeError: names it, and the largest that fits.
    """
    for value in values:
        if isinstance(value, int | float) and abs(value) > LARGEST_FLOAT32 and value not in (math.inf, -math.inf):
            got = f"an integer of {_digits(value)} digits" if isinstance(value, int) else repr(value)
            raise DTypeError(f"{caller}: expected numbers that float32 holds, of at most 3.4028235e+38, got {got}")


def _digits(value: int) -> int:
    return math.floor(math.log10(abs(value))) + 1


def from_storage(raw: np.ndarray, dtype: DType) -> np.ndarray:
    """The user's view of stored values: bool comes back as NumPy's bool."""
    values = raw.view(dtype.storage)
    return values.astype(np.bool_) if dtype is bool_ else values
