"""The workers of a loader: who is employed, for how long, and for what."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from tabgrad.data.fetch import Epoch, Fetch
from tabgrad.data.workers.crew import Crew
from tabgrad.data.workers.preparation import Preparation, Team
from tabgrad.data.workers.prepare import Job
from tabgrad.random import threefry2x32

AHEAD = 2  # batches per worker, if `prefetch_factor` is not given


def open_crew() -> Crew:
    """Workers of this platform."""
    if sys.platform == "emscripten":
        from tabgrad.data.workers.threads import Threads  # exists in Pyodide alone

        return Threads()
    from tabgrad.data.workers.processes import Processes  # needs what Pyodide does not have

    return Processes()


class Employment:
    """Workers for the epochs of one loader.

    Args:
        count: of workers.
        init: called in each with its number.
        ahead: batches per worker that are prepared before they are wanted.
        timeout_s: within which a batch must come; 0: any time.
        lasts: whether they stay from epoch to epoch.
    """

    def __init__(
        self, count: int, init: Callable[[int], Any] | None, ahead: int | None, timeout_s: float, *, lasts: bool
    ) -> None:
        self._count, self._init, self._lasts = count, init, lasts
        self._ahead, self._timeout_s = ahead or AHEAD, timeout_s
        self._team: Team | None = None
        self._fetch: Fetch | None = None
        self._current: Preparation | None = None

    def epoch(self, epoch: Epoch) -> Iterator[Any]:
        """Its batches, in order."""
        preparation = self._begin(epoch)
        try:
            yield from preparation.batches()
        finally:
            self._end(preparation)

    async def epoch_async(self, epoch: Epoch) -> AsyncIterator[Any]:
        """As :meth:`epoch`, without blocking the event loop."""
        preparation = self._begin(epoch)
        try:
            async for batch in preparation.batches_async():
                yield batch
        finally:
            self._end(preparation)

    def _begin(self, epoch: Epoch) -> Preparation:
        fetch = epoch.fetch
        if self._team is not None and not (self._fetch and self._fetch.serves(fetch)):
            self.close()
        if self._team is None:
            seeds = [int(threefry2x32(fetch.seed or 0, n, 0)) for n in range(self._count)]
            jobs = [Job(fetch, epoch.stream, self._init, n, self._count, seed) for n, seed in enumerate(seeds)]
            self._team, self._fetch = Team(open_crew(), jobs, self._timeout_s), fetch
        self._current = Preparation(self._team, epoch.number, epoch.work, self._ahead)
        return self._current

    def _end(self, preparation: Preparation) -> None:
        """An epoch is over, or was left; another one may have begun."""
        if not self._lasts and self._current is preparation:
            self.close()

    def close(self) -> None:
        """End the workers, if there are any."""
        team, self._team = self._team, None
        if team is not None:
            team.close()

    def __del__(self) -> None:
        self.close()

    def __deepcopy__(self, memo: Any) -> Employment:
        return Employment(self._count, self._init, self._ahead, self._timeout_s, lasts=self._lasts)


__all__ = ["Employment", "open_crew"]
