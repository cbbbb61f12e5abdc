"""Roles: which dimensions of an op's operands go with which of its result, so that boxes of it can be computed alone.

Each role is a letter. One in operands alone is contracted: boxes along it give partial results. A dimension without
a role is needed whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Names = tuple[str | None, ...]  # one for each dimension


@dataclass(frozen=True)
class Roles:
    """The roles of the result's dimensions, and of each operand's."""

    out: Names
    args: tuple[Names, ...]

    def extents(self, shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
        """The size of each role, from the operands' shapes."""
        found = {}
        for names, shape in zip(self.args, shapes, strict=True):
            found.update({r: n for r, n in zip(names, shape, strict=True) if r is not None})
        return found


def numbered(n: int) -> tuple[str, ...]:
    """A role for each of ``n`` dimensions."""
    return tuple(f"d{i}" for i in range(n))


__all__ = ["Names", "Roles", "numbered"]
