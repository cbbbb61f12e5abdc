"""What rendering a kernel gives, and how threads are laid out."""

from __future__ import annotations

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
