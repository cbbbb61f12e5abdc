"""Reading a training script from its file, as the interpreter does."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

from tabgrad.errors import FileFormatError, TabgradError

_MOST_BYTES = 64 << 20  # stops reading of devices, which have no end


def read_script(path: Path, caller: str) -> str:
    """The script's text. Byte-order marks, coding lines (PEP 263) and pipes are supported.

    Raises:
        TabgradError: the file does not exist, cannot be read, or is not Python text.
    """
    check_script(path, caller)
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, caller, error) from None
    if len(data) > _MOST_BYTES:
        raise FileFormatError(f"{caller}: expected a script of at most {_MOST_BYTES >> 20} MiB, got a longer {path}")
    return _decoded(data, path, caller)


def check_script(path: Path, caller: str) -> None:
    """Raise if there is no file. The contents are not read, because a pipe can be read only once.

    Raises:
        TabgradError: there is no file.
    """
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except OSError as error:
        raise _unreadable(path, caller, error) from None
    if is_folder:
        raise TabgradError(f"{caller}: expected a script at {path}, found a folder; name a file in it")
    if not exists:
        raise TabgradError(f"{caller}: expected a script at {path}, found none")


def _unreadable(path: Path, caller: str, error: OSError) -> TabgradError:
    return TabgradError(f"{caller}: expected a script that can be read, got {path}: {error.strerror or error}")


def _decoded(data: bytes, path: Path, caller: str) -> str:
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise FileFormatError(
            f"{caller}: expected a script in Python, got {path} with a zero byte in line {line}; save it as UTF-8 text"
        )
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileFormatError(
            f"{caller}: expected a script in {error.encoding}, got {path} with the byte 0x{data[error.start]:02x} "
            f"in line {line}; save it as UTF-8, or name its encoding in its first line: # coding: latin-1"
        ) from None
    except SyntaxError as error:  # of the coding line
        raise FileFormatError(
            f"{caller}: expected a script that can be decoded, got {path}: {error.msg}; save it as UTF-8"
        ) from None
    return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)
