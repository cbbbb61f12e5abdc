"""The JSON of safetensors headers: one object, parsed entry by entry, so that 100 MB never become objects at once.

Size and nesting of each entry are checked before Python's parser reads it: in wasm, where the stack is small, deep
nesting would end the process.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from tabgrad.errors import shortened

METADATA = "__metadata__"
MAX_ENTRY_BYTES = 1 << 16
_MAX_PAIRS = 100_000
_MAX_BRACKETS = 128  # of an entry: 3, and the official reader's limit for an unknown field

_SPACE = rb"[ \t\n\r]*+"
_STRING = rb'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"'
_OPEN = re.compile(rb"\{" + _SPACE + rb"(\})?")
_KEY = re.compile(_SPACE + _STRING + _SPACE + rb":" + _SPACE)
_TEXT = re.compile(_STRING)
_NEXT = re.compile(_SPACE + rb"([,}])")
_REST = re.compile(_SPACE)
_BRACKET = re.compile(r'[\[\]{}]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


class Invalid(Exception):
    """The defect of the JSON, and its byte in the header."""

    def __init__(self, found: str, position: int = -1) -> None:
        super().__init__(found)
        self.found, self.position = found, position


def items(data: bytes, end: int) -> Iterator[tuple[str, Any, int]]:
    """(Name, value, end position) of each entry of the object, which follows the eight bytes of length."""
    opened = _OPEN.match(data, 8, end)
    if opened is None:
        raise Invalid(f"{shortened(data[8 : min(end, 8 + 16)])} in place of {{")
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
        raise Invalid("other bytes behind its end", position)


def _key(data: bytes, position: int, end: int) -> tuple[str, int]:
    found = _KEY.match(data, position, end)
    if found is None:
        raise Invalid(f"{shortened(data[position : min(end, position + 24)])} in place of a name", position)
    return _text(found[1], position), found.end()


def _next(data: bytes, position: int, end: int) -> tuple[bool, int]:
    """Whether the object ends, and the position after the comma or brace."""
    found = _NEXT.match(data, position, end)
    if found is None:
        raise Invalid(f"{shortened(data[position : min(end, position + 24)])} in place of , or }}", position)
    return found[1] == b"}", found.end()


def _text(raw: bytes, position: int) -> str:
    try:
        text = raw.decode("utf-8")
        if "\\" in text:
            text = json.loads(f'"{text}"')
            text.encode()  # fails on half of a surrogate pair
    except UnicodeError:
        raise Invalid(f"a name or text that is not Unicode, {shortened(raw)}", position) from None
    return text


def _pairs(data: bytes, position: int, end: int) -> tuple[dict[str, Any], int]:
    """The metadata, with ``None`` for values that are not text."""
    opened = _OPEN.match(data, position, end)
    assert opened is not None
    position, closed = opened.end(), opened[1] is not None
    pairs: dict[str, Any] = {}
    while not closed:
        key, position = _key(data, position, end)
        if key in pairs:
            raise Invalid(f"{shortened(key)} twice in {METADATA}", position)
        if len(pairs) >= _MAX_PAIRS:
            raise Invalid(f"more than {_MAX_PAIRS} pairs in {METADATA}", position)
        found = _TEXT.match(data, position, end)
        if found is None:
            _, position = _value(data, position, end)
            pairs[key] = None  # not text; the value is not kept
        else:
            pairs[key], position = _text(found[1], position), found.end()
        closed, position = _next(data, position, end)
    return pairs, position


def _value(data: bytes, position: int, end: int) -> tuple[Any, int]:
    """Any JSON value of bounded length, and its end position."""
    for width in (512, 8192, MAX_ENTRY_BYTES):
        piece = data[position : min(position + width, end)].decode("utf-8", "surrogateescape")
        if piece.count("[") + piece.count("{") > _MAX_BRACKETS and _brackets(piece) > _MAX_BRACKETS:
            raise Invalid(f"an entry of more than {_MAX_BRACKETS} brackets", position)
        try:
            value, stop = _DECODER.raw_decode(piece)
        except json.JSONDecodeError as error:
            found, place = f"invalid JSON ({error.msg})", position + error.pos
            if position + width >= end:
                break
        except Invalid as error:
            raise Invalid(error.found, position) from None
        else:
            _check(value, piece[:stop], position)
            return value, position + (stop if piece.isascii() else len(piece[:stop].encode("utf-8", "surrogateescape")))
    else:
        found += f" or an entry of more than {MAX_ENTRY_BYTES} bytes"
    raise Invalid(found, place)


def _brackets(piece: str) -> int:
    """The number of opening brackets in the first value; too many can overflow the stack in wasm."""
    count = depth = 0
    for found in _BRACKET.finditer(piece):
        if found[0] in "[{":
            count, depth = count + 1, depth + 1
        elif found[0] in "]}":
            depth -= 1
        if depth <= 0 or count > _MAX_BRACKETS:
            break
    return count


def _check(value: Any, text: str, position: int) -> None:
    """Reject what Python's JSON parser accepts and the official reader does not."""
    try:
        text.encode()  # fails on bytes that were not UTF-8
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # fails on half of a surrogate pair
    except UnicodeEncodeError:
        raise Invalid("text that is not Unicode", position) from None


def _integer(text: str) -> int | float:
    if text == "-0":
        return -0.0  # not a valid size, as in the official reader
    return int(text) if len(text) <= 20 else _float(text)


def _float(text: str) -> float:
    value = float(text) if len(text) <= 1000 else math.inf
    if math.isinf(value):
        raise Invalid(f"a number out of range, {shortened(text)},")
    return value


def _constant(text: str) -> float:
    raise Invalid(f"{text}, which is no JSON,")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise Invalid("a name twice in one entry")
    return result


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_constant, object_pairs_hook=_unique)
