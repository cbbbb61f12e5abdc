"""How the tiled attention kernels use workgroup memory: the largest tiles that fit are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabgrad.compiler.target import Target

COLUMNS = 32  # of a tile: 8 threads with 4 each
CHUNK = 8  # vec4s of a row taken at a time where whole rows do not fit
VECTOR_BYTES = 16


@dataclass(frozen=True)
class Choice:
    """A variant: rows per workgroup, whether a row is taken whole, and whether the workgroup's rows stay in memory."""

    rows: int
    whole: bool
    resident: bool


CHOICES = (  # fastest first where all fit, as measured on an NVIDIA H200
    Choice(64, False, False),
    Choice(64, True, True),
    Choice(64, True, False),
    Choice(32, True, True),
    Choice(32, True, False),
    Choice(32, False, False),
)


class Tiling:
    """Where the tiles of a choice lie, in vec4s from the start of workgroup memory.

    First what is loaded anew all the time (a chunk of the workgroup's rows, then one of the columns), then the
    resident rows, then the weights that threads share.

    Args:
        products: the width of each product of rows and columns.
        sums: for each accumulated product: its width, and which of ``products``, the last one, has the same columns.
    """

    def __init__(self, choice: Choice, products: list[int], sums: list[tuple[int, int | None]]) -> None:
        self.rows, self.threads = choice.rows, 2 * choice.rows
        self._sums = sums
        self._slots = [_vectors(w) if choice.whole else min(CHUNK, _vectors(w)) for w in products]
        self._chunks = [-(-_vectors(w) // s) for w, s in zip(products, self._slots, strict=True)]
        self._strides = [s | 1 for s in self._slots]  # odd, so that lines lie in different banks
        self._resident = [choice.resident and c == 1 for c in self._chunks]
        moving = [self.rows * s for s, r in zip(self._strides, self._resident, strict=True) if not r]
        self._right_at = max(moving, default=0)
        need = [COLUMNS * s for s in self._strides]
        need += [8 * _vectors(w) - self._right_at for w, _ in sums]  # at least 8 rows of what is added up
        self._room = self._right_at + max(need)
        self._left_at, at = [], self._room
        for stride, resident in zip(self._strides, self._resident, strict=True):
            self._left_at.append(at if resident else 0)
            at += self.rows * stride if resident else 0
        self.shared_at = at
        self.vectors = at + self.rows * (COLUMNS // 4 + 1)

    def product(self, n: int, left: Any, right: Any) -> dict[str, Any]:
        """What the templates need of the ``n``-th product, between these operands."""
        return {
            "left": left, "right": right, "left_at": self._left_at[n], "right_at": self._right_at,
            "slots": self._slots[n], "stride": self._strides[n], "chunks": self._chunks[n],
            "resident": self._resident[n],
        }  # fmt: skip

    def sum(self, n: int, name: str, operand: Any) -> dict[str, Any]:
        """What the templates need of the ``n``-th accumulated product."""
        width, source = self._sums[n]
        loaded = source is not None and self._chunks[source] == 1
        slots = _vectors(width)
        return {
            "name": name, "operand": operand, "slots": slots, "vectors": -(-slots // 8), "loaded": loaded,
            "at": self._right_at if loaded else 0,
            "stride": self._strides[source] if source is not None and loaded else slots,
            "depth": next(d for d in (32, 16, 8) if d * slots <= self._room),
        }  # fmt: skip


def _vectors(width: int) -> int:
    return -(-width // 4)


def suitable(
    products: list[int],
    sums: list[tuple[int, int | None]],
    batch: int,
    height: int,
    *,
    exchange: bool,
    target: Target,
) -> list[Choice]:
    """Choices that fit: first those that give the whole adapter work, then those with fewest rows, then the others.

    Args:
        products, sums: see :class:`Tiling`.
        height: rows in all, of each of ``batch`` matrices.
        exchange: whether the threads of a row also exchange a number each.
    """

    def fits(choice: Choice) -> bool:
        tiling = Tiling(choice, products, sums)
        size = VECTOR_BYTES * (tiling.vectors + (2 * choice.rows if exchange else 0))
        return size <= target.limits.max_workgroup_bytes and tiling.threads <= target.limits.max_invocations

    busy = [c for c in CHOICES if batch * -(-height // c.rows) * 2 * c.rows >= target.busy_threads]
    fewest = min(c.rows for c in CHOICES)
    order = dict.fromkeys((*busy, *(c for c in CHOICES if c.rows == fewest), *CHOICES))
    return [c for c in order if fits(c)]
