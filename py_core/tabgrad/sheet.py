"""A table as data and as plain text; the command line shows the same data with Rich."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 100  # columns of a terminal that a table must fit


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Rows of text with headings. A heading that begins with ``>`` marks a right-aligned column of numbers."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str] = ()

    def headings(self) -> list[tuple[str, bool]]:
        """Each heading, and whether its column is right-aligned."""
        return [(name.removeprefix(">"), name.startswith(">")) for name in self.columns]

    def __str__(self) -> str:
        headings = self.headings()
        table = [tuple(name for name, _ in headings), *self.rows]
        widths = [max(len(row[n]) for row in table) for n in range(len(headings))]
        over = sum(widths) + 2 * (len(widths) - 1) - WIDTH
        if over > 0:  # narrow the widest column of words
            widest = max((n for n, (_, right) in enumerate(headings) if not right), key=lambda n: widths[n])
            widths[widest] = max(8, widths[widest] - over)
        lines = [self._line(row, headings, widths) for row in table]
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self.title, lines[0], rule, *lines[1:], *self.notes])

    @staticmethod
    def _line(row: tuple[str, ...], headings: list[tuple[str, bool]], widths: list[int]) -> str:
        cells = []
        for text, (_, right), width in zip(row, headings, widths, strict=True):
            shown = text if len(text) <= width else text[: width - 1] + "…"
            cells.append(shown.rjust(width) if right else shown.ljust(width))
        return "  ".join(cells).rstrip()


def size(count: float) -> str:
    """A size in bytes as text: ``512 B``, ``3.2 kB``, ``1.25 MB``."""
    return _scaled(count, "B", ("", "k", "M", "G"))


def number(count: float) -> str:
    """A count as text: ``512``, ``3.2 k``, ``1.25 M``."""
    return _scaled(count, "", ("", "k", "M", "G", "T"))


def _scaled(count: float, unit: str, prefixes: tuple[str, ...]) -> str:
    power = 0
    while count >= 999.5 and power < len(prefixes) - 1:
        count /= 1000
        power += 1
    digits = 0 if power == 0 or count >= 99.95 else 1 if count >= 9.995 else 2
    return f"{count:.{digits}f} {prefixes[power]}{unit}".rstrip()
