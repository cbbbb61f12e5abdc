"""The element types of tensors: how they are stored, and in which type they are computed.

Types of one or two bytes are storage: several elements share a u32 word of a WGSL buffer, and arithmetic is done in
float32 or int32. ``int64`` (PyTorch's label dtype) is an alias of ``int32``: values are accepted where they fit.
``float64`` exists on the reference device; a GPU refuses it, or takes ``float32`` in its place where a session says so.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tabgrad.errors import DTypeError

WORD_BYTES = 4  # of a WGSL buffer's elements
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False, kw_only=True)  # one instance each, compared by identity, which is fast
class DType:
    """An element type.

    In WGSL texts, ``{0}`` is a value, ``{word}`` a word of memory, and ``{lane}`` which of its elements is meant.
    """

    name: str  # PyTorch's
    category: int  # 0 bool, 1 integer, 2 floating point: the higher one wins in promotion
    storage: np.dtype  # form in memory; bool is a u32 that is 0 or 1
    wgsl: str  # the type of its values in a shader
    convert: str  # WGSL: a value of another dtype as one of this
    load: str = "{word}"  # WGSL: a value from memory
    bits: str = "{0}"  # WGSL: a value's storage bits, in the low bits of a word
    wide: DType | None = None  # the type in which a narrow type is computed
    unpack: Callable[[np.ndarray], np.ndarray] = lambda stored: stored  # NumPy: values to compute with
    pack: Callable[[np.ndarray], np.ndarray] | None = None  # NumPy: values in storage form
    itemsize: int = field(init=False)  # bytes per element
    per_word: int = field(init=False)  # elements per word

    def __post_init__(self) -> None:
        object.__setattr__(self, "itemsize", self.storage.itemsize)
        object.__setattr__(self, "per_word", max(1, WORD_BYTES // self.storage.itemsize))

    @property
    def is_floating_point(self) -> bool:
        """Whether the dtype can carry gradients."""
        return self.category == 2

    @property
    def is_signed(self) -> bool:
        """Whether it can hold negative numbers."""
        return self.storage.kind != "u" or self.is_floating_point

    @property
    def is_narrow(self) -> bool:
        """Whether it is only a storage type, computed in :attr:`computed`."""
        return self.wide is not None

    @property
    def array(self) -> np.dtype:
        """The NumPy dtype of values to compute with."""
        return np.dtype(np.bool_) if self.category == 0 else self.computed.storage

    @property
    def computed(self) -> DType:
        """The dtype of values in registers."""
        return self.wide or self

    def bytes_of(self, elements: int) -> int:
        """The size in memory of a number of elements, in whole words; at least one word."""
        return max(1, -(-elements * self.itemsize // WORD_BYTES)) * WORD_BYTES

    def stored(self, values: np.ndarray) -> np.ndarray:
        """Values in storage form, C-contiguous; numbers are rounded, integers wrap around."""
        return np.ascontiguousarray(values if self.pack is None else self.pack(values), self.storage)

    def __repr__(self) -> str:
        means_torch = getattr(sys.modules.get("torch"), "__name__", "") == "tabgrad"  # as install_as_torch has it
        return f"{'torch' if means_torch else 'tabgrad'}.{self.name}"


def _packed_bfloat16(values: np.ndarray) -> np.ndarray:
    """The upper halves of float32 numbers, rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(values), (bits >> np.uint32(16)) | np.uint32(0x40), rounded).astype(np.uint16)


