"""Where file contents come from: a path, bytes that a page handed over, or an open file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from tabgrad.errors import FileFormatError

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]


def read_bytes(source: Source, *, caller: str) -> tuple[bytes, str]:
    """The contents and a name for messages.

    Raises:
        FileFormatError: the path cannot be read, or the file was opened as text.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), f"{len(source)} bytes in memory"
    if isinstance(source, (str, os.PathLike)):
        try:
            return Path(source).read_bytes(), os.fspath(source)
        except OSError as error:
            raise FileFormatError(
                f"{caller}: expected a readable file at {os.fspath(source)}, got: {error.strerror or error}"
            ) from error
    data = source.read()
    name = str(getattr(source, "name", "open file"))
    if not isinstance(data, bytes):
        raise FileFormatError(f"{caller}: expected bytes from {name}, got text; open it with mode 'rb'")
    return data, name
