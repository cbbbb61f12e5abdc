"""Where training batches come from: the host, one by one; or data that lies on the device, by the epoch's order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from typing import Any

import numpy as np

from tabgrad.data import DataLoader
from tabgrad.runtime.uploads import unstored
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.train.trainer_inputs import input_and_target


class Batch:
    """One batch that was made on the host."""

    def __init__(self, arrays: Sequence[np.ndarray], session: Session) -> None:
        self._arrays, self._session = arrays, session

    @property
    def size_bytes(self) -> int:
        """What it takes on the host for as long as it is kept."""
        return sum(a.nbytes for a in self._arrays)

    @property
    def kind(self) -> Any:
        """Equal for batches that one program serves."""
        return self._arrays[0].shape

    def arrays(self) -> Sequence[np.ndarray]:
        """Inputs and targets."""
        return self._arrays

    def arguments(self) -> tuple[Any, ...]:
        """What the training step is called with."""
        return tuple(unstored(a, self._session) for a in self._arrays)

    @property
    def repeated(self) -> Any:
        """Equal for batches for which the step is called with the same data and constants; None if there are no others.

        :meth:`tensors` are then those of :meth:`arguments`.
        """
        return None

    def tensors(self) -> list[Tensor]:
        """The tensors among the arguments."""
        return list(self.arguments())


class HostBatches:
    """The batches of a loader.

    Args:
        loader: makes them.
        session: whose device uses them.
    """

    def __init__(self, loader: DataLoader, session: Session) -> None:
        self._loader, self._session = loader, session

    def samples(self) -> list[Batch]:
        """A zero-filled batch of each kind."""
        return [Batch(arrays, self._session) for arrays in distinct_batches(self._loader)]

    def epoch(self) -> Iterator[Batch | Awaitable[Batch]]:
        """The batches of one epoch; each is to be awaited if workers prepare them."""
        if not self._loader.awaits_workers:
            return (Batch(arrays, self._session) for arrays in self._loader.numpy_batches())
        made = self._loader.numpy_batches_async()
        left = self._loader.batches_left()
        return (self._awaited(made, is_last=n == left) for n in range(1, left + 1))

    async def _awaited(self, made: AsyncIterator[Sequence[np.ndarray]], *, is_last: bool) -> Batch:
        batch = Batch(await anext(made), self._session)
        if is_last:
            await anext(made, None)  # the epoch is over: workers are free
        return batch

    def open(self) -> None:
        """A run begins."""

    def close(self) -> None:
        """The run has ended."""


def distinct_batches(loader: DataLoader) -> list[tuple[np.ndarray, ...]]:
    """A zero-filled batch of each shape that a loader gives, found without drawing an order."""
    probe = (
        loader._arrays(np.zeros(1, np.int64)) if loader.collate_fn is None else loader.collate_fn([loader.dataset[0]])
    )
    input_and_target(probe, "fit")
    return [
        tuple(np.zeros((size, *np.asarray(part).shape[1:]), np.asarray(part).dtype) for part in probe)
        for size in batch_sizes(loader)
    ]


def batch_sizes(loader: Any) -> list[int]:
    """The sizes of a loader's batches, the largest first."""
    n = len(loader.sampler) if hasattr(loader.sampler, "__len__") else len(loader.dataset)
    sizes = {min(loader.batch_size, n)} if n else set()
    if n > loader.batch_size and n % loader.batch_size and not loader.drop_last:
        sizes.add(n % loader.batch_size)
    return sorted(sizes, reverse=True)


__all__ = ["Batch", "HostBatches", "batch_sizes", "distinct_batches"]
