"""Places in the order of a device's work, for a caller that asks now and then whether they were reached."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol


class Mark(Protocol):
    """It is reached when all work that was submitted before it has finished."""

    def reached_s(self) -> float | None:
        """When that was, by ``time.perf_counter``; None as long as it was not.

        Raises:
            DeviceError: what the device met meanwhile.
        """

    async def wait(self) -> None:
        """Return when it is reached, letting other tasks run; raises as :meth:`reached_s`."""

    async def drop(self) -> None:
        """Nobody asks any more."""


class Marks(ABC):
    """What :attr:`tabgrad.devices.base.Device.marks` offers."""

    @abstractmethod
    def set(self) -> Mark:
        """Note this place in the order of work; what waits is submitted."""


__all__ = ["Mark", "Marks"]
