"""The header of a safetensors file: a JSON object, read entry by entry and strictly.

What the official reader refuses is refused here. Refused, too, because the format's text forbids it or no writer
does it: anything before ``{``; a name twice; a tensor that is described by a list; more dimensions than NumPy has;
an entry of more than 65,536 bytes or 128 brackets; more than 500,000 tensors or 100,000
pairs of metadata.

Source: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tabgrad.data.array_size import MAX_DIMS, array_bytes
from tabgrad.errors import FileFormatError, shortened

METADATA = "__metadata__"
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
_MAX_ENTRY_BYTES = 1 << 16
_MAX_TENSORS, _MAX_PAIRS = 500_000, 100_000
_MAX_BRACKETS = 128  # of an entry: its own three, and as many as the official reader lets an unknown field nest
_LARGEST = 2**64

_SPACE = rb"[ \t\n\r]*+"
_STRING = rb'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"'
_OPEN = re.compile(rb"\{" + _SPACE + rb"(\})?")
_KEY = re.compile(_SPACE + _STRING + _SPACE + rb":" + _SPACE)
_TEXT = re.compile(_STRING)
_NEXT = re.compile(_SPACE + rb"([,}])")
_REST = re.compile(_SPACE)


class Entry(NamedTuple):
    """A tensor as the header has it; its bytes are ``body[begin:end]``."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class _Invalid(Exception):
    """What is wrong with the JSON, and at which byte of the header."""

    def __init__(self, found: str, position: int = -1) -> None:
        super().__init__(found)
        self.found, self.position = found, position


