"""A value of a JSON document together with its place, so that an error can say where it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NoReturn, TypeVar

from tabgrad.errors import FileFormatError, shortened

S = TypeVar("S", bound=str)
MOST = 2**63 - 1  # sizes, offsets and counts of operations


class Field:
    """One value. ``place`` is like ``dispatches[3].bindings[0]``.

    Each method returns the value in one form, or raises :class:`FileFormatError`.
    """

    __slots__ = ("place", "value")

    def __init__(self, value: Any, place: str = "") -> None:
        self.value = value
        self.place = place

    def refuse(self, expected: str) -> NoReturn:
        """Raise: something else was expected here."""
        where = f" at {self.place}" if self.place else ""
        raise FileFormatError(
            f"Program.from_json: expected {expected}{where}, got {shortened(self.value)}; "
            f"write the program again with Program.to_json()"
        )

    def object(self, names: Collection[str], optional: Collection[str] = ()) -> dict[str, Field]:
        """The fields of an object that has exactly these names; ``optional`` ones may be missing."""
        if not isinstance(self.value, dict):
            self.refuse(f"an object with {', '.join(names)}")
        for name in names:
            if name not in self.value:
                Field(sorted(self.value), self.place).refuse(f"an object with {name!r}")
        for name in self.value:
            if name not in names and name not in optional:
                self.refuse(f"an object without {shortened(name)}")
        return {name: Field(value, f"{self.place}.{name}".lstrip(".")) for name, value in self.value.items()}

    def any_object(self) -> dict[str, Field]:
        """The fields of an object of any names."""
        if not isinstance(self.value, dict):
            self.refuse("an object")
        return {name: Field(value, f"{self.place}.{name}") for name, value in self.value.items()}

    def list(self, count: int | None = None) -> list[Field]:
        """The fields of a list, of ``count`` elements if that is given."""
        if not isinstance(self.value, list) or count not in (None, len(self.value)):
            self.refuse("a list" if count is None else f"a list of {count}")
        return [Field(value, f"{self.place}[{n}]") for n, value in enumerate(self.value)]

    def integer(self, least: int = 0, most: int = MOST) -> int:
        """A whole number within bounds."""
        if type(self.value) is not int or not least <= self.value <= most:
            self.refuse(f"a whole number from {least}" + (f" to {most}" if most < MOST else ""))
        return self.value

    def index(self, count: int, of: str) -> int:
        """The place of one of ``count`` things that precede it."""
        if type(self.value) is not int or not 0 <= self.value < count:
            self.refuse(f"the number of one of {count} {of}")
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if type(self.value) is not bool:
            self.refuse("true or false")
        return self.value

    def text(self) -> str:
        """A string."""
        if not isinstance(self.value, str):
            self.refuse("text")
        return self.value

    def one_of(self, names: Iterable[S]) -> S:
        """One of several strings."""
        known = list(names)
        if self.value not in known:
            self.refuse(f"one of {', '.join(known)}")
        return known[known.index(self.value)]


__all__ = ["Field"]
