"""Commands for winners: show, export, import and delete them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tabgrad.session import current
from tabgrad.tuner import winners
from tabgrad.tuner.registry import TunerRegistry
from tabgrad.tuner.store import Store, text_of
from tabgrad.tuner.winners import Winner


def export_text() -> str:
    """All stored winners, of every adapter, as the text of one JSON file."""
    return winners.to_text(_store().read())


def import_text(text: str, what: str = "import") -> int:
    """Add an exported file's winners to the store; returns their number.

    Raises:
        FileFormatError: not such a file; ``what`` names it in the message.
    """
    document = winners.parse(text, what)
    _store().add(document)
    current().own(TunerRegistry).forget_winners()
    return sum(len(entry["winners"]) for entry in document["adapters"].values())


def import_file(path: Path) -> int:
    """As :func:`import_text`, from a file.

    Raises:
        OSError: it cannot be read.
        FileFormatError: as :func:`import_text`.
    """
    return import_text(text_of(path), str(path))


def clear() -> int:
    """Delete all winners; returns their number."""
    count = len(list(held()))
    _store().write(winners.empty())
    current().own(TunerRegistry).forget_winners()
    return count


def held() -> Iterator[tuple[str, Winner]]:
    """``(adapter, winner)`` of all stored winners."""
    for entry in _store().read()["adapters"].values():
        for found in entry["winners"].values():
            yield str(entry["adapter"]["name"]), winners.read_winner(found)


def _store() -> Store:
    return current().own(TunerRegistry).store
