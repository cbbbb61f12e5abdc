"""A name that a step has read while it was recorded: a variable, an attribute, an item of a dict."""

from __future__ import annotations

from collections.abc import Mapping
from types import CellType, CodeType
from typing import Any

from tabgrad.runtime.same_value import MISSING, Contents
from tabgrad.watched import Watched

Table = Mapping[str, Any]


class Read:
    """A name that was read: where, and its value before the step."""

    __slots__ = ("codes", "contents", "label", "name", "table", "value", "watched")

    def __init__(self, table: Table | CellType | object, name: str, value: Any, label: str) -> None:
        self.table, self.name, self.value, self.label = table, name, value, label
        self.watched: Watched | None = None  # who tells of changes; None: look at each replay
        self.codes: list[CodeType] | None = None  # of the functions that name a variable; None of attributes
        self.contents: Contents | None = None  # of a value that can be changed in place

    def now(self) -> Any:
        """The value that the name has now."""
        table = self.table
        if isinstance(table, CellType):
            return in_cell(table)
        return table.get(self.name, MISSING) if hasattr(table, "get") else getattr(table, self.name, MISSING)


def in_cell(cell: CellType) -> Any:
    """What a closure's variable holds."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


__all__ = ["Read", "in_cell"]
