"""Variants: the ways in which one kernel can be written. Their values agree; the adapter decides which is fastest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Variant:
    """A template and the values of its tunable parameters."""

    template: str  # for example "gemm/tiled"
    parameters: tuple[tuple[str, int], ...] = ()

    def __getitem__(self, name: str) -> int:
        return dict(self.parameters)[name]

    def __str__(self) -> str:
        return " ".join([self.template, *(f"{name}={value}" for name, value in self.parameters)])


def variant(template: str, **parameters: int) -> Variant:
    """A variant from its parameters by name."""
    return Variant(template, tuple(parameters.items()))


@dataclass(frozen=True)
class Measured:
    """The variant that measurements found to be the fastest for a kernel, as it was written then."""

    variant: Variant
    fingerprint: str  # see :meth:`tabgrad.compiler.work.Work.fingerprint`


Choose = Callable[[str], Measured | None]
"""Given a kernel's key: what was measured, or None for the heuristic's variant."""


def heuristic(key: str) -> Measured | None:
    """The choice where nothing has been measured."""
    return None
