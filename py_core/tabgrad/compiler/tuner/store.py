"""Where winners outlive the process: a file, or whatever the page provides."""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from pathlib import Path

from tabgrad.atomic_file import write_atomically
from tabgrad.compiler.tuner import winners
from tabgrad.compiler.tuner.winners import Document
from tabgrad.errors import FileFormatError

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
    """A JSON file, replaced as a whole. Processes that write at once keep what the last of them knew."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Document:
        try:
            return winners.parse(self.path.read_text(encoding="utf-8"), str(self.path))
        except FileNotFoundError:
            return winners.empty()
        except (OSError, UnicodeDecodeError, FileFormatError) as error:
            _log.warning("%s cannot be used, so that kernels are measured anew: %s", self.path, error)
            return winners.empty()

    def write(self, document: Document) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            text = winners.to_text(document)
            write_atomically(text.encode(), self.path, caller="tuning", durable=False)  # a lost cache is measured anew
        except OSError as error:
            _log.warning("winners of kernel tuning cannot be kept in %s: %s", self.path, error)


class MemoryStore(Store):
    """For as long as the process lives; a page gives and takes it as text."""

    def __init__(self) -> None:
        self.document = winners.empty()

    def read(self) -> Document:
        return self.document

    def write(self, document: Document) -> None:
        self.document = document


def cache_file() -> Path:
    """``tuning.json`` in the user's cache folder, or in ``TABGRAD_CACHE``."""
    named = os.environ.get("TABGRAD_CACHE")
    if named:
        return Path(named) / "tuning.json"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tabgrad" / "tuning.json"


_store: Store | None = None


def store() -> Store:
    """Where winners are held; the cache file unless :func:`set_store` says otherwise."""
    global _store
    if _store is None:
        _store = FileStore(cache_file())
    return _store


def set_store(chosen: Store | None) -> None:
    """Hold winners elsewhere; ``None`` is the cache file."""
    global _store
    _store = chosen
