"""How the tiled attention kernels use workgroup memory and threads: the choices, fastest first where they fit."""

from __future__ import annotations

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
        stages: 1 (fetch, wait, multiply), or 2 (fetch the next chunk into registers while multiplying this one).
    """

    rows: int
    columns: int
    height: int
    lanes: int
    chunk: int
    stages: int = 1

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
    Choice(64, 64, 8, 8, 8),
    Choice(32, 32, 4, 8, 4),
)


class Tiling:
    """Where the tiles of a choice lie, in vec4s from the start of workgroup memory.

    First what is loaded anew all the time (a chunk of the rows and one of the columns, turned about; or lines of what
    is added up), then the weights that threads share.

    Args:
        products: the width of each product of rows and columns.
        sums: the width of each accumulated product.
    """

    def __init__(self, choice: Choice, products: list[int], sums: list[int]) -> None:
        self.choice = choice
        self._slots = [_vectors(w) for w in products]
        self._sums = [_vectors(w) for w in sums]
        self.pitch_rows = choice.rows // 4 + 1  # odd, so that lines lie in different banks
        self.pitch_columns = choice.columns // 4 + 1
        chunks = [self._chunk(s) for s in self._slots]
        need = [4 * c * (self.pitch_rows + self.pitch_columns) for c in chunks]
        self._room = max([*need, *(8 * s for s in self._sums)])  # at least 8 lines of what is added up
        self.shared_at = self._room
        self.vectors = self._room + choice.columns * self.pitch_rows

    def _chunk(self, slots: int) -> int:
        return -(-slots // -(-slots // self.choice.chunk))

    def product(self, n: int, left: Any, right: Any) -> dict[str, Any]:
        """What the templates need of the ``n``-th product, between these operands."""
        chunk = self._chunk(self._slots[n])
        return {
            "left": left, "right": right, "chunk": chunk, "chunks": -(-self._slots[n] // chunk),
            "right_at": 4 * chunk * self.pitch_rows,
        }  # fmt: skip

    def sum(self, n: int, name: str, operand: Any) -> dict[str, Any]:
        """What the templates need of the ``n``-th accumulated product."""
        slots, columns = self._sums[n], self.choice.columns
        depths = (d for d in (columns, columns // 2, columns // 4, 8) if d * slots <= self._room)
        return {
            "name": name, "operand": operand, "slots": slots, "vectors": -(-slots // self.choice.lanes),
            "depth": next(depths),
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
