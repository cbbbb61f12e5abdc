"""Numbers that change from run to run, as a program's scalars buffer holds them."""

from __future__ import annotations

import reprlib
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.errors import DTypeError

_PACKED = {dtypes.float32: "f", dtypes.int32: "i", dtypes.uint32: "I", dtypes.bool_: "I"}


class ScalarsLayout:
    """Numbers of certain dtypes as the u32 words that a program's scalars buffer holds."""

    def __init__(self, types: Sequence[dtypes.DType]) -> None:
        self._types = list(types)
        self._words = struct.Struct("<" + "".join(_PACKED[dtype] for dtype in types))
        self._packed = np.zeros(len(self._types), np.uint32)
        self._view = self._packed.data

    def pack(self, values: Sequence[Any]) -> np.ndarray:
        """The words, in an array that the next call fills again: devices know where it lies from the run before.

        Raises:
            DTypeError: one of the numbers does not fit.
        """
        try:
            self._words.pack_into(self._view, 0, *values)
        except (OverflowError, struct.error):
            raise _unfit(values, self._types) from None
        return self._packed


def pack_scalars(values: Sequence[tuple[Any, dtypes.DType]]) -> np.ndarray:
    """Numbers with their dtypes as the words of :class:`ScalarsLayout`, once.

    Raises:
        DTypeError: one of them does not fit.
    """
    return ScalarsLayout([dtype for _, dtype in values]).pack([value for value, _ in values])


def _unfit(values: Sequence[Any], types: Sequence[dtypes.DType]) -> DTypeError:
    """Which of the numbers cannot be packed, in words."""
    for value, dtype in zip(values, types, strict=True):
        try:
            struct.pack(f"<{_PACKED[dtype]}", value)
        except (OverflowError, struct.error):
            most = f" of at most {dtypes.LARGEST_FLOAT32:.8g}" if dtype.is_floating_point else ""
            return DTypeError(
                f"step: expected numbers{most} that {dtype.name} holds, got {reprlib.repr(value)}; choose a smaller "
                f"learning rate, or whatever other setting it comes from"
            )
    raise AssertionError("all of them can be packed one by one")


__all__ = ["ScalarsLayout", "pack_scalars"]
