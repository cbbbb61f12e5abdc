"""``tabgrad.save`` and ``tabgrad.load``: PyTorch's files, and safetensors files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from tabgrad.atomic_file import write_atomically
from tabgrad.data.source import Source, read_bytes, read_path
from tabgrad.dtypes import DType
from tabgrad.errors import FileFormatError
from tabgrad.interop import safetensors
from tabgrad.tensor import Tensor

_ENDING = ".safetensors"


def save(
    obj: Any,
    f: str | os.PathLike[str] | IO[bytes],
    metadata: Mapping[str, str] | None = None,
    **kwargs: Any,
) -> None:
    """Write an object with tensors in it to a file, which ``torch.load`` reads.

    Files whose names end in ``.safetensors``, those with ``metadata``, and those of named arrays are safetensors files,
    which hold nothing but tensors by name. A path is written atomically: after an error, an existing file is unchanged.
    Tensors are read, which blocks; where the browser cannot block, pass arrays from ``await tg.read(...)``.

    Args:
        obj: tensors, numbers, texts, tuples, lists, dicts; also modules, which tabgrad alone reads again.
        f: a path, or a file that is open for writing bytes.
        metadata: texts by name, for a safetensors file.

    Raises:
        pickle.PicklingError: something in ``obj`` cannot be written.
    """
    if kwargs.pop("_use_new_zipfile_serialization", True) is not True:
        raise NotImplementedError("save: PyTorch's former format is not written; leave _use_new_zipfile_serialization")
    path = os.fspath(f) if isinstance(f, str | os.PathLike) else None
    if metadata is not None or (path is not None and path.endswith(_ENDING)) or _is_named_arrays(obj):
        data = safetensors.save(obj, metadata)
    else:
        from tabgrad.interop.torch_archive import write_archive  # here: a page starts without it

        data = write_archive(obj, "archive" if path is None else os.path.basename(path), **kwargs)
    if path is None:
        f.write(data)  # type: ignore[union-attr]
    else:
        write_atomically(data, path, caller="save")


def load(
    f: Source,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    dtype: DType | None = None,
    **pickle_load_args: Any,
) -> Any:
    """What :func:`save` or PyTorch's wrote: its zip format, and safetensors files.

    All devices are the session's, so ``map_location`` changes nothing. 64-bit integers become int32 if they fit.

    Args:
        f: a path, bytes, or a file that is open for reading.
        weights_only: False lets the file name any class or function, which runs code: for files that you trust.
        dtype: of a safetensors file, ``tabgrad.float32`` converts all its floats.

    Raises:
        FileFormatError: the file is malformed, or of PyTorch's format before 1.6.
        FileNotFoundError: there is none.
        pickle.UnpicklingError: it needs more than tensors and plain data, and ``weights_only`` is not False.
    """
    if isinstance(f, str | os.PathLike):
        data, name = read_path(f, caller="load_file")
    else:
        data, name = read_bytes(f, caller="load")
    if data[:2] == b"PK":
        from tabgrad.interop.torch_archive import read_archive  # here: a page starts without it

        return read_archive(data, name, weights_only=weights_only is not False)
    if data[:2] == b"\x80\x02":
        raise FileFormatError(
            f"load: expected PyTorch's zip format or safetensors, got PyTorch's format before 1.6 in {name}; "
            "write it again there: torch.save(torch.load(f), f)"
        )
    return safetensors._load(data, dtype, name)


def _is_named_arrays(obj: Any) -> bool:
    return (
        isinstance(obj, Mapping)
        and all(isinstance(value, Tensor | np.ndarray) for value in obj.values())
        and any(isinstance(value, np.ndarray) for value in obj.values())
    )


__all__ = ["load", "save"]
