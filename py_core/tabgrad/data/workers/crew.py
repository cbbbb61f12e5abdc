"""Workers as the loader sees them: started, sent messages, heard, and ended; whatever they run in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from tabgrad.data.workers.packed import Packed


@dataclass(frozen=True)
class Heard:
    """What came from a worker: its answer to the oldest message that it has not answered yet, or news of its end."""

    number: int
    answer: Packed | None  # None: it is gone
    why: str = ""  # it is gone, as a clause


class Crew(ABC):
    """Workers of one loader, by number."""

    @abstractmethod
    def start(self, number: int) -> None:
        """Take an idle worker, or start one; one that has this number already is ended."""

    @abstractmethod
    def send(self, number: int, message: Packed) -> None:
        """Queue a message; returns at once."""

    @abstractmethod
    def hear(self, timeout_s: float | None) -> Heard | None:
        """Wait for the next answer or end; None after the timeout.

        Raises:
            DeviceError: this platform cannot wait; use ``async for``.
        """

    @abstractmethod
    async def hear_async(self, timeout_s: float | None) -> Heard | None:
        """As :meth:`hear`, without blocking the event loop."""

    @abstractmethod
    def release(self, number: int) -> None:
        """Keep a worker that has answered all for whoever starts one next: a start takes a second."""

    @abstractmethod
    def end(self, number: int) -> None:
        """End a worker at once."""


__all__ = ["Crew", "Heard"]
