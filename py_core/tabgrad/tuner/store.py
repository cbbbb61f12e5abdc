"""Stores of winners: a file, or memory that the page saves."""

from __future__ import annotations

import contextlib
import logging
import os
import stat
from abc import ABC, abstractmethod
from pathlib import Path

from tabgrad.atomic_file import write_atomically
from tabgrad.errors import FileFormatError
from tabgrad.tuner import winners
from tabgrad.tuner.winners import Document

_REINSTALL = "reinstall tabgrad"
_CLEAR = "`tabgrad tune clear` begins a new one"
_log = logging.getLogger("tabgrad.tuning")


class Store(ABC):
    """Stores one document of winners."""

    @abstractmethod
    def read(self) -> Document:
        """The stored document; a damaged store warns and counts as empty."""

    @abstractmethod
    def write(self, document: Document) -> None:
        """Store this document in place of the old one."""

    def add(self, document: Document) -> None:
        """Add the winners of this document."""
        self.write(winners.merged(self.read(), document))


class FileStore(Store):
    """A JSON file that is replaced atomically. Of processes that write at once, the last one wins.

    The next write renames a file that is not a document of winners. If the file cannot be written, winners are kept
    in memory. Each is reported once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_damaged = False
        self._kept: Document | None = None  # in memory, once the file could not be written

    def read(self) -> Document:
        if self._kept is not None:
            return self._kept
        try:
            return winners.parse(text_of(self.path, _CLEAR), str(self.path), _CLEAR)
        except (FileNotFoundError, NotADirectoryError):
            return winners.empty()
        except (OSError, FileFormatError) as error:
            if not self._is_damaged:
                remedy = "" if isinstance(error, FileFormatError) else f"; {_CLEAR}"
                _log.warning("kernels are measured again, as the file of winners cannot be read: %s%s", error, remedy)
            self._is_damaged = True
            return winners.empty()

    def write(self, document: Document) -> None:
        if self._kept is not None:
            self._kept = document
            return
        self._move_aside()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            text = winners.to_text(document)
            write_atomically(text.encode(), self.path, caller="tuning", durable=False)  # a lost cache is measured again
        except OSError as error:
            self._kept = document
            _log.warning(
                "winners of kernel tuning cannot be kept in %s, so that they last as long as this process: %s; "
                "name another folder in TABGRAD_CACHE",
                self.path,
                error.strerror or error,
            )

    def _move_aside(self) -> None:
        """Rename what is not a file of winners; a folder cannot be replaced by a file."""
        if not self._is_damaged:
            return
        self._is_damaged = False
        with contextlib.suppress(OSError):
            os.replace(self.path, self.path.with_name(f"{self.path.name}.damaged"))


class MemoryStore(Store):
    """Stores winners in memory; a page loads and saves them as text."""

    def __init__(self) -> None:
        self.document = winners.empty()

    def read(self) -> Document:
        return self.document

    def write(self, document: Document) -> None:
        self.document = document


def text_of(path: Path, remedy: str = "export it again") -> str:
    """The text of a file of winners.

    Raises:
        OSError: the file does not exist or cannot be read.
        FileFormatError: not a regular file, too long, or not text.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise FileFormatError(
                f"{path}: expected a file of winners of kernel tuning, got a pipe or a device; {remedy}"
            )
        data = file.read(winners.MOST_BYTES + 1)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path}: expected winners of kernel tuning as text in UTF-8, got the byte 0x{data[error.start]:02x} "
            f"at {error.start}; {remedy}"
        ) from None


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # otherwise opening a pipe blocks


def cache_file() -> Path:
    """``tuning.json`` in the user's cache folder, or in ``TABGRAD_CACHE``.

    Raises:
        FileNotFoundError: the user has no home folder.
    """
    named = os.environ.get("TABGRAD_CACHE")
    if named:
        return Path(named) / "tuning.json"
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else _home() / ".cache") / "tabgrad" / "tuning.json"


def _home() -> Path:
    try:
        home = Path.home()
    except RuntimeError:  # the system does not know the user, and HOME is not set
        raise FileNotFoundError("this user has no home folder") from None
    if not home.is_dir():  # a missing home folder is not created
        raise FileNotFoundError(f"the home folder {home} does not exist")
    return home


def shipped_winners() -> Document:
    """The winners in the package; a damaged file warns and counts as empty."""
    try:
        return winners.parse(text_of(winners.DEFAULTS, _REINSTALL), str(winners.DEFAULTS), _REINSTALL)
    except (OSError, FileFormatError) as error:
        _log.warning("no kernel is chosen by what was measured elsewhere: %s", error)
        return winners.empty()


def default_store() -> Store:
    """The user's cache file, or memory if there cannot be one."""
    try:
        return FileStore(cache_file())
    except OSError as error:
        _log.warning(
            "winners of kernel tuning last as long as this process, as %s; name a folder in TABGRAD_CACHE", error
        )
        return MemoryStore()
