"""The safetensors format: NumPy arrays to bytes and back, with every rule of the format checked.

Eight bytes of header length, a JSON header, then the tensors' bytes end to end, little-endian.

Source: https://github.com/huggingface/safetensors
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from tabgrad.errors import DTypeError, FileFormatError, shortened
from tabgrad.interop.safetensors_header import DTYPES, MAX_HEADER_BYTES, METADATA, Entry, read_header

_NAMES = {np.dtype(code): name for name, code in DTYPES.items() if name != "BF16"}


def write_bytes(
    arrays: Mapping[str, np.ndarray],
    metadata: Mapping[str, str] | None = None,
    *,
    bfloat16: Collection[str] = (),
) -> bytes:
    """The contents of a safetensors file with the given arrays.

    Args:
        bfloat16: names of the uint16 arrays that hold the bits of bfloat16 numbers.

    Raises:
        DTypeError: the format has no name for an array's dtype.
        FileFormatError: a tensor is named ``__metadata__``, or metadata are not strings.
    """
    header: dict[str, Any] = {}
    if metadata:
        if not all(isinstance(k, str) and isinstance(v, str) for k, v in metadata.items()):
            raise FileFormatError(
                "safetensors: expected metadata of strings, got other values; use str() or json.dumps"
            )
        header[METADATA] = dict(metadata)
    blobs, offset = [], 0
    # wide types first, as in the official writer, so that every tensor is aligned
    for name, array in sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        if name == METADATA:
            raise FileFormatError(f"safetensors: a tensor cannot be named {METADATA!r}; the format reserves it")
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if little.dtype not in _NAMES:
            raise DTypeError(f"safetensors: expected a numeric or bool array for {shortened(name)}, got {array.dtype}")
        blob = little.tobytes()
        header[name] = {
            "dtype": "BF16" if name in bfloat16 else _NAMES[little.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        blobs.append(blob)
        offset += len(blob)
    try:
        text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise FileFormatError(
            f"safetensors: expected Unicode text in names and metadata, got {shortened(error.object[error.start])}, "
            "half of a surrogate pair; rename it"
        ) from error
    text += b" " * (-len(text) % 8)
    if len(text) > MAX_HEADER_BYTES:
        raise FileFormatError(
            f"safetensors: expected names and metadata that fit a header of {MAX_HEADER_BYTES} bytes, got {len(text)}; "
            "save them in several files"
        )
    return b"".join([len(text).to_bytes(8, "little"), text, *blobs])


def read_bytes(data: bytes, *, source: str = "the data") -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """(Arrays by name, metadata) of a safetensors file's contents.

    The arrays are views of ``data``. BF16 tensors are returned as their bits, in uint16; see
    :func:`dtype_names`.

    Raises:
        FileFormatError: anything that the format forbids; the message says what and where.
    """
    entries, metadata, start = read_header(data, source)
    return arrays_of(entries, data, start, source), metadata


def arrays_of(entries: Iterable[Entry], data: bytes, start: int, source: str) -> dict[str, np.ndarray]:
    """Arrays by name, as views of ``data[start:]``, which they cover without gaps."""
    arrays, end, size = {}, 0, len(data) - start
    for name, code, shape, begin, stop in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
        if begin != end:
            problem = "overlaps the tensor before it" if begin < end else "leaves a hole before it"
            raise FileFormatError(
                f"safetensors: expected tensor {shortened(name)} at byte {end}, got {begin} in {source}; it {problem}"
            )
        if stop > size:
            raise FileFormatError(
                f"safetensors: expected at least {stop} bytes of tensors for {shortened(name)}, got {size} in "
                f"{source}; the file is truncated, download or save it again"
            )
        values = np.frombuffer(data, np.uint8, stop - begin, start + begin)
        if code == "BOOL" and values.size and values.max() > 1:
            raise FileFormatError(
                f"safetensors: expected bytes 0 and 1 in the BOOL tensor {shortened(name)} of {source}"
            )
        arrays[name] = values.view(DTYPES[code]).reshape(shape)
        end = stop
    if end != size:
        raise FileFormatError(
            f"safetensors: expected {end} bytes of tensors, got {size} in {source}; bytes follow the last one"
        )
    return arrays


def dtype_names(data: bytes, *, source: str = "the data") -> dict[str, str]:
    """The format's dtype name of each tensor, such as ``BF16``."""
    return {entry.name: entry.dtype for entry in read_header(data, source)[0]}
