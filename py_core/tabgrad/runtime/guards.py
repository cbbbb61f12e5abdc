"""What a recording depends on, compared before each replay: flat lists, as this is part of a step's time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import is_
from types import CellType
from typing import Any

from tabgrad.grad_mode import is_recording
from tabgrad.runtime.noted_name import Read, in_cell
from tabgrad.runtime.quick_check import QuickCheck
from tabgrad.runtime.same_value import MISSING, Contents, is_same
from tabgrad.tensor import Tensor

QUICK_AFTER = 4  # replays: a recording that serves a few needs no code of its own

Got = tuple[Callable[[], Any], Any]


class Guards:
    """The values of before the step was recorded, and where they are found."""

    def __init__(self) -> None:
        self.must_look = False  # as a Watcher: something that tells of changes has changed
        self._leaves: list[Tensor] = []
        self._trained: list[bool] = []  # whether those required grad
        self._with_grads: list[Tensor] = []
        self._grads: list[Tensor | None] = []  # what those had in .grad, which the step adds to or uses
        self.lists: list[tuple[list[Any], tuple[Any, ...]]] = []  # and the objects in them
        self.asked_late: list[Got] = []  # functions that give a value, where a Watched tells of changes
        self._grad_mode = is_recording()
        self._tables: list[tuple[Mapping[str, Any], str, Any]] = []
        self._late: list[tuple[Mapping[str, Any], str, Any]] = []
        self._cells: list[tuple[CellType, Any]] = []
        self._slots: list[Read] = []
        self._contents: list[Contents] = []
        self._small: list[Contents] = []  # lists, and dicts from strings, that can be written out
        self._quick: Callable[[], bool] | None = None
        self._held, self._quick_after = 0, QUICK_AFTER
        self.reads: list[Read] = []

    def add(self, read: Read) -> None:
        """Compare this one from now on."""
        self.reads.append(read)
        if isinstance(read.table, CellType):
            self._cells.append((read.table, read.value))
        elif not hasattr(read.table, "get"):
            self._slots.append(read)
        else:
            entry: Any = (read.table, read.name, read.value)
            (self._tables if read.watched is None else self._late).append(entry)
            if read.watched is not None:
                read.watched.used_by(self)

    def add_leaf(self, tensor: Tensor, requires_grad: bool) -> None:
        """Compare whether this parameter is frozen."""
        self._leaves.append(tensor)
        self._trained.append(requires_grad)

    def add_grad(self, leaf: Tensor, held: Tensor | None) -> None:
        """Compare whether a leaf has this ``.grad``."""
        self._with_grads.append(leaf)
        self._grads.append(held)

    def add_contents(self, contents: Contents) -> None:
        """Compare what a container holds, too."""
        (self._small if contents.is_small else self._contents).append(contents)

    def hold(self) -> bool:
        """Whether all is as it was."""
        if self.must_look:
            if not self._late_ones_hold():
                return False
            self.must_look = False
        if is_recording() is not self._grad_mode:
            return False
        if self._quick is not None:
            if self._quick():
                return self._others_hold()
            self._quick = None  # perhaps for equal values that are other objects
        if not (self._variables_hold() and self._others_hold()):
            return False
        self._held += 1
        if self._held == self._quick_after:
            self._held, self._quick_after = 0, 8 * self._quick_after
            self._quick = self._written_out()
        return True

    def _variables_hold(self) -> bool:
        for table, name, value in self._tables:
            now = table.get(name, MISSING)
            if now is not value and not is_same(now, value):
                return False
        for cell, value in self._cells:
            now = in_cell(cell)
            if now is not value and not is_same(now, value):
                return False
        if [t.requires_grad for t in self._leaves] != self._trained:
            return False
        for objects, known in self.lists:
            if len(objects) != len(known) or not all(map(is_, objects, known)):
                return False
        return all(contents.hold() for contents in self._small)

    def _others_hold(self) -> bool:
        for contents in self._contents:
            if not contents.hold():
                return False
        if self._grads and not all(map(is_, [leaf._grad for leaf in self._with_grads], self._grads)):
            return False
        return not self._slots or all(is_same(read.now(), read.value) for read in self._slots)

    def _written_out(self) -> Callable[[], bool]:
        """As :meth:`_variables_hold`, which has just been found to be so."""
        check = QuickCheck()
        for table, name, _ in self._tables:
            check.item(table, name)
        for cell, value in self._cells:
            if value is MISSING:
                check.empty(cell)
            else:
                check.cell(cell)
        check.leaves(self._leaves)
        for objects, _ in self.lists:
            check.elements(objects)
        for contents in self._small:
            if type(contents.container) is list:
                check.elements(contents.container)
            else:
                check.items(contents.container)
        return check.made()

    def _late_ones_hold(self) -> bool:
        if any(not is_same(table.get(name, MISSING), value) for table, name, value in self._late):
            return False
        return all(is_same(get(), value) for get, value in self.asked_late)


__all__ = ["Guards"]
