"""How a loader makes its batches; the same in the training process and in workers."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tabgrad.data.collate import collate_arrays, default_collate, default_convert, to_tensors
from tabgrad.data.dataset import gather
from tabgrad.data.sample_chance import SampleChance


@dataclass(frozen=True, eq=False)
class Fetch:
    """Makes batches, or samples as they are.

    Attributes:
        collate: merges samples; None: as :func:`default_collate`.
        is_batched: whether it is asked for lists of indices, and not for one.
        seed: of the samples' random numbers; None: they come from the generators as they are.
        as_arrays: batches are NumPy arrays, without a tensor made.
    """

    dataset: Any
    collate: Callable[[Any], Any] | None
    is_batched: bool
    seed: int | None
    as_arrays: bool = False

    def __call__(self, epoch: int, asked: Any) -> Any:
        """The batch of these indices, or the sample of this index."""
        if not self.is_batched:
            return self._merged(epoch, [asked], lambda samples: (self.collate or default_convert)(samples[0]))
        if self.collate is None and isinstance(asked, np.ndarray):
            found = gather(self.dataset, asked)
            if found is not None:
                return found if self.as_arrays else to_tensors(found)
        indices = asked.tolist() if isinstance(asked, np.ndarray) else list(asked)
        return self._merged(epoch, indices, self.collate or (collate_arrays if self.as_arrays else default_collate))

    @property
    def slices(self) -> bool:
        """Whether batches are slices of arrays, which no worker makes faster."""
        return self.is_batched and self.collate is None and gather(self.dataset, np.zeros(0, np.int64)) is not None

    def serves(self, other: Fetch) -> bool:
        """Whether it makes the other one's batches."""
        own, others = (self.dataset, self.collate), (other.dataset, other.collate)
        return all(a is b for a, b in zip(own, others, strict=True)) and (self.seed, self.as_arrays) == (
            other.seed,
            other.as_arrays,
        )

    def _merged(self, epoch: int, indices: list[Any], merge: Callable[[Any], Any]) -> Any:
        """What ``merge`` makes of the samples."""
        if self.seed is None:
            return merge(self._samples(indices, lambda _, fetch: fetch()))
        chance = SampleChance(self.seed, epoch)
        with chance.apart():
            return merge(self._samples(indices, chance.drawn))

    def _samples(self, indices: list[Any], drawn: Callable[[Any, Callable[[], Any]], Any]) -> Any:
        several = getattr(self.dataset, "__getitems__", None)
        if several is not None:
            return drawn(tuple(indices), lambda: several(indices))
        return [drawn(i, lambda i=i: self.dataset[i]) for i in indices]  # type: ignore[misc]


Stream = Callable[[], Iterator[Any]]


def streamed(dataset: Any, collate: Callable[[Any], Any] | None, batch_size: int | None, *, drop_last: bool) -> Stream:
    """Begins an epoch of a dataset without indices; it may travel to a worker."""
    return functools.partial(_stream, dataset, collate, batch_size, drop_last)


def _stream(
    dataset: Any, collate: Callable[[Any], Any] | None, batch_size: int | None, drop_last: bool
) -> Iterator[Any]:
    samples = iter(dataset)
    if batch_size is None:
        yield from map(collate or default_convert, samples)
        return
    while batch := list(itertools.islice(samples, batch_size)):
        if len(batch) == batch_size or not drop_last:
            yield (collate or default_collate)(batch)


@dataclass(frozen=True)
class Epoch:
    """What an epoch is made of.

    Attributes:
        number: counted by the loader.
        fetch: makes batches.
        work: what each batch is made of, in order; None of a stream.
        stream: begins it, of a dataset without indices.
    """

    number: int
    fetch: Fetch
    work: Iterator[Any] | None
    stream: Stream | None

    def batches(self) -> Iterator[Any]:
        """The batches, made here."""
        if self.work is not None:
            return (self.fetch(self.number, what) for what in self.work)
        assert self.stream is not None
        return self.stream()


__all__ = ["Epoch", "Fetch", "Stream", "streamed"]
