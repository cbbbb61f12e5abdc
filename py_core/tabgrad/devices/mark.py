"""A place in the order of a device's work, for a caller that asks now and then whether it was reached."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable


class Mark(ABC):
    """It is reached when all work that was submitted before it has finished."""

    @abstractmethod
    def reached_s(self) -> float | None:
        """When that was, by ``time.perf_counter``; None as long as it was not.

        Raises:
            DeviceError: what the device met meanwhile.
        """

    @abstractmethod
    async def wait(self) -> None:
        """Return when it is reached, letting other tasks run; raises as :meth:`reached_s`."""

    @abstractmethod
    async def drop(self) -> None:
        """Nobody asks any more."""


class FenceMark(Mark):
    """A task that waits for a fence: what suits a device whose event loop makes tasks at little cost."""

    def __init__(self, fence: Callable[[], Awaitable[None]]) -> None:
        self._finished = asyncio.ensure_future(_time_after(fence))

    def reached_s(self) -> float | None:
        return self._finished.result() if self._finished.done() else None

    async def wait(self) -> None:
        await self._finished

    async def drop(self) -> None:
        self._finished.cancel()
        await asyncio.gather(self._finished, return_exceptions=True)


async def _time_after(fence: Callable[[], Awaitable[None]]) -> float:
    await fence()
    return time.perf_counter()


__all__ = ["FenceMark", "Mark"]
