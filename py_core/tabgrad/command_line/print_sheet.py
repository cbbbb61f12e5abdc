"""Tables of tabgrad on a terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tabgrad.sheet import Sheet


def show(sheet: Sheet, console: Console) -> None:
    """Print a table and the notes below it."""
    table = Table(
        title=escape(sheet.title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for name, right in sheet.headings():
        table.add_column(name, justify="right" if right else "left", no_wrap=right)
    for row in sheet.rows:
        continued = row[0] == ""
        table.add_row(*map(escape, row), style="dim" if continued else None)
    console.print(table)
    for note in sheet.notes:
        console.print(note, highlight=False, markup=False, soft_wrap=True)
