"""The loader: batches of a dataset, in the sampler's order."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from tabgrad.data.dataset import redefines
from tabgrad.data.fetch import Epoch, Fetch, Stream, streamed
from tabgrad.data.loader_arguments import check_batches, check_parts, check_workers, employed, is_iterable
from tabgrad.data.sampler import RandomSampler, Sampler, SeededSampler, SequentialSampler
from tabgrad.errors import TabgradError
from tabgrad.random import Generator
from tabgrad.session import current

T = TypeVar("T", covariant=True)


class DataLoader(Generic[T]):
    """Batches of a dataset. Iterating gives one epoch.

    Args:
        dataset: anything with ``len()`` and ``[i]``; a :class:`TensorDataset` or a subset of one is
            read a batch at a time, others sample by sample. Or an :class:`IterableDataset`.
        batch_size: samples per batch; the last batch may be smaller. None: samples as they are, not batched.
        shuffle: a new random order each epoch, seeded by ``tabgrad.manual_seed``.
        sampler: gives the order; excludes ``shuffle``.
        batch_sampler: gives the indices of each batch; excludes ``batch_size``, ``shuffle``, ``sampler`` and
            ``drop_last``.
        num_workers: processes (natively), threads (in Node) or Web Workers (in a page) that prepare batches, while the
            training goes on; the batches and their order are the same whatever it is. Classes and functions of the
            script travel to them; batches that are slices of arrays are made without them.
        collate_fn: merges a list of samples into a batch; default :func:`default_collate`.
        drop_last: drop a last batch that is smaller than ``batch_size``.
        timeout: seconds within which a worker must give a batch, or it is replaced, once; 0: any time.
        worker_init_fn: called in each worker with its number.
        generator: seeds the shuffling, and the random numbers of the dataset, which depend on seed, epoch and sample
            alone (of an ``IterableDataset`` in workers: on seed, epoch and worker); default the one that
            ``tabgrad.manual_seed`` seeds. In workers they are tabgrad's also inside of ``torch_rng()``.
        prefetch_factor: batches per worker that are prepared ahead; default 2.
        persistent_workers: workers stay from epoch to epoch, with their copies of the dataset.

    Accepted without effect: ``pin_memory``, ``multiprocessing_context``, ``pin_memory_device``, ``in_order``.

    Raises:
        TabgradError: a batch size below 1, or arguments that exclude each other.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler[Any] | Iterable[Any] | None = None,
        batch_sampler: Sampler[Any] | Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.is_iterable = is_iterable(dataset)
        check_parts(dataset, collate_fn, sampler, batch_sampler, iterable=self.is_iterable)
        check_batches(batch_size, shuffle, sampler, batch_sampler, drop_last, iterable=self.is_iterable)
        if sampler is None and batch_sampler is None and not self.is_iterable:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        self.dataset = dataset
        self.batch_size: Any = None if batch_sampler is not None else batch_size
        self.sampler: Any = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.pin_memory = pin_memory
        self.drop_last = drop_last
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.generator = generator
        self.prefetch_factor = prefetch_factor
        self.persistent_workers = persistent_workers
        self.pin_memory_device = pin_memory_device
        self.in_order = in_order
        self._workers = employed(num_workers, worker_init_fn, prefetch_factor, timeout, lasts=persistent_workers)
        self._epoch_number = self._next_epoch = 0  # of the epoch under way, and of the one that begins next
        self._resume_at = 0  # batches to skip in the coming epoch, from a loaded state
        self._batches_given = 0  # in the current epoch; 0 between epochs
        self._epoch_state: dict[str, Any] = {}  # the sampler's, from before that epoch

    def __len__(self) -> int:
        """Batches per epoch."""
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]  # without len() it fails here, as in PyTorch
        n = len(self.dataset if self.is_iterable else self.sampler)
        if self.batch_size is None:
            return n
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)

    def batches_left(self) -> int:
        """Batches of the coming epoch: fewer than ``len()`` after a state was loaded."""
        return len(self) - self._resume_at

    def __iter__(self) -> Iterator[Any]:
        """One epoch of batches: by default lists of tensors ``[b, ...]``."""
        self._draw_workers_seed()
        return self._batches(self._fetch())

    def _draw_workers_seed(self) -> None:
        """PyTorch's loader draws a seed for its workers at the beginning of each epoch, also without workers."""
        twister = (self.generator or current().generator).twister
        if twister is not None:
            twister.seed_of_another()

    def numpy_batches(self) -> Iterator[tuple[np.ndarray, ...]]:
        """One epoch of the same batches as NumPy arrays, with no tensor made; for the trainer.

        Raises:
            TabgradError: the dataset's samples are not tuples, or ``collate_fn`` does not return arrays.
        """
        self.check_order()
        self._draw_workers_seed()
        return map(self._as_arrays, self._batches(self._fetch(as_arrays=True)))

    async def numpy_batches_async(self) -> AsyncIterator[tuple[np.ndarray, ...]]:
        """As :meth:`numpy_batches`; while workers prepare a batch, other tasks run."""
        self.check_order()
        self._draw_workers_seed()
        async for batch in self._batches_async(self._fetch(as_arrays=True)):
            yield self._as_arrays(batch)

    def _as_arrays(self, batch: Any) -> tuple[np.ndarray, ...]:
        if not isinstance(batch, (tuple, list)) or not all(isinstance(a, np.ndarray) for a in batch):
            what = "collate_fn" if self.collate_fn else f"{type(self.dataset).__name__}"
            raise TabgradError(
                f"DataLoader.numpy_batches: expected a tuple of NumPy arrays from {what}, "
                f"got {type(batch).__name__}; return (inputs, targets) as arrays"
            )
        return tuple(batch)

    def __aiter__(self) -> AsyncIterator[Any]:
        """As :meth:`__iter__`; while workers prepare a batch, other tasks run. Browsers without JSPI need it."""
        self._draw_workers_seed()
        return self._batches_async(self._fetch())

    def _batches(self, fetch: Fetch) -> Iterator[Any]:
        epoch, first = self._begin(fetch)
        made = epoch.batches() if self._workers is None or fetch.slices else self._workers.epoch(epoch)
        for n, batch in enumerate(made, first + 1):
            self._given(n)
            yield batch
        self._given(0)

    async def _batches_async(self, fetch: Fetch) -> AsyncIterator[Any]:
        if self._workers is None or fetch.slices:
            for batch in self._batches(fetch):
                yield batch
            return
        epoch, n = self._begin(fetch)
        async for batch in self._workers.epoch_async(epoch):
            n += 1
            self._given(n)
            yield batch
        self._given(0)

    @property
    def awaits_workers(self) -> bool:
        """Whether the batches of :meth:`numpy_batches_async` are waited for."""
        return self._workers is not None and not self._fetch(as_arrays=True).slices

    def _begin(self, fetch: Fetch) -> tuple[Epoch, int]:
        """An epoch, and how many batches of it were given before."""
        self._refuse_in_a_step()
        self._epoch_number = self._next_epoch
        self._next_epoch += 1
        first = self._resume_at
        return Epoch(self._epoch_number, fetch, self._work(), self._stream()), first

    def _given(self, n: int) -> None:
        """Note the position; where workers are asked for batches ahead, the order is ahead of it."""
        if self._counts_batches:
            self._batches_given = n

    def _fetch(self, *, as_arrays: bool = False) -> Fetch:
        is_batched = self.batch_sampler is not None or self.batch_size is not None
        generator = self.generator or current().generator
        # where numbers are PyTorch's, they come in its order, one after the other; in workers they are tabgrad's
        seed = None if generator.twister is not None and self._workers is None else generator.key
        return Fetch(self.dataset, self.collate_fn, is_batched, seed, as_arrays)

    @property
    def _counts_batches(self) -> bool:
        return not self.is_iterable and self.batch_size is not None

    def _work(self) -> Iterator[Any] | None:
        """What each batch of an epoch is made of: indices, or one where samples are not batched; None of a stream."""
        if self.is_iterable:
            return None
        if self.batch_sampler is not None:
            return (list(indices) for indices in self.batch_sampler)
        return iter(self.sampler) if self.batch_size is None else self._epoch()

    def _stream(self) -> Stream | None:
        if not self.is_iterable:
            return None
        return streamed(self.dataset, self.collate_fn, self.batch_size, drop_last=self.drop_last)

    def state_dict(self) -> dict[str, Any]:
        """The loader's position. A loader that loads it continues with the next batch.

        With several active iterators of one loader, it is the position of the newest one.
        """
        if isinstance(self.sampler, SeededSampler) and self.sampler.draws_torchs:
            self.sampler.state_dict()  # refuses
        if self._batches_given:
            return {"sampler": self._epoch_state, "batches": self._batches_given, "epoch": self._epoch_number}
        return {"sampler": self._sampler_state(), "batches": 0, "epoch": self._next_epoch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`.

        Raises:
            TabgradError: not a state of a loader, or its position is beyond the last batch.
        """
        if {"epoch", *state} != {"sampler", "batches", "epoch"}:
            raise TabgradError(
                f"DataLoader.load_state_dict: expected the keys ['batches', 'epoch', 'sampler'], got {sorted(state)}; "
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
        self._epoch_number = self._next_epoch = int(state.get("epoch", 0))  # decides random numbers of samples

    def _epoch(self) -> Iterator[np.ndarray]:
        """Sample indices of each batch of an epoch, starting at the position of a loaded state."""
        if isinstance(self.sampler, SeededSampler) and self.sampler.draws_torchs:
            self._refuse_in_a_step()
            indices = iter(self.sampler)  # drawn as the batches are taken
            while (batch := np.fromiter(itertools.islice(indices, self.batch_size), np.int64)).size:
                if batch.size == self.batch_size or not self.drop_last:
                    yield batch
            return
        order, parts = self._ordered()
        for part in parts:
            yield order[part]

    def epoch_order(self) -> tuple[np.ndarray, Iterator[slice]]:
        """Begin an epoch: its sample indices, and where in them the coming batches lie; for the trainer.

        Raises:
            TabgradError: inside a compiled step.
        """
        self._draw_workers_seed()
        return self._ordered()

    def _ordered(self) -> tuple[np.ndarray, Iterator[slice]]:
        self._refuse_in_a_step()
        self.check_order()
        skip, self._resume_at = self._resume_at, 0
        self._epoch_state = self._sampler_state()
        order = self._order()
        return order, self._parts(len(order), skip)

    def check_order(self) -> None:
        """Raise unless batches are numbered, as a Trainer needs it.

        Raises:
            NotImplementedError: they are not.
        """
        if not self._counts_batches:
            raise NotImplementedError(
                "DataLoader: expected a dataset with indices and batch_size as a number where a Trainer uses it, got "
                "an IterableDataset, batch_sampler= or batch_size=None; write the loop over the loader yourself"
            )

    def _refuse_in_a_step(self) -> None:
        recording = current().capturing()
        if recording is not None:
            raise TabgradError(
                f"DataLoader: expected to be iterated outside of compiled steps, got an iteration in "
                f"{recording.name!r}, each replay of which would use the same batch; pass the batch as an argument"
            )

    def _parts(self, n: int, skip: int) -> Iterator[slice]:
        num_batches = n // self.batch_size if self.drop_last else -(-n // self.batch_size)
        for i in range(skip, num_batches):
            self._batches_given = i + 1
            yield slice(i * self.batch_size, min((i + 1) * self.batch_size, n))
        self._batches_given = 0

    def _arrays(self, indices: np.ndarray) -> Any:
        return self._fetch(as_arrays=True)(self._epoch_number, indices)

    def _sampler_state(self) -> dict[str, Any]:
        if isinstance(self.sampler, SeededSampler) and self.sampler.draws_torchs:
            return {}
        return self.sampler.state_dict() if isinstance(self.sampler, Sampler) else {}

    def _order(self) -> np.ndarray:
        if isinstance(self.sampler, Sampler) and not redefines(self.sampler, "__iter__", "next_order"):
            return self.sampler.next_order()
        return np.fromiter(self.sampler, dtype=np.int64)
