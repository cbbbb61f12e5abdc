"""Where winners outlive the process: a file, or whatever the page provides."""

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

_REINSTALL = "install tabgrad anew"
_CLEAR = "`tabgrad tune clear` begins a new one"
_log = logging.getLogger("tabgrad.tuning")


class Store(ABC):
    """Holds one document of winners."""

    @abstractmethod
    def read(self) -> Document:
        """All that is held; a damaged store warns and counts as empty."""

    @abstractmethod
    def write(self, document: Document) -> None:
        """Hold this, in place of what was there."""

    def add(self, document: Document) -> None:
        """Hold this, too."""
        self.write(winners.without_outdated(winners.merged(self.read(), document)))


class FileStore(Store):
    """A JSON file, replaced as a whole. Processes that write at once keep what the last of them knew.

    A file that holds something else is moved aside by the next write. Where nothing can be written, winners are kept
    in memory. Either is told of once.
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
                _log.warning("kernels are measured anew, as the file of winners cannot be read: %s%s", error, remedy)
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
            write_atomically(text.encode(), self.path, caller="tuning", durable=False)  # a lost cache is measured anew
        except OSError as error:
            self._kept = document
            _log.warning(
                "winners of kernel tuning cannot be kept in %s, so that they last as long as this process: %s; "
                "name another folder in TABGRAD_CACHE",
                self.path,
                error.strerror or error,
            )

    def _move_aside(self) -> None:
        """Let what is no file of winners make way; a folder cannot be replaced by a file."""
        if not self._is_damaged:
            return
        self._is_damaged = False
        with contextlib.suppress(OSError):
            os.replace(self.path, self.path.with_name(f"{self.path.name}.damaged"))


class MemoryStore(Store):
    """For as long as the process lives; a page gives and takes it as text."""

    def __init__(self) -> None:
        self.document = winners.empty()

    def read(self) -> Document:
        return self.document

    def write(self, document: Document) -> None:
        self.document = document


def text_of(path: Path, remedy: str = "export it anew") -> str:
    """The text of a file of winners.

    Raises:
        OSError: there is none, or it cannot be read.
        FileFormatError: it is no file, too long, or no text.
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
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # or a pipe would be waited for


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
    if not home.is_dir():  # a folder is not made for somebody who has none
        raise FileNotFoundError(f"the home folder {home} does not exist")
    return home


def shipped_winners() -> Document:
    """What comes with the package; a damaged file warns and counts as empty."""
    try:
        return winners.parse(text_of(winners.DEFAULTS, _REINSTALL), str(winners.DEFAULTS), _REINSTALL)
    except (OSError, FileFormatError) as error:
        _log.warning("no kernel is chosen by what was measured elsewhere: %s", error)
        return winners.empty()


def default_store() -> Store:
    """The user's cache file, or this process's memory where there can be none."""
    try:
        return FileStore(cache_file())
    except OSError as error:
        _log.warning(
            "winners of kernel tuning last as long as this process, as %s; name a folder in TABGRAD_CACHE", error
        )
        return MemoryStore()
