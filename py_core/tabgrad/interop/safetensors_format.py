"""The safetensors format: NumPy arrays to bytes and back, with every rule of the format checked.

Eight bytes of header length, a JSON header, then the tensors' bytes end to end, little-endian.

Source: https://github.com/huggingface/safetensors
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tabgrad.errors import DTypeError, FileFormatError

_MAX_HEADER_BYTES = 100_000_000  # the official reader's limit
_METADATA = "__metadata__"
_DTYPES = {
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
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items() if name != "BF16"}


def write_bytes(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """Arrays by name as the contents of a safetensors file.

    Raises:
        DTypeError: an array of a dtype that the format has no name for.
        FileFormatError: a tensor named ``__metadata__``, or metadata that are no strings.
    """
    header: dict[str, Any] = {}
    if metadata:
        if not all(isinstance(k, str) and isinstance(v, str) for k, v in metadata.items()):
            raise FileFormatError(
                "safetensors: expected metadata of strings, got other values; use str() or json.dumps"
            )
        header[_METADATA] = dict(metadata)
    blobs, offset = [], 0
    # wide types first keeps every tensor aligned, as the official writer does
    for name, array in sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        if name == _METADATA:
            raise FileFormatError(f"safetensors: a tensor cannot be named {_METADATA!r}; the format reserves it")
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if little.dtype not in _NAMES:
            raise DTypeError(f"safetensors: expected a numeric or bool array for {name!r}, got {array.dtype}")
        blob = little.tobytes()
        header[name] = {
            "dtype": _NAMES[little.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *blobs])


def read_bytes(data: bytes, *, source: str = "the data") -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """(Arrays by name, metadata) of a safetensors file's contents.

    The arrays are views of ``data``. BF16 tensors come as their bits, uint16; see
    :func:`dtype_names`.

    Raises:
        FileFormatError: anything that the format forbids; the message says what and where.
    """
    header, body = _split(data, source)
    metadata = _metadata(header.pop(_METADATA, {}), source)
    spans = sorted((_checked(name, entry, source) for name, entry in header.items()), key=lambda s: (s[1], s[2]))
    arrays, end = {}, 0
    for name, begin, stop, dtype, shape in spans:
        if begin != end:
            problem = "overlaps the tensor before it" if begin < end else "leaves a hole before it"
            raise FileFormatError(
                f"safetensors: expected tensor {name!r} at byte {end}, got {begin} in {source}; it {problem}"
            )
        if stop > len(body):
            raise FileFormatError(
                f"safetensors: expected at least {stop} bytes of tensors for {name!r}, got {len(body)} in {source}; "
                "the file is truncated, download or save it again"
            )
        arrays[name] = np.frombuffer(body[begin:stop], dtype).reshape(shape)
        if dtype == np.bool_ and np.any(arrays[name].view(np.uint8) > 1):
            raise FileFormatError(f"safetensors: expected bytes 0 and 1 in the BOOL tensor {name!r} of {source}")
        end = stop
    if end != len(body):
        raise FileFormatError(
            f"safetensors: expected {end} bytes of tensors, got {len(body)} in {source}; bytes follow the last one"
        )
    return arrays, metadata


def dtype_names(data: bytes, *, source: str = "the data") -> dict[str, str]:
    """The format's dtype name of each tensor, such as ``BF16``; the header must be sound."""
    header, _ = _split(data, source)
    return {name: entry["dtype"] for name, entry in header.items() if name != _METADATA}


def _split(data: bytes, source: str) -> tuple[dict[str, Any], memoryview]:
    if len(data) < 8:
        raise FileFormatError(
            f"safetensors: expected at least 8 bytes, got {len(data)} in {source}; the file is truncated"
        )
    size = int.from_bytes(data[:8], "little")
    if size > _MAX_HEADER_BYTES:
        raise FileFormatError(
            f"safetensors: expected a header of at most {_MAX_HEADER_BYTES} bytes, got a length of {size} in {source}; "
            "this is not a safetensors file"
        )
    if size > len(data) - 8:
        raise FileFormatError(
            f"safetensors: expected a header of {size} bytes, got {len(data) - 8} in {source}; the file is truncated"
        )
    try:
        header = json.loads(data[8 : 8 + size].decode("utf-8"), object_pairs_hook=_unique)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise FileFormatError(f"safetensors: expected a JSON header in {source}, got: {error}") from error
    except KeyError as error:
        raise FileFormatError(f"safetensors: expected each name once in {source}, got {error} twice") from error
    if not isinstance(header, dict):
        raise FileFormatError(f"safetensors: expected a JSON object as header in {source}, got {type(header).__name__}")
    return header, memoryview(data)[8 + size :]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise KeyError(key)
        result[key] = value
    return result


def _metadata(metadata: Any, source: str) -> dict[str, str]:
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise FileFormatError(
            f"safetensors: expected {_METADATA} to map strings to strings in {source}, got {metadata!r:.80}"
        )
    return metadata


def _checked(name: str, entry: Any, source: str) -> tuple[str, int, int, np.dtype, tuple[int, ...]]:
    """(name, begin, end, dtype, shape) of a header entry that keeps the format's rules."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        got = sorted(entry) if isinstance(entry, dict) else type(entry).__name__
        raise FileFormatError(
            f"safetensors: expected dtype, shape and data_offsets for tensor {name!r} in {source}, got {got}"
        )
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in _DTYPES:
        raise FileFormatError(
            f"safetensors: expected tensor {name!r} in {source} to have a dtype of {', '.join(_DTYPES)}, got {code!r}"
        )
    if not isinstance(shape, list) or not all(_is_size(n) for n in shape):
        raise FileFormatError(
            f"safetensors: expected sizes as the shape of tensor {name!r} in {source}, got {shape!r:.80}"
        )
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(_is_size(n) for n in offsets):
        raise FileFormatError(
            f"safetensors: expected [begin, end] as data_offsets of tensor {name!r} in {source}, got {offsets!r:.80}"
        )
    dtype = np.dtype(_DTYPES[code])
    expected = math.prod(shape) * dtype.itemsize
    if offsets[1] - offsets[0] != expected:
        raise FileFormatError(
            f"safetensors: expected {expected} bytes for tensor {name!r} ({code} {shape}) in {source}, "
            f"got {offsets[1] - offsets[0]} ({offsets})"
        )
    return name, offsets[0], offsets[1], dtype, tuple(shape)


def _is_size(n: Any) -> bool:
    return isinstance(n, int) and not isinstance(n, bool) and n >= 0
