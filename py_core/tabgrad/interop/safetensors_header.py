"""The header of a safetensors file: a JSON object, parsed entry by entry and strictly.

Everything that the official reader rejects is rejected. Also rejected, because the specification forbids it or no
writer does it: anything before ``{``; a duplicate name; a tensor described by a list; more dimensions than NumPy has;
an entry of more than 65,536 bytes or 128 brackets; more than 500,000 tensors or 100,000
pairs of metadata.

Source: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tabgrad.data.array_size import MAX_DIMS, array_bytes
from tabgrad.errors import FileFormatError, shortened
from tabgrad.interop.header_json import MAX_ENTRY_BYTES, METADATA, Invalid, items

MAX_HEADER_BYTES = 100_000_000  # the official reader's limit
DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",  # NumPy has no bfloat16; its bits are the upper half of a float32's
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "u1",
    "BOOL": "?",
}
_ITEM_BYTES = {name: np.dtype(code).itemsize for name, code in DTYPES.items()}
_FIELDS = {"dtype", "shape", "data_offsets"}
_MAX_TENSORS = 500_000
_LARGEST = 2**64


class Entry(NamedTuple):
    """A tensor's entry in the header; its bytes are ``body[begin:end]``."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


def read_header(data: bytes, source: str) -> tuple[list[Entry], dict[str, str], int]:
    """Tensors in the header's order, metadata, and the position of the tensors' bytes.

    Raises:
        FileFormatError: anything that the format forbids; the message says what and where.
    """
    if len(data) < 8:
        raise FileFormatError(
            f"safetensors: expected at least 8 bytes, got {len(data)} in {source}; the file is truncated"
        )
    size = int.from_bytes(data[:8], "little")
    if size > MAX_HEADER_BYTES:
        raise FileFormatError(
            f"safetensors: expected a header of at most {MAX_HEADER_BYTES} bytes, got a length of {size} in {source}; "
            "this is not a safetensors file"
        )
    if size > len(data) - 8:
        raise FileFormatError(
            f"safetensors: expected a header of {size} bytes, got {len(data) - 8} in {source}; the file is truncated"
        )
    if data[8:9] == b"[":
        raise FileFormatError(f"safetensors: expected a JSON object as header in {source}, got list; save it again")
    entries: dict[str, Entry | None] = {}
    metadata: dict[str, str] | None = None
    problem: FileFormatError | None = None
    try:
        for name, value, position in items(data, 8 + size):
            if name in entries or (name == METADATA and metadata is not None):
                raise FileFormatError(
                    f"safetensors: expected each name once in {source}, got {shortened(name)} twice; save it again"
                )
            if len(entries) >= _MAX_TENSORS:
                raise FileFormatError(
                    f"safetensors: expected at most {_MAX_TENSORS} tensors in {source}, got more; split the file"
                )
            try:
                if name == METADATA:
                    metadata = _metadata(value, source)
                else:
                    entries[name] = None
                    entries[name] = _entry(name, value, source)
            except FileFormatError as error:
                problem = problem or error
            if problem is not None and position > MAX_ENTRY_BYTES:
                break  # limits the time spent to find the JSON's error, which is more helpful
    except Invalid as error:
        place = "" if error.position < 0 else f" at byte {error.position - 8} of the header"
        raise FileFormatError(
            f"safetensors: expected a JSON header in {source}, got {error.found}{place}; download or save it again"
        ) from None
    if problem is not None:
        raise problem
    return [entry for entry in entries.values() if entry is not None], metadata or {}, 8 + size


def _metadata(value: Any, source: str) -> dict[str, str]:
    if value is None:
        return {}  # as in the official reader
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise FileFormatError(
            f"safetensors: expected {METADATA} to map strings to strings in {source}, got {shortened(value)}"
        )
    return value


def _entry(name: str, entry: Any, source: str) -> Entry:
    """A tensor's entry, checked; unknown fields are allowed, for later versions of the format."""
    if not isinstance(entry, dict) or not entry.keys() >= _FIELDS:
        got = shortened(sorted(entry)) if isinstance(entry, dict) else type(entry).__name__
        raise FileFormatError(
            f"safetensors: expected dtype, shape and data_offsets for tensor {shortened(name)} in {source}, got {got}"
        )
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise FileFormatError(
            f"safetensors: expected tensor {shortened(name)} in {source} to have a dtype of {', '.join(DTYPES)}, "
            f"got {shortened(dtype)}"
        )
    if not isinstance(shape, list) or len(shape) > MAX_DIMS or not all(_is_size(n) for n in shape):
        raise FileFormatError(
            f"safetensors: expected sizes as the shape of tensor {shortened(name)} in {source}, at most {MAX_DIMS}, "
            f"got {shortened(shape)}"
        )
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(_is_size(n) for n in offsets):
        raise FileFormatError(
            f"safetensors: expected [begin, end] as data_offsets of tensor {shortened(name)} in {source}, "
            f"got {shortened(offsets)}"
        )
    expected = array_bytes(shape, _ITEM_BYTES[dtype])
    if offsets[1] - offsets[0] != expected:
        wanted = "fewer bytes than this machine can address" if expected is None else f"{expected} bytes"
        raise FileFormatError(
            f"safetensors: expected {wanted} for tensor {shortened(name)} ({dtype} {shortened(shape)}) in {source}, "
            f"got {offsets[1] - offsets[0]} ({offsets})"
        )
    return Entry(name, dtype, tuple(shape), offsets[0], offsets[1])


def _is_size(n: Any) -> bool:
    return type(n) is int and 0 <= n < _LARGEST
