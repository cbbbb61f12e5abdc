"""File contents from a path, from bytes, or from an open file."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO

from tabgrad.errors import FileFormatError, FileMissingError, shown_path

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]


def read_bytes(source: Source, *, caller: str) -> tuple[bytes, str]:
    """The contents, and a name for error messages.

    Raises:
        FileFormatError: the path cannot be read or is a device, the file was opened as text, or does not fit in memory.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), f"{memoryview(source).nbytes} bytes in memory"
    if isinstance(source, (str, os.PathLike)):
        return read_path(source, caller=caller)
    name = shown_path(str(getattr(source, "name", "open file")))
    try:
        data = source.read()
    except (OSError, ValueError, MemoryError, OverflowError) as error:  # ValueError: closed, or text that is not UTF-8
        raise FileFormatError(f"{caller}: expected a readable file, got {name}: {str(error) or 'too large'}") from error
    if not isinstance(data, bytes):
        raise FileFormatError(f"{caller}: expected bytes from {name}, got text; open it with mode 'rb'")
    return data, name


def read_path(path: str | os.PathLike[str], *, caller: str) -> tuple[bytes, str]:
    """As :func:`read_bytes`, of a path."""
    name = os.fsdecode(path)
    shown = shown_path(name)
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise FileFormatError(f"{caller}: expected a readable file at {shown}, got a device; it has no end")
        return Path(name).read_bytes(), shown
    except (MemoryError, OverflowError) as error:  # OverflowError: beyond 32-bit addresses
        raise FileFormatError(
            f"{caller}: expected a file that fits in memory, got {shown}; read it in parts, or on a larger machine"
        ) from error
    except OSError as error:
        kind = FileMissingError if isinstance(error, FileNotFoundError) else FileFormatError
        raise kind(f"{caller}: expected a readable file at {shown}, got: {error.strerror or error}") from error
    except FileFormatError:
        raise
    except ValueError as error:  # a NUL in the name
        raise FileFormatError(f"{caller}: expected a readable file at {shown}, got: {error}") from error
