"""The worker's side: answers what the loader asks for."""

from __future__ import annotations

import itertools
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tabgrad.data.fetch import Fetch, Stream
from tabgrad.data.sample_chance import SampleChance
from tabgrad.data.workers.info import WorkerInfo, info
from tabgrad.data.workers.packed import Packed, pack, unpack


@dataclass(frozen=True)
class Job:
    """What a worker is given at its start, and again by another loader."""

    fetch: Fetch
    stream: Stream | None  # of a dataset without indices
    init: Callable[[int], Any] | None
    number: int
    count: int
    seed: int


@dataclass(frozen=True)
class Start:
    """A worker's first message: its job, and where modules lie that the job needs."""

    path: list[str]
    data: bytes
    buffers: list[Any]  # pickle.PickleBuffer, or what became of them

    @classmethod
    def of(cls, job: Job) -> Start:
        """The message for a job."""
        packed = pack(job)
        path = [entry or os.getcwd() for entry in sys.path]
        return cls(path, packed.data, [pickle.PickleBuffer(buffer) for buffer in packed.buffers])


@dataclass(frozen=True)
class Failure:
    """An exception of the dataset's, or of another part of the script."""

    kind: type[BaseException]
    said: str
    traceback: str


class End:
    """The class itself is the answer of a stream that has no more batches."""


class Preparer:
    """Answers one message after the other; the first one is a :class:`Start`."""

    def __init__(self) -> None:
        self._job: Job | None = None
        self._failed: Failure | None = None  # to begin with the job: then it is all that is answered
        self._streams: dict[int, Iterator[Any]] = {}

    def answer(self, message: Packed) -> Packed:
        """The answer to a message: a batch, a :class:`Failure`, or :class:`End`."""
        try:
            asked = unpack(message)
            if isinstance(asked, Start):
                self._begin(asked)
                return pack(None)
            return pack(self._failed or self._prepared(*asked))
        except Exception as error:  # noqa: BLE001  # the training raises it again
            return self._told(error)

    def _told(self, error: Exception) -> Packed:
        failure = _failure(error)
        if self._job is None:
            self._failed = failure
        return pack(failure)

    def _begin(self, start: Start) -> None:
        self._job, self._failed = None, None
        self._streams.clear()
        sys.path[:] = start.path
        job: Job = unpack(Packed(start.data, start.buffers))
        info.set(WorkerInfo(job.number, job.count, job.seed, job.fetch.dataset))
        if job.init is not None:
            job.init(job.number)
        self._job = job

    def _prepared(self, epoch: int, what: Any) -> Any:
        assert self._job is not None
        if self._job.stream is None:
            return self._job.fetch(epoch, what)
        if epoch not in self._streams:
            SampleChance(self._job.fetch.seed or 0, epoch).begin_stream(self._job.number)
            self._streams = {epoch: self._job.stream()}
            if what:  # a worker that took the place of another one: these batches have been given
                next(itertools.islice(self._streams[epoch], what, what), None)
        return next(self._streams[epoch], End)


def _failure(error: Exception) -> Failure:
    lines = traceback.format_exc()
    try:
        pack(type(error))
    except Exception:  # noqa: BLE001  # a class that cannot travel
        return Failure(RuntimeError, f"{type(error).__name__}: {error}", lines)
    return Failure(type(error), str(error), lines)


__all__ = ["End", "Failure", "Job", "Preparer", "Start"]
