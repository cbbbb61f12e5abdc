"""NumPy archives."""

from __future__ import annotations

import io
import zipfile
import zlib

import numpy as np

from tabgrad.data.dataset import TensorDataset
from tabgrad.data.source import Source, read_bytes
from tabgrad.errors import FileFormatError


def npz(source: Source, *names: str) -> TensorDataset:
    """Arrays of an ``.npz`` archive as a dataset.

    Args:
        source: a path, bytes, or a file open for reading.
        names: which arrays, in the order of a sample's fields; default all, in the archive's order.

    Raises:
        FileFormatError: no archive, damaged or truncated, an array missing or of Python objects.
        DTypeError, ShapeError: as :class:`TensorDataset`.
    """
    arrays = read_npz(source, caller="npz")
    missing = [name for name in names if name not in arrays]
    if missing:
        raise FileFormatError(f"npz: expected the arrays {list(names)}, got {list(arrays)}; {missing} is not there")
    return TensorDataset(*(arrays[name] for name in (names or arrays)))


def read_npz(source: Source, *, caller: str = "read_npz") -> dict[str, np.ndarray]:
    """All arrays of an archive; objects (pickles) are refused, so a file cannot run code."""
    data, name = read_bytes(source, caller=caller)
    if not data.startswith(b"PK"):
        raise FileFormatError(
            f"{caller}: expected a NumPy .npz archive, got {name} starting with "
            f"{data[:4].hex(' ') or 'nothing'}; write it with np.savez"
        )
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, KeyError, NotImplementedError) as error:
        raise FileFormatError(f"{caller}: expected a complete archive of plain arrays, got {name}: {error}") from error
    if not arrays:
        raise FileFormatError(f"{caller}: expected at least one array, got an empty archive in {name}")
    for key, value in arrays.items():
        if not isinstance(value, np.ndarray):
            raise FileFormatError(f"{caller}: expected only .npy members, got {key!r} in {name}")
    return arrays
