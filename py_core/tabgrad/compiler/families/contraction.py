"""Contractions: what the GEMM templates need to know of a matrix product, or of what can be read as one.

A :class:`Contraction` says where elements ``A[b, m, k]`` and ``B[b, k, n]`` lie; the templates do the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.lower import Lowerer
from tabgrad.graph.entry import Entry
from tabgrad.graph.index import Coords, Index
from tabgrad.ops.movement import EXPAND, PERMUTE, RESHAPE
from tabgrad.ops.slicing import SLICE


class Contraction(ABC):
    """``C[b, m, n] = sum over k of A[b, m, k] * B[b, k, n]`` as seen by a heavy entry."""

    batch: int
    m: int
    n: int
    k: int
    gathers = False  # whether elements' places are computed one by one
    along_k: tuple[bool, bool]  # for A and B: whether neighbours in memory are neighbours in k, rather than in m or n

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        self.entries, self.entry, self.lower = entries, entry, lower

    @abstractmethod
    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        """Expression of ``A[b, m, k]``."""

    @abstractmethod
    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        """Expression of ``B[b, k, n]``."""

    @abstractmethod
    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        """Where ``C[b, m, n]`` lies in the entry's result."""

    def _shape(self, n: int) -> tuple[int, ...]:
        return self.entries[self.entry.args[n]].shape

    def _element(self, n: int, position: list[Index], scopes: Scopes, test: str | None = None) -> str:
        """Argument ``n`` at a position, or 0 where ``test`` fails."""
        value = self.lower.value(self.entry.args[n], Coords(self._shape(n), position), scopes)
        return f"select(0.0, {value}, {test})" if test else value


class MatMul(Contraction):
    """``[B, M, K] @ [B, K, N]``."""

    def __init__(self, entries: list[Entry], entry: Entry, lower: Lowerer) -> None:
        super().__init__(entries, entry, lower)
        self.batch, self.m, self.k = self._shape(0)
        self.n = self._shape(1)[2]
        self.along_k = matmul_along_k(entries, entry)

    def a(self, b: Index, m: Index, k: Index, scopes: Scopes) -> str:
        return self._element(0, [b, m, k], scopes)

    def b(self, b: Index, k: Index, n: Index, scopes: Scopes) -> str:
        return self._element(1, [b, k, n], scopes)

    def out(self, b: Index, m: Index, n: Index, scopes: Scopes) -> Coords:
        return Coords(self.entry.shape, [b, m, n])


def matmul_along_k(entries: list[Entry], entry: Entry) -> tuple[bool, bool]:
    """For both operands of a ``matmul``: whether neighbours in memory are neighbours in k."""
    return not _flipped(entries, entry.args[0]), _flipped(entries, entry.args[1])


def _flipped(entries: list[Entry], index: int) -> bool:
    """Whether an operand is read through a view that swaps its last two dimensions."""
    flipped = False
    while (e := entries[index]).op in (RESHAPE, PERMUTE, EXPAND, SLICE):
        if e.op is PERMUTE and e.attrs["dims"][-1] != len(e.attrs["dims"]) - 1:
            flipped = not flipped
        index = e.args[0]
    return flipped
