"""A value of a linear graph."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

from tabgrad.dtypes import DType
from tabgrad.graph.op import Attrs, Op, Shape


@dataclass(frozen=True, slots=True)
class Entry:
    """One value: as a :class:`Node`, with positions in place of references."""

    op: Op
    args: tuple[int, ...]
    attrs: Attrs
    shape: Shape
    dtype: DType
    slot: int = -1  # of a buffer: which storage; of a scalar: which number
    offset: int = 0  # of a buffer: elements before the first

    def with_args(self, args: tuple[int, ...]) -> Entry:
        """The same of other arguments."""
        if args == self.args:
            return self
        return Entry(self.op, args, self.attrs, self.shape, self.dtype, self.slot, self.offset)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        """What it takes in memory, in whole words."""
        return self.dtype.bytes_of(self.size)


def attrs_key(e: Entry) -> Hashable:
    """Equal for equal attributes; as a value to compute with, 0.0 is not -0.0, and NaN equals itself."""
    return repr(e.attrs) if "value" in e.attrs else tuple(e.attrs.items())


def entry_key(e: Entry) -> Hashable:
    """Equal for entries of equal values."""
    return e.op, e.args, attrs_key(e), e.shape, e.dtype.name, e.slot, e.offset


__all__ = ["Entry", "attrs_key", "entry_key"]
