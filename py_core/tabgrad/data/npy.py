"""One array in NumPy's own format.

Strict, where ``numpy.load`` is lenient:

* Versions 1.0, 2.0 and 3.0; a header of at most 10,000 bytes that ends with a line feed.
* The header is a Python dict with ``descr``, ``fortran_order`` and ``shape``, each once and nothing else; sizes are
  plain decimal numbers (no ``3L`` of Python 2, no ``-0``, ``0x3``, ``1_0``), the shape is a tuple.
* Dtypes: bool, integers, float16 to float64, complex, text, dates. No records, no Python objects (pickles).
  Numbers of more than one byte name their byte order.
* Exactly as many bytes as the shape needs; booleans are 0 or 1.

Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tabgrad.data.array_size import MAX_DIMS, array_bytes
from tabgrad.errors import FileFormatError, shortened

_MAGIC = b"\x93NUMPY"
_MAX_HEADER_BYTES = 10_000  # NumPy's limit
_DESCR = re.compile(
    r"[|<>][bSiu]1|[|<>]S[1-9][0-9]{0,5}|[<>](?:[iu][248]|f[248]|c8|c16|U[1-9][0-9]{0,5})"
    r"|[<>][mM]8\[(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]"
)
_ITEM = re.compile(
    r"""[ \t]*(?P<q>['"])(?P<key>\w{1,20})(?P=q)[ \t]*:[ \t]*"""
    r"""(?:(?P<p>['"])(?P<text>[^'"\\]*)(?P=p)|(?P<flag>True|False)|\((?P<sizes>[0-9, \t]*)\))[ \t]*(?:,[ \t]*)?""",
    re.ASCII,
)
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True)
class NpyHeader:
    """The fields of an array's header, and the header's own size in bytes."""

    dtype: np.dtype
    fortran_order: bool
    shape: tuple[int, ...]
    header_bytes: int
    value_bytes: int


def read_header(read: Callable[[int], bytes | bytearray], refuse: Callable[[str, str], FileFormatError]) -> NpyHeader:
    """The header at the beginning of a stream.

    Args:
        read: returns the next bytes, fewer at the end.
        refuse: makes the error from the expected and the actual value.
    """
    start = bytes(read(8))
    if start[:6] != _MAGIC:
        raise refuse("an array in NumPy's format (.npy)", f"one that starts with {start[:6].hex(' ') or 'nothing'}")
    if start[6:] not in (b"\1\0", b"\2\0", b"\3\0"):
        raise refuse("version 1.0, 2.0 or 3.0 of NumPy's format", f"version bytes {start[6:].hex(' ') or 'none'}")
    width = 2 if start[6] == 1 else 4
    field = bytes(read(width))
    length = int.from_bytes(field, "little")
    if len(field) < width or not 0 < length <= _MAX_HEADER_BYTES:
        raise refuse(f"a header of at most {_MAX_HEADER_BYTES} bytes", f"{length}")
    raw = bytes(read(length))
    if len(raw) < length or raw[-1:] != b"\n":
        raise refuse(f"a header of {length} bytes that ends with a line feed", shortened(raw))
    text = raw.decode("utf-8" if start[6] == 3 else "latin-1", "replace")
    descr, flag, sizes = _items(text, refuse)
    if not _DESCR.fullmatch(descr):
        what = "Python objects (pickles)" if "O" in descr else "dtype"
        raise refuse("plain arrays of numbers, booleans or text", f"{what} {shortened(descr)}")
    dtype, shape = np.dtype(descr), _shape(sizes, refuse)
    value_bytes = array_bytes(shape, dtype.itemsize)
    if value_bytes is None:
        raise refuse("an array that NumPy can hold here", f"{dtype} of shape {shortened(list(shape))}")
    return NpyHeader(dtype, flag == "True", shape, 8 + width + length, value_bytes)


def array_of(header: NpyHeader, values: np.ndarray) -> np.ndarray | None:
    """The array from its bytes (uint8), in the machine's byte order; ``None`` if a boolean is neither 0 nor 1."""
    if header.dtype.kind == "b" and values.size and values.max() > 1:
        return None
    array = values.view(header.dtype)
    native = header.dtype.newbyteorder("=")
    if native != header.dtype:
        array = array.byteswap(inplace=True).view(native)
    return array.reshape(header.shape[::-1]).T if header.fortran_order else array.reshape(header.shape)


def _items(text: str, refuse: Callable[[str, str], FileFormatError]) -> tuple[str, str, str]:
    """The texts of descr, fortran_order and shape."""
    body = text.strip(" \n")
    found: dict[str, str] = {}
    kinds = {"descr": "text", "fortran_order": "flag", "shape": "sizes"}
    position = 1
    while body[:1] == "{" and (item := _ITEM.match(body, position)):
        key = item["key"]
        if key in found or key not in kinds or item[kinds[key]] is None:
            break
        found[key] = item[kinds[key]]
        position = item.end()
        if not item[0].rstrip().endswith(","):
            break
    if len(found) < 3 or body[position:] != "}":
        raise refuse("a header with descr, fortran_order and shape, each once", shortened(body, 160))
    return found["descr"], found["fortran_order"], found["shape"]


def _shape(sizes: str, refuse: Callable[[str, str], FileFormatError]) -> tuple[int, ...]:
    if sizes.count(",") > MAX_DIMS:
        raise refuse(f"at most {MAX_DIMS} dimensions", f"{sizes.count(',')} or more")
    parts = [part.strip(" \t") for part in sizes.split(",")]
    if parts[-1] == "":
        parts.pop()  # the comma that makes a tuple
    elif len(parts) == 1:
        parts = ["no tuple"]
    if not all(_SIZE.fullmatch(part) for part in parts):
        raise refuse("a tuple of sizes as shape", f"({shortened(sizes)[1:-1]})")
    return tuple(int(part) for part in parts)
