"""Gzip files.

Strict: every member is complete, with the right checksum and length and no reserved flags; nothing follows the last.

Source: RFC 1952
"""

from __future__ import annotations

import zlib

from tabgrad.data.inflate import Inflater
from tabgrad.errors import FileFormatError

MAGIC = b"\x1f\x8b"
_MAX_MEMBERS = 100_000  # each takes time, even an empty one


class Gunzip:
    """Decompresses ``data`` in pieces.

    Args:
        data: a gzip file of one or more members.
        caller: the function named in error messages.
        name: the file's name in error messages.
    """

    def __init__(self, data: bytes, *, caller: str, name: str) -> None:
        self._data = memoryview(data)
        self._caller, self._name = caller, name
        self._members = 0
        self._member = self._opened(0)

    def read(self, size: int) -> bytearray:
        """The next ``size`` bytes, or fewer at the end of the file; no more are decompressed.

        Raises:
            FileFormatError: damaged or truncated, or followed by bytes that are not gzip.
        """
        out = bytearray()
        while len(out) < size:
            try:
                piece = self._member.read(size - len(out))
            except (zlib.error, EOFError) as error:
                raise self._refusal(f"damaged data ({error})") from error
            if out:
                out += piece
            else:
                out = piece
            if self._member.ended:
                if self._member.position == len(self._data):
                    break
                self._member = self._opened(self._member.position)
        return out

    def _opened(self, position: int) -> Inflater:
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise self._refusal(f"more than {_MAX_MEMBERS} members")
        if self._data[position : position + 2] != MAGIC[: len(self._data) - position]:
            raise self._refusal(f"other bytes behind byte {position}")
        return Inflater(self._data, position, wbits=31)  # 16 for gzip's header and checksum, 15 for the window

    def _refusal(self, found: str) -> FileFormatError:
        return FileFormatError(
            f"{self._caller}: expected a complete gzip file, got {found} in {self._name}; download it again"
        )
