"""How the tiled attention kernels use workgroup memory and threads: the choices, fastest first where they fit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant, variant

TEMPLATE = "attention/tiles"
VECTOR_BYTES = 16


@dataclass(frozen=True)
class Choice:
    """A variant: a workgroup's tile of scores, and how its threads share it.

    Args:
        rows, columns: of the tile.
        height: rows of a thread, 4 or 8.
        lanes: threads that share a row, 8 or 16.
        chunk: vec4s of an operand's row that are taken in at a time.
        resident: of how many products the workgroup's rows stay in memory.
        unroll: lines multiplied in a turn of a loop.
    """

    rows: int
    columns: int
    height: int
    lanes: int
    chunk: int
    resident: int = 0
    unroll: int = 4

    @property
    def threads(self) -> int:
        """Per workgroup."""
        return self.rows // self.height * self.lanes

    def variant(self) -> Variant:
        """As a kernel's variant."""
        return variant(TEMPLATE, **self.__dict__)

    @staticmethod
    def of(chosen: Variant) -> Choice:
        """The choice that a variant names."""
        return Choice(**dict(chosen.parameters))


CHOICES = (
    Choice(32, 32, 4, 8, 16, 2),
    Choice(64, 64, 4, 8, 8),
    Choice(64, 32, 8, 8, 8, 1),
    Choice(64, 64, 8, 16, 8, 1),
    Choice(32, 32, 4, 8, 4),
)


class Tiling:
    """Where the tiles of a choice lie, in vec4s from the start of workgroup memory.

    First what is brought in anew all the time (a chunk of the columns and one of the rows, turned about; or lines of
    what is added up), then rows that stay, then the weights that threads share.

    Args:
        products: the width of each product of rows and columns.
        sums: the width of each accumulated product.
    """

    def __init__(self, choice: Choice, products: list[int], sums: list[int]) -> None:
        self.choice = c = choice
        self._widths = products
        self._sums = [_vectors(w) for w in sums]
        self.pitch_rows = c.rows // 4 + 1  # odd, so that lines lie in different banks
        self.pitch_columns = c.columns // 4 + 1
        chunks = [self._chunk(_vectors(w)) for w in products]
        moving = [not self._resident(n) for n in range(len(products))]
        rights = [4 * chunk * self.pitch_columns for chunk in chunks]
        need = [
            right + 4 * chunk * self.pitch_rows * left for chunk, right, left in zip(chunks, rights, moving, strict=True)
        ]
        self._room = max([*need, *(8 * s for s in self._sums)])  # at least 8 lines of what is added up
        self._left_at, at = [], self._room
        for width, chunk, right, left in zip(products, chunks, rights, moving, strict=True):
            self._left_at.append(right if left else at)
            at += 0 if left else 4 * chunk * -(-_vectors(width) // chunk) * (c.rows // 4)
        self.shared_at = at
        self.vectors = at + c.columns * self.pitch_rows
        blocks = [-(-c.columns // 4 * chunk // c.threads) * 4 for chunk in chunks]
        lines = [-(-self._depth(s) * s // c.threads) for s in self._sums]
        self.rights = max(blocks + lines)  # registers of a thread
        self.lefts = max(-(-c.rows // 4 * chunk // c.threads) * 4 * left for chunk, left in zip(chunks, moving, strict=True))

    def _chunk(self, slots: int) -> int:
        return -(-slots // -(-slots // self.choice.chunk))

    def _resident(self, n: int) -> bool:
        return n < self.choice.resident

    def _depth(self, slots: int) -> int:
        columns = self.choice.columns
        return next(d for d in (columns, columns // 2, columns // 4, 8) if d * slots <= self._room)

    def product(self, n: int, left: Any, right: Any) -> dict[str, Any]:
        """What the templates need of the ``n``-th product, between these operands."""
        slots = _vectors(self._widths[n])
        chunk = self._chunk(slots)
        chunks = -(-slots // chunk)
        return {
            "left": left, "right": right, "chunk": chunk, "chunks": chunks, "resident": self._resident(n),
            "ragged": 4 * chunk * chunks != self._widths[n], "left_at": self._left_at[n],
            "unroll": math.gcd(4 * chunk, self.choice.unroll),
            "pitch": self.choice.rows // 4 if self._resident(n) else self.pitch_rows,
        }  # fmt: skip

    def sum(self, n: int, name: str, operand: Any) -> dict[str, Any]:
        """What the templates need of the ``n``-th accumulated product."""
        slots = self._sums[n]
        return {
            "name": name, "operand": operand, "slots": slots, "vectors": -(-slots // self.choice.lanes),
            "depth": self._depth(slots), "unroll": math.gcd(self._depth(slots), self.choice.unroll),
        }  # fmt: skip


def _vectors(width: int) -> int:
    return -(-width // 4)


def suitable(products: list[int], sums: list[int], batch: int, height: int, *, exchange: bool, target: Target) -> list[Choice]:
    """Choices that fit: first those that give the whole adapter work, then those with fewest rows, then the others.

    Args:
        products, sums: see :class:`Tiling`.
        height: rows in all, of each of ``batch`` matrices.
        exchange: whether the threads of a row also exchange a number each.
    """

    def fits(choice: Choice) -> bool:
        vectors = Tiling(choice, products, sums).vectors + (choice.lanes * choice.rows // 4 if exchange else 0)
        limits = target.limits
        return VECTOR_BYTES * vectors <= limits.max_workgroup_bytes and choice.threads <= limits.max_invocations

    busy = [c for c in CHOICES if batch * -(-height // c.rows) * c.threads >= target.busy_threads]
    fewest = min(c.rows for c in CHOICES)
    order = dict.fromkeys((*busy, *(c for c in CHOICES if c.rows == fewest), *CHOICES))
    return [c for c in order if fits(c)]