def _packed_float16(values: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # overflow gives infinity, as in PyTorch
        return np.asarray(values).astype(np.float16)


bool_ = DType(
    name="bool", category=0, storage=np.dtype(np.uint32), wgsl="bool", convert="bool({0})",
    load="({word} != 0u)", bits="select(0u, 1u, {0})", unpack=lambda stored: stored != 0,
)  # fmt: skip
uint32 = DType(name="uint32", category=1, storage=np.dtype(np.uint32), wgsl="u32", convert="u32({0})")
int32 = DType(name="int32", category=1, storage=np.dtype(np.int32), wgsl="i32", convert="i32({0})")
float32 = DType(name="float32", category=2, storage=np.dtype(np.float32), wgsl="f32", convert="f32({0})")
uint8 = DType(
    name="uint8", category=1, storage=np.dtype(np.uint8), wgsl="i32", wide=int32,
    convert="(i32({0}) & 255i)", load="i32(({word} >> ({lane} * 8u)) & 255u)", bits="(bitcast<u32>({0}) & 255u)",
    unpack=lambda stored: stored.astype(np.int32), pack=lambda values: np.asarray(values).astype(np.int64),
)  # fmt: skip
int8 = DType(
    name="int8", category=1, storage=np.dtype(np.int8), wgsl="i32", wide=int32,
    convert="((i32({0}) << 24u) >> 24u)", load="(bitcast<i32>({word} << (24u - {lane} * 8u)) >> 24u)",
    bits="(bitcast<u32>({0}) & 255u)",
    unpack=lambda stored: stored.astype(np.int32), pack=lambda values: np.asarray(values).astype(np.int64),
)  # fmt: skip
int16 = DType(
    name="int16", category=1, storage=np.dtype(np.int16), wgsl="i32", wide=int32,
    convert="((i32({0}) << 16u) >> 16u)", load="(bitcast<i32>({word} << (16u - {lane} * 16u)) >> 16u)",
    bits="(bitcast<u32>({0}) & 65535u)",
    unpack=lambda stored: stored.astype(np.int32), pack=lambda values: np.asarray(values).astype(np.int64),
)  # fmt: skip
float16 = DType(
    name="float16", category=2, storage=np.dtype(np.float16), wgsl="f32", wide=float32,
    convert="round_f16(f32({0}))", load="f16_value(({word} >> ({lane} * 16u)) & 65535u)", bits="f16_bits({0})",
    unpack=lambda stored: stored.astype(np.float32), pack=_packed_float16,
)  # fmt: skip
bfloat16 = DType(
    name="bfloat16", category=2, storage=np.dtype(np.uint16), wgsl="f32", wide=float32,
    convert="round_bf16(f32({0}))", load="bitcast<f32>(({word} >> ({lane} * 16u)) << 16u)", bits="bf16_bits({0})",
    unpack=lambda stored: (stored.astype(np.uint32) << np.uint32(16)).view(np.float32), pack=_packed_bfloat16,
)  # fmt: skip
float64 = DType(name="float64", category=2, storage=np.dtype(np.float64), wgsl="f64", convert="f64({0})")
"""Of the reference device alone: WGSL has no such type."""
int64 = int32
long = int32

BY_NAME: dict[str, DType] = {d.name: d for d in list(globals().values()) if isinstance(d, DType)}

# dtype.name is a new string at each look, and some of them stay
_BY_NUMPY: dict[np.dtype, DType] = {np.dtype(name): d for name, d in BY_NAME.items() if name != "bfloat16"}


def promote(a: DType, b: DType) -> DType:
    """The dtype of a result that mixes ``a`` and ``b``, as PyTorch promotes.

    An unsigned and a signed integer give the narrowest signed one that holds both; int32 where none does, as int64 is
    stored so.
    """
    if a.category != b.category:
        return a if a.category > b.category else b
    if a is b:
        return a
    if a.category == 2:
        return float64 if float64 in (a, b) else float32
    if a.is_signed != b.is_signed:
        signed, unsigned = (a, b) if a.is_signed else (b, a)
        wider = [d for d in BY_NAME.values() if d.category == 1 and d.is_signed and d.itemsize > unsigned.itemsize]
        return min([d for d in wider if d.itemsize >= signed.itemsize], key=lambda d: d.itemsize, default=int32)
    return a if a.itemsize > b.itemsize else b


def from_numpy_dtype(dtype: np.dtype) -> DType:
    """The dtype that holds a NumPy array's values without loss.

    Raises:
        DTypeError: complex and object arrays.
    """
    found = _BY_NUMPY.get(dtype)
    if found is not None:
        return found
    if dtype.kind in "iu":
        return int32
    raise DTypeError(
        f"tensor: expected float, integer or bool values, got {dtype}; "
        f"convert first, for example with array.astype('float32') or dtype=tabgrad.float32"
    )


def to_storage(array: np.ndarray, dtype: DType, caller: str = "tensor") -> np.ndarray:
    """A C-contiguous copy or view of ``array`` in the dtype's storage form.

    Raises:
        DTypeError: an integer does not fit in 32 bits, or a NaN would be converted to an integer.
    """
    if dtype.category == 1 and array.size and array.dtype.kind in "iuf":
        low, high = array.min(), array.max()
        info = np.iinfo(dtype.storage)
        if not (low >= info.min and high <= info.max):  # NaN fails both
            raise DTypeError(
                f"{caller}: expected {dtype.name} values in [{info.min}, {info.max}], got [{low}, {high}]; "
                f"{'64-bit integers are stored in 32 bits' if dtype.itemsize == 4 else 'choose a wider dtype'}"
            )
    return dtype.stored(array != 0 if dtype is bool_ else array)


def constant(value: float | int | bool, dtype: DType, caller: str = "tensor") -> float | int | bool:
    """A Python number as ``dtype``.

    A float that is too large for float32 becomes an infinity, as in PyTorch; :func:`check_fits` refuses it.

    Raises:
        DTypeError: an integer does not fit in 32 bits, or in a float.
    """
    if dtype is bool_:
        return bool(value)
    if isinstance(value, int) and not -LARGEST_FLOAT32 <= value <= LARGEST_FLOAT32:
        raise DTypeError(
            f"{caller}: expected a number that {dtype.name} holds, got an integer of {_digits(value)} digits"
        )
    if dtype is float32:
        return float(value)
    return dtype.unpack(to_storage(np.asarray(value), dtype, caller)).item()


def check_fits(caller: str, *values: object) -> None:
    """Raise if a finite number would become an infinity in float32.

    Raises:
        DTypeError: names the number, and the largest that fits.
    """
    for value in values:
        if isinstance(value, int | float) and abs(value) > LARGEST_FLOAT32 and value not in (math.inf, -math.inf):
            got = f"an integer of {_digits(value)} digits" if isinstance(value, int) else repr(value)
            raise DTypeError(f"{caller}: expected numbers that float32 holds, of at most 3.4028235e+38, got {got}")


def _digits(value: int) -> int:
    return math.floor(math.log10(abs(value))) + 1


def from_storage(raw: np.ndarray, dtype: DType) -> np.ndarray:
    """Stored values for users: bool as NumPy's bool, and bfloat16 as float32, because NumPy lacks it."""
    values = raw.view(dtype.storage)
    return dtype.unpack(values) if dtype in (bool_, bfloat16) else values


def whole_words(array: np.ndarray) -> np.ndarray:
    """Stored values as bytes, padded to whole words for devices."""
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    missing = -raw.size % WORD_BYTES
    return np.concatenate([raw, np.zeros(missing, np.uint8)]) if missing else raw
