"""A mark in the order of work for any device: a task that waits for a fence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabgrad.devices.base import Device
    from tabgrad.devices.mark import Mark


def set_mark(device: Device) -> Mark:
    """Note this place in the order of a device's work; what waits is submitted."""
    return FenceMark(device.fence) if device.marks is None else device.marks.set()


class FenceMark:
    """A :class:`tabgrad.devices.mark.Mark` that needs nothing but a fence, and turns of the event loop."""

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


__all__ = ["FenceMark", "set_mark"]
