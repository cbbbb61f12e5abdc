"""Times of runs and of kernels, on a device that keeps time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tabgrad.devices.base import BoundProgram, Buffer, Raw, Writes

STAMP_BYTES = 16  # two timestamps


class Clock(ABC):
    """What :attr:`tabgrad.devices.base.Device.clock` offers.

    Attributes:
        gpu_ms: GPU time of the newest timed run that a read or fence has resolved; None before, and where a GPU's
            time has no meaning.
    """

    gpu_ms: float | None = None

    @abstractmethod
    def run(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> None:
        """As :meth:`Device.run`; its GPU time is in :attr:`gpu_ms` later."""

    @abstractmethod
    def profile(self, bound: BoundProgram, scalars: Raw, writes: Writes = ()) -> Stamps:
        """As :meth:`Device.run`, with each dispatch timed by itself, which makes the step a little slower.

        The caller reads the stamps and frees their buffer.
        """


@dataclass(frozen=True, kw_only=True)
class Stamps:
    """Where a profiled run's times will be: in ``buffer``, for each of ``dispatches``, begin and end as u64 ticks."""

    buffer: Buffer
    dispatches: tuple[int, ...]
    tick_ns: float

    @property
    def request(self) -> tuple[Buffer, int, int]:
        """What to ask :meth:`Device.read` for."""
        return self.buffer, 0, STAMP_BYTES * len(self.dispatches)

    def intervals(self, raw: Raw) -> list[Interval]:
        """The times in what was read, each at or after the end of the one before: passes may overlap a little."""
        found: list[Interval] = []
        last = 0
        for dispatch, (begin, end) in zip(self.dispatches, raw.view(np.uint64).reshape(-1, 2).tolist(), strict=True):
            begin_ns = max(round(begin * self.tick_ns), last)
            last = max(round(end * self.tick_ns), begin_ns)
            found.append(Interval(dispatch, begin_ns, last))
        return found


class Interval(NamedTuple):
    """When a dispatch ran, on the device's own clock."""

    dispatch: int
    begin_ns: int
    end_ns: int


__all__ = ["STAMP_BYTES", "Clock", "Interval", "Stamps"]
