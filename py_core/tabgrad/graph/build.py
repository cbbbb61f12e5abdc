"""The builder of linear graphs: entries are added one by one, and equal ones become one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from tabgrad.dtypes import DType
from tabgrad.graph.entry import Entry, entry_key
from tabgrad.graph.node import CONST
from tabgrad.graph.op import Attrs, Op, Shape


class Builder:
    """A graph in the making."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._known: dict[Hashable, int] = {}

    @property
    def key(self) -> Hashable:
        """Equal for graphs of equal entries in one order."""
        return tuple(self._known)

    def add(self, entry: Entry) -> int:
        """The entry's number; an equal one has the same."""
        key = entry_key(entry)
        index = self._known.get(key)
        if index is None:
            index = self._known[key] = len(self.entries)
            self.entries.append(entry)
        return index

    def op(self, op: Op, args: Sequence[int], attrs: Attrs, shape: Shape, dtype: DType | None = None) -> int:
        """The entry of an op; without a dtype, the first argument's."""
        return self.add(Entry(op, tuple(args), attrs, shape, dtype or self.entries[args[0]].dtype))

    def constant(self, value: Any, shape: Shape, dtype: DType) -> int:
        """The entry of one value."""
        number = (bool, int, float)[dtype.category](value)
        return self.add(Entry(CONST, (), {"value": number}, shape, dtype))


__all__ = ["Builder"]
