"""What rendering a kernel gives, and how threads are laid out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tabgrad.compiler.target import Target


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """A kernel's source and launch size."""

    source: str
    workgroups: tuple[int, int, int]


def rows_of_groups(count: int, target: Target) -> tuple[int, int]:
    """``count`` workgroups as (x, y), each at most the limit; x * y may be a little more than ``count``."""
    limit = target.limits.max_workgroups
    y = -(-count // limit)
    return -(-count // y), y


@dataclass(frozen=True)
class Folded:
    """A launch with more workgroups a dimension than the adapter takes: in rows of ``row``, numbered throughout."""

    groups: tuple[int, int, int]
    row: int

    @property
    def total(self) -> int:
        """Workgroups that have work."""
        return math.prod(self.groups)


def launch(groups: tuple[int, int, int], target: Target) -> tuple[tuple[int, int, int], Folded | None]:
    """How to launch workgroups of three dimensions, and what a kernel must know if they are folded."""
    if max(groups) <= target.limits.max_workgroups:
        return groups, None
    folded = Folded(groups, row=rows_of_groups(math.prod(groups), target)[0])
    return (folded.row, -(-folded.total // folded.row), 1), folded
