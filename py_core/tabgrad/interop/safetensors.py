"""Tensors in safetensors files, which PyTorch and most of its ecosystem read and write.

For example, ``safetensors.torch.load_file`` reads what ``save_file(model.state_dict(), "model.safetensors")`` wrote.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tabgrad.atomic_file import write_atomically
from tabgrad.data.host_array import host_array
from tabgrad.data.source import read_path
from tabgrad.dtypes import DType, bfloat16, float32
from tabgrad.errors import DTypeError, FileFormatError, TabgradError, shortened
from tabgrad.runtime.reads import read_now
from tabgrad.tensor import Tensor


def save(tensors: Mapping[str, Tensor | np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a safetensors file with the given tensors.

    Each dtype has its own name: F32, F16, BF16, I32, I8, U8, U32, BOOL. Reading the tensors blocks
    the caller; where the browser cannot block, pass arrays from ``await tg.read(...)``.

    Raises:
        TabgradError: a value is not a tensor or array, as in an optimizer's state dict.
    """
    from tabgrad.interop.safetensors_format import write_bytes  # here: a page starts without it

    for name, value in tensors.items():
        if not isinstance(name, str) or not isinstance(value, (Tensor, np.ndarray)):
            raise TabgradError(
                f"save: expected tensors by name, got {shortened(name)}: {type(value).__name__}; "
                "safetensors files hold tensors only, so pass model.state_dict()"
            )
    on_device = [value.detach() for value in tensors.values() if isinstance(value, Tensor)]
    read = iter(read_now(*on_device))  # all in one transaction
    arrays = {name: next(read) if isinstance(value, Tensor) else value for name, value in tensors.items()}
    narrow = {k for k, v in tensors.items() if isinstance(v, Tensor) and v.dtype is bfloat16}
    arrays |= {name: bfloat16.stored(arrays[name]) for name in narrow}  # read as float32, which NumPy has
    return write_bytes(arrays, metadata, bfloat16=narrow)


def save_file(
    tensors: Mapping[str, Tensor | np.ndarray],
    filename: str | os.PathLike[str],
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write tensors to ``filename``, atomically: after an error, an existing file is unchanged.

    See :func:`tabgrad.atomic_file.write_atomically` for links, modes and errors.
    """
    write_atomically(save(tensors, metadata), filename, caller="save")


def load(data: bytes, *, dtype: DType | None = None) -> dict[str, Tensor]:
    """Tensors by name from the bytes of a safetensors file.

    F32, F16, BF16, I8, U8 and BOOL keep their dtype; other integers become int32 if they fit.

    Args:
        dtype: ``tabgrad.float32`` converts all floats, including F64 (rounded).

    Raises:
        FileFormatError: malformed or truncated; nothing is loaded.
        DTypeError: F64 without ``dtype``; integers that int32 cannot hold.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TabgradError(
            f"load: expected the bytes of a safetensors file, got {type(data).__name__}; load_file takes a path"
        )
    return _load(bytes(data), dtype, "the data")


def load_file(filename: str | os.PathLike[str], *, dtype: DType | None = None) -> dict[str, Tensor]:
    """Tensors by name from a safetensors file; see :func:`load`."""
    data, name = read_path(filename, caller="load_file")
    return _load(data, dtype, name)


def _load(data: bytes, dtype: DType | None, source: str) -> dict[str, Tensor]:
    if dtype not in (None, float32):
        raise NotImplementedError(f"load: dtype={dtype} is not supported; pass tabgrad.float32 or leave it out")
    from tabgrad.interop.safetensors_format import arrays_of  # here: a page starts without them
    from tabgrad.interop.safetensors_header import read_header

    entries, _, start = read_header(data, source)
    arrays = arrays_of(entries, data, start, source)
    names = {entry.name: entry.dtype for entry in entries}
    try:
        held = {key: _held(key, array, names[key], dtype, source) for key, array in arrays.items()}
    except MemoryError as error:
        raise FileFormatError(
            f"load: expected tensors that fit in memory as float32 and int32, got larger ones in {source}; "
            "save them in several files"
        ) from error
    kept = {"BF16": bfloat16} if dtype is None else {}
    return {key: Tensor._of(array, kept.get(names[key])) for key, array in held.items()}


def _held(key: str, array: np.ndarray, name: str, dtype: DType | None, source: str) -> Any:
    """The array, converted to a dtype that tensors have."""
    if name == "BF16":
        return bfloat16.unpack(array)  # exact
    if name == "F64" and dtype is None:
        raise DTypeError(
            f"load: expected F32, F16 or BF16 for tensor {shortened(key)} of {source}, got F64, which no device here "
            f"stores; pass dtype=tabgrad.float32, which rounds its values"
        )
    if dtype is not None and array.dtype.kind == "f":
        return array.astype(np.float32)
    return host_array(array, caller=f"load: tensor {shortened(key)} of {source}")
