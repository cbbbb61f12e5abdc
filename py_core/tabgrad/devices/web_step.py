"""What the web device keeps of a bound program."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.devices.base import BoundProgram, Raw, Writes
from tabgrad.devices.web_memory import address


class WebStep:
    """A bound program's id, and the words that describe one run of it, kept from step to step."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._words = np.empty(0, dtype=np.uint32)
        self._address = 0
        self._flags = -1
        self._num_writes = 0
        self._scalars: Raw | None = None  # kept, so that no other array lies where it does
        self._scalars_words = (0, 0)  # their address and number

    def describe(self, scalars: Raw, writes: Writes, flags: int) -> int:
        """Write a run's descriptor, unless it is that of the run before; returns its address."""
        if scalars is self._scalars and flags == self._flags and not (writes or self._num_writes):
            return self._address
        if scalars is not self._scalars:
            assert scalars.flags.c_contiguous and scalars.nbytes % 4 == 0
            self._scalars_words = (address(scalars) if scalars.nbytes else 0, scalars.nbytes // 4)
            self._scalars = scalars
        words: list[Any] = [flags, *self._scalars_words, len(writes)]
        for buffer, data in writes:
            assert data.flags.c_contiguous and data.nbytes % 4 == 0
            words += (buffer.handle, 0, address(data), data.nbytes)
        if self._words.size < len(words):
            self._words = np.empty(len(words), dtype=np.uint32)
            self._address = address(self._words)
        self._words[: len(words)] = words
        self._flags, self._num_writes = flags, len(writes)
        return self._address


def step_of(bound: BoundProgram) -> WebStep:
    """What the web device keeps of a bound program."""
    assert isinstance(bound.handle, WebStep)
    return bound.handle


__all__ = ["WebStep", "step_of"]
