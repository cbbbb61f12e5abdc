"""The loader's side of an epoch: gives out work, keeps the order, and replaces a worker that dies or hangs once."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Any

from tabgrad.data.workers.crew import Crew, Heard
from tabgrad.data.workers.packed import Packed, pack, unpack
from tabgrad.data.workers.prepare import End, Failure, Job, Start
from tabgrad.errors import TabgradError

START_S = 60.0  # within which a worker must have begun
SLOW_S = 60.0  # without a batch, and without `timeout=`: then a warning names who is waited for


class Team:
    """The workers of a loader, with a job.

    Args:
        crew: starts them.
        jobs: one for each worker.
        timeout_s: within which a batch must come; 0: waits for ever.
    """

    def __init__(self, crew: Crew, jobs: list[Job], timeout_s: float) -> None:
        self.crew, self.jobs, self.timeout_s = crew, jobs, timeout_s
        self._packed = [pack(Start.of(job)) for job in jobs]
        self._replaced: set[int] = set()
        self._unanswered = [0] * len(jobs)  # messages of each worker
        self._unwanted = [0] * len(jobs)  # of these, how many, the oldest, nobody waits for
        for number in range(len(jobs)):
            self._start(number)

    def _start(self, number: int) -> None:
        self.crew.start(number)
        self._unanswered[number] = 0
        self.send(number, self._packed[number])
        self._unwanted[number] = 1  # it answers the job, too

    def is_starting(self, number: int) -> bool:
        """Whether it has not begun with what it was asked for."""
        return self._unwanted[number] > 0

    def send(self, number: int, message: Packed) -> None:
        """Ask a worker for something."""
        self._unanswered[number] += 1
        self.crew.send(number, message)

    def wanted(self, number: int) -> bool:
        """Note an answer; whether somebody waits for it."""
        self._unanswered[number] -= 1
        if self._unwanted[number]:
            self._unwanted[number] -= 1
            return False
        return True

    def begin(self) -> None:
        """An epoch begins: what is left of another one is not wanted."""
        self._unwanted = list(self._unanswered)

    def replace(self, number: int, why: str) -> None:
        """Start a worker anew, if it is the first time.

        Raises:
            TabgradError: it was replaced before.
        """
        if number in self._replaced:
            raise TabgradError(
                f"DataLoader: expected worker {number} to prepare a batch, got none, a second time: {why}; look for "
                f"what ends or stops it in the dataset, or prepare in the training process with num_workers=0"
            )
        self._replaced.add(number)
        warnings.warn(f"DataLoader: worker {number} is started again, once: {why}", RuntimeWarning, stacklevel=2)
        self._start(number)

    def close(self) -> None:
        """Let them go; those that are busy end."""
        for number, unanswered in enumerate(self._unanswered):
            if unanswered:
                self.crew.end(number)
            else:
                self.crew.release(number)


class Preparation:
    """One epoch's batches, in order.

    Args:
        team: the workers.
        epoch: the number of the epoch.
        work: what each batch is made of, in order; None: workers give batches of streams, in turns.
        ahead: batches per worker that are under way or wait.
    """

    def __init__(self, team: Team, epoch: int, work: Iterator[Any] | None, ahead: int) -> None:
        self._team, self._epoch, self._work, self._ahead = team, epoch, work, ahead
        count = len(team.jobs)
        self._asked: list[deque[tuple[int, Any]]] = [deque() for _ in range(count)]  # by worker: place and work
        self._ready: dict[int, Any] = {}
        self._wanted = self._next = 0  # the place of the batch that is given next, and of the one asked for next
        self._turns = deque(range(count))  # of streams that have not ended
        self._waited_s = 0.0  # without a word
        self._given = [0] * count  # batches of each stream
        team.begin()

    def batches(self) -> Iterator[Any]:
        """They, waiting for each."""
        crew = self._team.crew
        while self._goes_on():
            while self._wanted not in self._ready:
                self._take(crew.hear(self._team.timeout_s or SLOW_S))
            if (batch := self._give()) is not End:
                yield batch

    async def batches_async(self) -> AsyncIterator[Any]:
        """They, without blocking the event loop."""
        crew = self._team.crew
        while self._goes_on():
            while self._wanted not in self._ready:
                self._take(await crew.hear_async(self._team.timeout_s or SLOW_S))
            if (batch := self._give()) is not End:
                yield batch

    def _goes_on(self) -> bool:
        """Give out work; whether there is a batch to come."""
        while self._next - self._wanted < self._ahead * len(self._asked):
            if self._work is None:
                if not self._turns:
                    break
                number, what = self._turns[0], 0
                self._turns.rotate(-1)
            else:
                number = min(range(len(self._asked)), key=lambda n: len(self._asked[n]))
                try:
                    what = next(self._work)
                except StopIteration:
                    break
            self._ask(number, self._next, what)
            self._next += 1
        return self._wanted < self._next

    def _ask(self, number: int, place: int, what: Any) -> None:
        self._asked[number].append((place, what))
        self._team.send(number, pack((self._epoch, what)))

    def _take(self, heard: Heard | None) -> None:
        self._waited_s = 0.0 if heard is not None else self._waited_s + (self._team.timeout_s or SLOW_S)
        if heard is None:
            self._too_late()
        elif heard.answer is None:
            self._replace(heard.number, heard.why)
        else:
            self._answered(heard.number, heard.answer)

    def _answered(self, number: int, answer: Packed) -> None:
        is_wanted = self._team.wanted(number)
        if not is_wanted:
            return
        found = unpack(answer)
        if isinstance(found, Failure):
            raise _raised(found, number)
        place, _ = self._asked[number].popleft()
        if self._work is None:
            self._given[number] += 1
            if found is End and number in self._turns:
                self._turns.remove(number)
        self._ready[place] = found

    def _give(self) -> Any:
        batch = self._ready.pop(self._wanted)
        self._wanted += 1
        return batch

    def _too_late(self) -> None:
        number = next(n for n, asked in enumerate(self._asked) if any(p == self._wanted for p, _ in asked))
        if self._team.is_starting(number) and self._waited_s < START_S:
            return
        why = f"it has not given batch {self._wanted} within {self._team.timeout_s or SLOW_S:g} s"
        if self._team.timeout_s:
            self._replace(number, why)
        else:
            warnings.warn(
                f"DataLoader: worker {number} is slow: {why}; with timeout=seconds a worker that hangs is replaced",
                RuntimeWarning,
                stacklevel=2,
            )

    def _replace(self, number: int, why: str) -> None:
        self._team.replace(number, why)
        again, self._asked[number] = self._asked[number], deque()
        for n, (place, what) in enumerate(again):
            skipped = self._given[number] if self._work is None and n == 0 else what
            self._ask(number, place, skipped)


class _Text(str):
    """A text whose lines are shown where an exception shows the ``repr`` of its argument, as KeyError does."""

    __slots__ = ()
    __repr__ = str.__str__


def _raised(failure: Failure, number: int) -> BaseException:
    """The exception of a worker, of its class, with the worker's traceback in its text, as PyTorch's has it."""
    text = _Text(f"Caught {failure.kind.__name__} in DataLoader worker process {number}.\nOriginal {failure.traceback}")
    try:
        return failure.kind(text)
    except Exception:  # noqa: BLE001  # a class that is made of other arguments
        return RuntimeError(text)


__all__ = ["Preparation", "Team"]
