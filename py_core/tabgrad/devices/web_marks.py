"""Marks in the order of work, which the JavaScript executor keeps: to ask for one takes no turn of the event loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn

from tabgrad.devices.mark import Mark


class Marks:
    """What all marks of a device share.

    Args:
        executor: keeps them.
        raise_pending: raises what the device has met.
    """

    def __init__(self, executor: Any, raise_pending: Callable[[], NoReturn]) -> None:
        self.set, self.reached_ms, self.wait, self.drop = (
            executor.mark, executor.reachedMs, executor.waitForMark, executor.dropMark
        )  # fmt: skip
        self.raise_pending = raise_pending
        self.origin_s = time.perf_counter() - executor.now() / 1000  # of the executor's clock


class WebMark(Mark):
    """A mark by its number."""

    def __init__(self, marks: Marks) -> None:
        self._marks, self._id = marks, marks.set()
        self._reached_s: float | None = None

    def reached_s(self) -> float | None:
        if self._reached_s is None:
            ms = self._marks.reached_ms(self._id)
            if ms != ms:
                self._marks.raise_pending()
            if ms >= 0:
                self._reached_s = self._marks.origin_s + ms / 1000
                self._marks.drop(self._id)
        return self._reached_s

    async def wait(self) -> None:
        if await self._marks.wait(self._id):
            self._marks.raise_pending()

    async def drop(self) -> None:
        self._marks.drop(self._id)


__all__ = ["Marks", "WebMark"]
