"""Tensors in safetensors files, which PyTorch and most of its ecosystem read and write.

``save_file(model.state_dict(), "model.safetensors")`` here, ``safetensors.torch.load_file`` there,
and the other way round.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tabgrad.atomic_file import write_atomically
from tabgrad.data.host_array import host_array
from tabgrad.data.source import read_path
from tabgrad.dtypes import DType, float32
from tabgrad.errors import DTypeError, FileFormatError, TabgradError, shortened
from tabgrad.runtime.reads import read_now
from tabgrad.tensor import Tensor


def save(tensors: Mapping[str, Tensor | np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """Tensors by name as the bytes of a safetensors file.

    float32 is written as F32, integers as I32, bool as BOOL. Reading the tensors back suspends the
    caller; where the browser cannot do that, pass arrays: ``await tg.read(...)`` them first.

    Raises:
        TabgradError: a value is no tensor or array, such as in an optimizer's state dict.
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
    return write_bytes(arrays, metadata)


def save_file(
    tensors: Mapping[str, Tensor | np.ndarray],
    filename: str | os.PathLike[str],
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write tensors to ``filename``: all of it, or nothing and the file that was there stays.

    See :func:`tabgrad.atomic_file.write_atomically` for links, modes and what is refused.
    """
    write_atomically(save(tensors, metadata), filename, caller="save")


def load(data: bytes, *, dtype: DType | None = None) -> dict[str, Tensor]:
    """Tensors by name from the bytes of a safetensors file.

    Integers come as int32, where they fit.

    Args:
        dtype: ``tabgrad.float32`` also accepts F16, BF16 (exact) and F64 (rounded) tensors.

    Raises:
        FileFormatError: malformed or truncated; nothing is loaded then.
        DTypeError: floats that are not float32, unless asked by ``dtype``; integers beyond int32.
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
    return {key: Tensor._of(array) for key, array in held.items()}


def _held(key: str, array: np.ndarray, name: str, dtype: DType | None, source: str) -> Any:
    """The array in a dtype that a tensor can have."""
    if name not in ("F16", "BF16", "F64"):
        return host_array(array, caller=f"load: tensor {shortened(key)} of {source}")
    if dtype is None:
        effect = "rounds its values" if name == "F64" else "keeps its values exactly and doubles their size"
        raise DTypeError(
            f"load: expected F32 for tensor {shortened(key)} of {source}, got {name}, which no device here stores; "
            f"pass dtype=tabgrad.float32, which {effect}"
        )
    if name == "BF16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float32)
