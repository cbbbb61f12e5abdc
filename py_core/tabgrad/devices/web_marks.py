"""Marks in the order of work, which the JavaScript executor keeps: to ask for one takes no turn of the event loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NoReturn

from tabgrad.devices.mark import Mark, Marks


class WebMarks(Marks):
    """The executor's.

    Args:
        executor: keeps them.
        crossed: counts a call of it.
        raise_pending: raises what the device has met.
    """

    def __init__(self, executor: Any, crossed: Callable[[bool], None], raise_pending: Callable[[], NoReturn]) -> None:
        self._mark, self._crossed = executor.mark, crossed
        self.reached_ms, self.wait, self.drop = executor.reachedMs, executor.waitForMark, executor.dropMark
        self.raise_pending = raise_pending
        self.origin_s = time.perf_counter() - executor.now() / 1000  # of the executor's clock

    def set(self) -> Mark:
        self._crossed(False)
        return _WebMark(self, self._mark())


class _WebMark:
    """A mark by its number."""

    def __init__(self, marks: WebMarks, number: int) -> None:
        self._marks, self._number = marks, number
        self._reached_s: float | None = None

    def reached_s(self) -> float | None:
        if self._reached_s is None:
            ms = self._marks.reached_ms(self._number)
            if ms != ms:
                self._marks.raise_pending()
            if ms >= 0:
                self._reached_s = self._marks.origin_s + ms / 1000
                self._marks.drop(self._number)
        return self._reached_s

    async def wait(self) -> None:
        if await self._marks.wait(self._number):
            self._marks.raise_pending()

    async def drop(self) -> None:
        self._marks.drop(self._number)


__all__ = ["WebMarks"]