def read_header(data: bytes, source: str) -> tuple[list[Entry], dict[str, str], int]:
    """Tensors in the header's order, metadata, and where the tensors' bytes begin.

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
        raise FileFormatError(f"safetensors: expected a JSON object as header in {source}, got list; save it anew")
    entries: dict[str, Entry | None] = {}
    metadata: dict[str, str] | None = None
    problem: FileFormatError | None = None
    try:
        for name, value, position in _items(data, 8 + size):
            if name in entries or (name == METADATA and metadata is not None):
                raise FileFormatError(
                    f"safetensors: expected each name once in {source}, got {shortened(name)} twice; save it anew"
                )
            if len(entries) >= _MAX_TENSORS:
                raise FileFormatError(f"safetensors: expected at most {_MAX_TENSORS} tensors in {source}, got more")
            try:
                if name == METADATA:
                    metadata = _metadata(value, source)
                else:
                    entries[name] = None
                    entries[name] = _entry(name, value, source)
            except FileFormatError as error:
                problem = problem or error
            if problem is not None and position > _MAX_ENTRY_BYTES:
                break  # the JSON's own errors are more helpful, but not at any price
    except _Invalid as error:
        place = "" if error.position < 0 else f" at byte {error.position - 8} of the header"
        raise FileFormatError(
            f"safetensors: expected a JSON header in {source}, got {error.found}{place}; download or save it again"
        ) from None
    if problem is not None:
        raise problem
    return [entry for entry in entries.values() if entry is not None], metadata or {}, 8 + size


def _items(data: bytes, end: int) -> Iterator[tuple[str, Any, int]]:
    """(Name, value, position behind it) of each entry; metadata come as an iterator of pairs, or as another value."""
    opened = _OPEN.match(data, 8, end)
    if opened is None:
        raise _Invalid(f"{shortened(data[8 : min(end, 8 + 16)])} in place of {{")
    position, closed = opened.end(), opened[1] is not None
    while not closed:
        name, position = _key(data, position, end)
        if name == METADATA and data[position : position + 1] == b"{":
            pairs, position = _pairs(data, position, end)
            yield name, pairs, position
        else:
            value, position = _value(data, position, end)
            yield name, value, position
        closed, position = _next(data, position, end)
    rest = _REST.match(data, position, end)
    if rest is None or rest.end() != end:
        raise _Invalid("other bytes behind its end", position)


def _key(data: bytes, position: int, end: int) -> tuple[str, int]:
    found = _KEY.match(data, position, end)
    if found is None:
        raise _Invalid(f"{shortened(data[position : min(end, position + 24)])} in place of a name", position)
    return _text(found[1], position), found.end()


def _next(data: bytes, position: int, end: int) -> tuple[bool, int]:
    """Whether an object ends, and the position behind its comma or brace."""
    found = _NEXT.match(data, position, end)
    if found is None:
        raise _Invalid(f"{shortened(data[position : min(end, position + 24)])} in place of , or }}", position)
    return found[1] == b"}", found.end()


def _text(raw: bytes, position: int) -> str:
    try:
        text = raw.decode("utf-8")
        if "\\" in text:
            text = json.loads(f'"{text}"')
            text.encode()  # half of a surrogate pair is no character
    except UnicodeError:
        raise _Invalid(f"a name or text that is not Unicode, {shortened(raw)}", position) from None
    return text


def _pairs(data: bytes, position: int, end: int) -> tuple[dict[str, Any], int]:
    """The metadata, with ``None`` for values that are no text."""
    opened = _OPEN.match(data, position, end)
    assert opened is not None
    position, closed = opened.end(), opened[1] is not None
    pairs: dict[str, Any] = {}
    while not closed:
        key, position = _key(data, position, end)
        if key in pairs:
            raise _Invalid(f"{shortened(key)} twice in {METADATA}", position)
        if len(pairs) >= _MAX_PAIRS:
            raise _Invalid(f"more than {_MAX_PAIRS} pairs in {METADATA}", position)
        found = _TEXT.match(data, position, end)
        if found is None:
            _, position = _value(data, position, end)
            pairs[key] = None  # no text, whatever it is; it is not kept
        else:
            pairs[key], position = _text(found[1], position), found.end()
        closed, position = _next(data, position, end)
    return pairs, position


def _value(data: bytes, position: int, end: int) -> tuple[Any, int]:
    """Any JSON value of bounded length, and the position behind it."""
    for width in (512, 8192, _MAX_ENTRY_BYTES):
        piece = data[position : min(position + width, end)].decode("utf-8", "surrogateescape")
        try:
            value, stop = _DECODER.raw_decode(piece)
        except RecursionError:
            raise _Invalid("an entry nested too deeply", position) from None
        except json.JSONDecodeError as error:
            found, place = f"invalid JSON ({error.msg})", position + error.pos
            if position + width >= end:
                break
        except _Invalid as error:
            raise _Invalid(error.found, position) from None
        else:
            _check(value, piece[:stop], position)
            return value, position + (stop if piece.isascii() else len(piece[:stop].encode("utf-8", "surrogateescape")))
    else:
        found += f" or an entry of more than {_MAX_ENTRY_BYTES} bytes"
    raise _Invalid(found, place)


def _check(value: Any, text: str, position: int) -> None:
    """What Python's JSON lets pass and the official reader does not."""
    if text.count("[") + text.count("{") > _MAX_BRACKETS:
        raise _Invalid("an entry nested too deeply", position)
    try:
        text.encode()  # fails where bytes were no UTF-8
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # fails on half of a surrogate pair
    except UnicodeEncodeError:
        raise _Invalid("text that is not Unicode", position) from None


def _integer(text: str) -> int | float:
    if text == "-0":
        return -0.0  # no size, as in the official reader
    return int(text) if len(text) <= 20 else _float(text)


def _float(text: str) -> float:
    value = float(text) if len(text) <= 1000 else math.inf
    if math.isinf(value):
        raise _Invalid(f"a number out of range, {shortened(text)},")
    return value


def _constant(text: str) -> float:
    raise _Invalid(f"{text}, which is no JSON,")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _Invalid("a name twice in one entry")
    return result


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_constant, object_pairs_hook=_unique)


def _metadata(value: Any, source: str) -> dict[str, str]:
    if value is None:
        return {}  # as the official reader takes it
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise FileFormatError(
            f"safetensors: expected {METADATA} to map strings to strings in {source}, got {shortened(value)}"
        )
    return value


def _entry(name: str, entry: Any, source: str) -> Entry:
    """A tensor's entry that keeps the format's rules; unknown fields are left for later versions of the format."""
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
