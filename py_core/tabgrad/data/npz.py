"""NumPy archives: a zip of arrays, each in NumPy's own format.

The rules are those of :mod:`tabgrad.data.zip_members` and :mod:`tabgrad.data.npy`, and: every member is an array whose
name ends in ``.npy``; it is decompressed only if the archive and the array's header agree on its size.
"""

from __future__ import annotations

import zlib

import numpy as np

from tabgrad.data import npy
from tabgrad.data.dataset import TensorDataset
from tabgrad.data.source import Source, read_bytes
from tabgrad.data.zip_members import Member, MemberReader, members
from tabgrad.errors import FileFormatError, shortened


def npz(source: Source, *names: str) -> TensorDataset:
    """Arrays of an ``.npz`` archive as a dataset.

    Args:
        source: a path, bytes, or a file open for reading.
        names: which arrays, in the order of a sample's fields; default all, in the archive's order.

    Raises:
        FileFormatError: not an archive, damaged or truncated, or an array is missing or holds Python objects.
        DTypeError, ShapeError: as :class:`TensorDataset`.
    """
    arrays = read_npz(source, caller="npz")
    missing = [name for name in names if name not in arrays]
    if missing:
        raise FileFormatError(
            f"npz: expected the arrays {list(names)}, got {shortened(list(arrays), 400)}; {missing} is not there"
        )
    return TensorDataset(*(arrays[name] for name in (names or arrays)))


def read_npz(source: Source, *, caller: str = "read_npz") -> dict[str, np.ndarray]:
    """All arrays of an archive, in the machine's byte order.

    Objects (pickles) are refused, so a file cannot run code.
    """
    data, name = read_bytes(source, caller=caller)
    if not data.startswith(b"PK"):
        raise FileFormatError(
            f"{caller}: expected a NumPy .npz archive, got {name} starting with "
            f"{data[:4].hex(' ') or 'nothing'}; write it with np.savez"
        )

    def refuse(found: str) -> FileFormatError:
        return FileFormatError(
            f"{caller}: expected a complete archive of plain arrays, got {found} in {name}; "
            "write it again with np.savez"
        )

    listed = members(data, refuse)
    if not listed:
        raise FileFormatError(f"{caller}: expected at least one array, got an empty archive in {name}")
    arrays = {}
    for member in listed:
        key, dot, _ = member.name.rpartition(".npy")
        if not dot or not member.name.endswith(".npy"):
            raise FileFormatError(
                f"{caller}: expected only .npy members, got {shortened(member.name)} in {name}; write it with np.savez"
            )
        arrays[key] = _array(memoryview(data), member, caller, name)
    return arrays


def _array(data: memoryview, member: Member, caller: str, name: str) -> np.ndarray:
    def refuse(expected: str, found: str) -> FileFormatError:
        return FileFormatError(
            f"{caller}: expected a complete archive of plain arrays ({expected}), got {found} "
            f"in member {shortened(member.name)} of {name}; write it again with np.savez"
        )

    reader = MemberReader(data, member)
    try:
        header = npy.read_header(reader.read, refuse)
        needed = header.header_bytes + header.value_bytes
        if member.size != needed:
            raise refuse(f"{needed} bytes for {header.dtype} of shape {list(header.shape)}", f"{member.size}")
        values = np.frombuffer(reader.read(header.value_bytes), np.uint8)
        if len(values) != header.value_bytes or not reader.is_whole():
            raise refuse("data with the archive's checksum", "damaged data")
    except (zlib.error, EOFError) as error:
        raise refuse("data with the archive's checksum", f"damaged data ({error})") from error
    except MemoryError as error:
        raise refuse("an array that fits in memory", f"{member.size} bytes") from error
    array = npy.array_of(header, values)
    if array is None:
        raise refuse("booleans of bytes 0 and 1", "others")
    return array
