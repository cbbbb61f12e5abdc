"""How the tiled attention kernels use workgroup memory and threads: the choices, fastest first where they fit."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant, variant
from tabgrad.ops.attention import Pass

TILES = "attention/tiles"
VECTOR_BYTES = 16


@dataclass(frozen=True)
class Choice:
    """A variant: a workgroup's tile of scores, and how its threads share it.

    Args:
        rows, columns: of the tile.
        height: rows of a thread, 4 or 8.
        lanes: threads that share a row, 8 or 16.
        chunk: vec4s of an operand's row that are taken in at a time.
        lines: of what is added up, taken in at a time.
        unroll: lines multiplied in a turn of a loop.
        skip: 1 if threads leave out columns that causality hides from all of their rows.
    """

    rows: int
    columns: int
    height: int
    lanes: int
    chunk: int
    lines: int
    unroll: int = 4
    skip: int = 0

    @property
    def threads(self) -> int:
        """Per workgroup."""
        return self.rows // self.height * self.lanes

    def variant(self) -> Variant:
        """As a kernel's variant."""
        return variant(TILES, **self.__dict__)

    @staticmethod
    def of(chosen: Variant) -> Choice:
        """The choice that a variant names."""
        return Choice(**dict(chosen.parameters))


_BROAD = Choice(64, 64, 4, 8, 8, 16)
_TALL = Choice(64, 64, 8, 16, 8, 16, unroll=8)
_LEAN = Choice(64, 32, 4, 8, 8, 16)
_DEEP = Choice(64, 32, 4, 8, 8, 32)
_FLAT = Choice(32, 64, 4, 16, 8, 16)
_LITTLE = Choice(32, 32, 4, 8, 8, 16)
_LEAST = Choice(32, 32, 4, 8, 4, 8)  # fits 16 KB, WebGPU's default limit, at all widths

CHOICES = (
    _BROAD, _TALL, _LEAN, _DEEP, _FLAT, _LITTLE, replace(_BROAD, skip=1), replace(_LEAN, skip=1), _LEAST,
)  # fmt: skip

LITTLE_CODE = (_DEEP, _LITTLE, _LEAST)  # in this order, where they fit

FASTEST = {  # on an NVIDIA H200, by what is computed and the greatest width
    Pass.FORWARD: ((32, _DEEP), (64, _LEAN), (256, _LITTLE)),
    Pass.GRAD_QUERY: ((32, _DEEP), (64, _LEAN), (256, _LITTLE)),
    Pass.GRAD_KEY_VALUE: ((32, _DEEP), (64, _BROAD), (256, _LEAN)),
}


class Tiling:
    """Where the tiles of a choice lie, in vec4s from the start of workgroup memory.

    For a product, a chunk of its rows, then one of its columns, transposed. For a sum, in their place, the weights
    that threads share, then lines of what is added up.

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
        self.pitch_weights = c.rows // 4 + 4  # as neighbours take 4 blocks of rows and 2 of columns
        self.lines_at = c.columns * self.pitch_weights
        lines = self.lines_at + max(min(c.lines, c.columns) * s for s in self._sums)
        self.vectors = max([lines, *(4 * chunk * (self.pitch_rows + self.pitch_columns) for chunk in chunks)])
        # registers of a thread
        self.lefts = 4 * max(-(-c.rows // 4 * chunk // c.threads) for chunk in chunks)
        blocks = [4 * -(-c.columns // 4 * chunk // c.threads) for chunk in chunks]
        self.rights = max(blocks + [-(-min(c.lines, c.columns) * s // c.threads) for s in self._sums])

    def _chunk(self, slots: int) -> int:
        return -(-slots // -(-slots // self.choice.chunk))

    def product(self, n: int, left: Any, right: Any) -> dict[str, Any]:
        """What the templates need of the ``n``-th product, between these operands."""
        slots = _vectors(self._widths[n])
        chunk = self._chunk(slots)
        chunks = -(-slots // chunk)
        return {
            "left": left, "right": right, "chunk": chunk, "chunks": chunks, "right_at": 4 * chunk * self.pitch_rows,
            "ragged": 4 * chunk * chunks != self._widths[n], "unroll": math.gcd(4 * chunk, self.choice.unroll),
        }  # fmt: skip

    def sum(self, n: int, name: str, operand: Any) -> dict[str, Any]:
        """What the templates need of the ``n``-th accumulated product."""
        slots, depth = self._sums[n], min(self.choice.lines, self.choice.columns)
        return {
            "name": name, "operand": operand, "slots": slots, "vectors": -(-slots // self.choice.lanes),
            "depth": depth, "unroll": math.gcd(depth, self.choice.unroll),
        }  # fmt: skip


def _vectors(width: int) -> int:
    return -(-width // 4)


def suitable(
    computes: Pass, products: list[int], sums: list[int], batch: int, height: int, target: Target
) -> list[Choice]:
    """Choices that fit: first those that give the whole adapter work, then those with fewest rows, then the others.

    Args:
        products, sums: see :class:`Tiling`.
        height: rows in all, of each of ``batch`` matrices.
    """
    exchanges = computes is not Pass.GRAD_KEY_VALUE  # the threads of a row exchange a number each

    def fits(choice: Choice) -> bool:
        vectors = Tiling(choice, products, sums).vectors + exchanges * choice.lanes * choice.rows // 4
        limits = target.limits
        return VECTOR_BYTES * vectors <= limits.max_workgroup_bytes and choice.threads <= limits.max_invocations

    best = next((c for width, c in FASTEST[computes] if max(products + sums) <= width), None)
    ordered = sorted(CHOICES, key=lambda c: c != best)
    busy = [c for c in ordered if batch * -(-height // c.rows) * c.threads >= target.busy_threads]
    fewest = min(c.rows for c in CHOICES)
    order = dict.fromkeys((*busy, *(c for c in ordered if c.rows == fewest), *ordered))
    return [c for c in order if fits(c)]
