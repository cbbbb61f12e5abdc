"""The loader: batches of a dataset, in the sampler's order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tabgrad.data.collate import collate_arrays, to_tensors
from tabgrad.data.dataset import Dataset, gather
from tabgrad.data.sampler import RandomSampler, Sampler, SequentialSampler
from tabgrad.errors import TabgradError
from tabgrad.random import Generator
from tabgrad.session import current


class DataLoader:
    """Batches of a dataset. Iterating gives one epoch.

    Args:
        dataset: anything with ``len()`` and ``[i]``; a :class:`TensorDataset` or a subset of one is
            read a batch at a time, others sample by sample.
        batch_size: samples per batch; the last batch may be smaller.
        shuffle: a new random order each epoch, seeded by ``tabgrad.manual_seed``.
        sampler: gives the order; excludes ``shuffle``.
        num_workers: number of worker processes. Only 0 is supported: the training process prepares
            the batches.
        collate_fn: merges a list of samples into a batch; default :func:`default_collate`.
        drop_last: drop a last batch that is smaller than ``batch_size``.
        generator: seeds the shuffling; default the one that ``tabgrad.manual_seed`` seeds.

    Raises:
        TabgradError: a batch size below 1, or ``sampler`` together with ``shuffle``.
        NotImplementedError: ``num_workers`` other than 0.
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int = 1,
        shuffle: bool = False,
        sampler: Sampler | Iterable[int] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        drop_last: bool = False,
        *,
        generator: Generator | None = None,
    ) -> None:
        if num_workers != 0:
            raise NotImplementedError(
                f"DataLoader: num_workers={num_workers} is not supported, use num_workers=0; "
                "batches are prepared by the training process itself"
            )
        if not hasattr(dataset, "__len__") or not hasattr(dataset, "__getitem__"):
            raise TabgradError(
                f"DataLoader: expected a dataset with len() and [i], got {type(dataset).__name__}; "
                "wrap arrays in TensorDataset(inputs, targets)"
            )
        if collate_fn is not None and not callable(collate_fn):
            raise TypeError(f"DataLoader: expected collate_fn as a function, got {type(collate_fn).__name__}")
        if sampler is not None and not isinstance(sampler, Iterable):
            raise TypeError(f"DataLoader: expected a sampler that can be iterated, got {type(sampler).__name__}")
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            raise TabgradError(f"DataLoader: expected batch_size of at least 1, got {batch_size!r}")
        if sampler is not None and shuffle:
            raise TabgradError(
                "DataLoader: expected either sampler or shuffle, got both; "
                "the sampler alone decides the order, so leave the other out"
            )
        if sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.drop_last = drop_last
        self._resume_at = 0  # batches to skip in the coming epoch, from a loaded state
        self._batches_given = 0  # in the current epoch; 0 between epochs
        self._epoch_state: dict[str, Any] = {}  # the sampler's, from before that epoch

    def __len__(self) -> int:
        """Batches per epoch."""
        n = len(self.sampler)  # type: ignore[arg-type]  # an iterable sampler without len() fails here, as in PyTorch
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        """One epoch of batches: by default tuples of tensors ``[b, ...]``."""
        for indices in self._epoch():
            if self.collate_fn is None:
                yield to_tensors(self._arrays(indices))
            else:
                yield self.collate_fn([self.dataset[int(i)] for i in indices])

    def numpy_batches(self) -> Iterator[tuple[np.ndarray, ...]]:
        """One epoch of the same batches as NumPy arrays, with no tensor made; for the trainer.

        Raises:
            TabgradError: the dataset's samples are not tuples, or ``collate_fn`` does not return arrays.
        """
        for indices in self._epoch():
            if self.collate_fn is None:
                batch = self._arrays(indices)
            else:
                batch = self.collate_fn([self.dataset[int(i)] for i in indices])
            if not isinstance(batch, (tuple, list)) or not all(isinstance(a, np.ndarray) for a in batch):
                what = "collate_fn" if self.collate_fn else f"{type(self.dataset).__name__}"
                raise TabgradError(
                    f"DataLoader.numpy_batches: expected a tuple of NumPy arrays from {what}, "
                    f"got {type(batch).__name__}; return (inputs, targets) as arrays"
                )
            yield tuple(batch)

    def state_dict(self) -> dict[str, Any]:
        """The loader's position. A loader that loads it continues with the next batch.

        With several active iterators of one loader, it is the position of the newest one.
        """
        if self._batches_given:
            return {"sampler": self._epoch_state, "batches": self._batches_given}
        return {"sampler": self._sampler_state(), "batches": 0}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`.

        Raises:
            TabgradError: not a state of a loader, or its position is beyond the last batch.
        """
        if set(state) != {"sampler", "batches"}:
            raise TabgradError(
                f"DataLoader.load_state_dict: expected the keys ['batches', 'sampler'], got {sorted(state)}; "
                "pass what DataLoader.state_dict returned"
            )
        if not 0 <= int(state["batches"]) <= len(self):
            raise TabgradError(
                f"DataLoader.load_state_dict: expected at most {len(self)} batches, got {state['batches']}; "
                "the state is of a loader with other data or another batch size"
            )
        if isinstance(self.sampler, Sampler):
            self.sampler.load_state_dict(state["sampler"])
        self._epoch_state = dict(state["sampler"])
        self._batches_given = self._resume_at = int(state["batches"])

    def _epoch(self) -> Iterator[np.ndarray]:
        """Sample indices of each batch of an epoch, starting at the position of a loaded state."""
        order, parts = self.epoch_order()
        for part in parts:
            yield order[part]

    def epoch_order(self) -> tuple[np.ndarray, Iterator[slice]]:
        """Begin an epoch: its sample indices, and where in them the coming batches lie; for the trainer.

        Raises:
            TabgradError: inside a compiled step.
        """
        recording = current().capturing()
        if recording is not None:
            raise TabgradError(
                f"DataLoader: expected to be iterated outside of compiled steps, got an iteration in "
                f"{recording.name!r}, each replay of which would use the same batch; pass the batch as an argument"
            )
        skip, self._resume_at = self._resume_at, 0
        self._epoch_state = self._sampler_state()
        order = self._order()
        return order, self._parts(len(order), skip)

    def _parts(self, n: int, skip: int) -> Iterator[slice]:
        num_batches = n // self.batch_size if self.drop_last else -(-n // self.batch_size)
        for i in range(skip, num_batches):
            self._batches_given = i + 1
            yield slice(i * self.batch_size, min((i + 1) * self.batch_size, n))
        self._batches_given = 0

    def _arrays(self, indices: np.ndarray) -> Any:
        batch = gather(self.dataset, indices)
        return collate_arrays([self.dataset[int(i)] for i in indices]) if batch is None else batch

    def _sampler_state(self) -> dict[str, Any]:
        return self.sampler.state_dict() if isinstance(self.sampler, Sampler) else {}

    def _order(self) -> np.ndarray:
        if isinstance(self.sampler, Sampler):
            return self.sampler.next_order()
        return np.fromiter(self.sampler, dtype=np.int64)
