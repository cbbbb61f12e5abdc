"""Programs that have been compiled: kept by the structure of their graph, and bound to buffers once per set."""

from __future__ import annotations

import reprlib
import struct
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.compiler.compile import Compiled
from tabgrad.compiler.tuner import tuner_of
from tabgrad.compiler.work import Works
from tabgrad.devices.base import BoundProgram, Buffer, Device, Executable
from tabgrad.errors import DTypeError

MOST_PROGRAMS = 256  # kept per device; compiled steps keep theirs themselves
MOST_BINDINGS = 64  # sets of buffers that a program stays bound to
TUNED_FROM = 3  # requests for a binding, of which a compiled step's first run makes two: then it runs repeatedly


class CachedProgram:
    """A compiled program on a device, and the buffer sets it has been bound to."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.executable: Executable | None = None  # once it is loaded
        self._bound: dict[tuple[int, ...], BoundProgram] = {}
        self._requests = 0

    def loaded(self, executable: Executable) -> None:
        """Take what a device made of it, unless somebody else was quicker."""
        if self.executable is None:
            self.executable = executable

    def tune(self, device: Device) -> None:
        """Hand the program to the tuner, once."""
        assert self.executable is not None
        if self._requests <= TUNED_FROM:
            self._requests = TUNED_FROM + 1
            tuner_of(device).add(self.compiled, self.executable)

    def bind(self, device: Device, buffers: Sequence[Buffer]) -> BoundProgram:
        """The program bound to these buffers; made once per set."""
        self.count_use(device)
        key = tuple(b.id for b in buffers)
        bound = self._bound.get(key)
        if bound is None:
            if len(self._bound) >= MOST_BINDINGS:
                self._bound.pop(next(iter(self._bound)))
            assert self.executable is not None
            bound = self._bound[key] = device.bind(self.executable, buffers)
        return bound

    def count_use(self, device: Device) -> None:
        """Note a run; a program that runs again and again is worth tuning."""
        if self._requests > TUNED_FROM:
            return
        self._requests += 1
        if self._requests == TUNED_FROM:
            self.tune(device)
            if not tuner_of(device).turns.driven:
                tuner_of(device).begin()


class Programs(dict[Hashable, CachedProgram]):
    """A device's programs by the key of their graph, the one used longest ago first."""

    def __init__(self) -> None:
        super().__init__()
        self.works = Works()  # programs for other batch sizes and for validation have kernels in common


_PACKED = {dtypes.float32: "f", dtypes.int32: "i", dtypes.uint32: "I", dtypes.bool_: "I"}


class ScalarsLayout:
    """Numbers of certain dtypes as the u32 words that a program's scalars buffer holds."""

    def __init__(self, types: Sequence[dtypes.DType]) -> None:
        self._types = list(types)
        self._words = struct.Struct("<" + "".join(_PACKED[dtype] for dtype in types))

    def pack(self, values: Sequence[Any]) -> np.ndarray:
        """The words.

        Raises:
            DTypeError: one of the numbers does not fit.
        """
        if not values:
            return np.empty(0, np.uint32)
        try:
            packed = self._words.pack(*values)
        except (OverflowError, struct.error):
            raise _unfit(values, self._types) from None
        return np.frombuffer(packed, np.uint32)


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
