"""Winners in the user's hands: show, export, import and forget them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tabgrad.compiler.tuner import winners
from tabgrad.compiler.tuner.store import store, text_of
from tabgrad.compiler.tuner.tuner import forget_winners
from tabgrad.compiler.tuner.winners import Winner


def export_text() -> str:
    """All that is held, of every adapter, as the text of one JSON file."""
    return winners.to_text(store().read())


def import_text(text: str, what: str = "import") -> int:
    """Hold an exported file's winners, too; returns how many it has.

    Raises:
        FileFormatError: it is no such file; ``what`` names it.
    """
    document = winners.parse(text, what)
    store().add(document)
    forget_winners()
    return sum(len(entry["winners"]) for entry in document["adapters"].values())


def import_file(path: Path) -> int:
    """As :func:`import_text`, from a file.

    Raises:
        OSError: it cannot be read.
        FileFormatError: as :func:`import_text`.
    """
    return import_text(text_of(path), str(path))


def clear() -> int:
    """Forget all winners; returns how many there were."""
    count = len(list(held()))
    store().write(winners.empty())
    forget_winners()
    return count


def held() -> Iterator[tuple[str, bool, Winner]]:
    """``(adapter, whether it was measured on these kernels, winner)`` of all that is held."""
    for entry in store().read()["adapters"].values():
        current = entry.get("kernels") == winners.kernels_hash()
        for found in entry["winners"].values():
            yield str(entry["adapter"]["name"]), current, winners.read_winner(found)
