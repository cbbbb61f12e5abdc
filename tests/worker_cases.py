"""Data sets, samplers and scripts' own classes, for loaders with workers; each platform runs them."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tabgrad as tg
from tabgrad.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    SubsetRandomSampler,
    TensorDataset,
    get_worker_info,
)

LENGTH = 22


class Pictures(Dataset):
    """Arrays, numbers and texts, with random numbers of each kind."""

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, i: int) -> dict[str, Any]:
        noise = np.float32(random.random()) + np.random.rand(3, 2).astype(np.float32)  # as people do
        return {"picture": noise + i, "label": i % 3, "name": f"picture {i}", "weight": tg.rand(2)}


class Ragged(Dataset):
    """Samples of different sizes, which need a ``collate_fn``."""

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, i: int) -> np.ndarray:
        return np.arange(i % 4 + 1, dtype=np.float32)


class Stream(IterableDataset):
    """Numbers of a stream, of which each worker gives its share."""

    def __iter__(self) -> Iterator[np.float32]:
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        yield from map(np.float32, range(first, LENGTH, step))


class RandomStream(IterableDataset):
    """A stream of random numbers of each kind."""

    def __iter__(self) -> Iterator[np.ndarray]:
        for _ in range(3):
            yield np.array([random.random(), tg.rand(1).item()], np.float32)


def padded(samples: list[np.ndarray]) -> np.ndarray:
    """Samples filled up with zeros."""
    made = np.zeros((len(samples), max(map(len, samples))), np.float32)
    for row, sample in zip(made, samples, strict=True):
        row[: len(sample)] = sample
    return made


def arrays() -> TensorDataset:
    """Slices of arrays, which need no workers."""
    return TensorDataset(np.arange(2 * LENGTH, dtype=np.float32).reshape(LENGTH, 2), np.arange(LENGTH))


LOADERS: dict[str, Callable[[int], DataLoader]] = {
    "in order": lambda n: DataLoader(Pictures(), batch_size=4, num_workers=n),
    "shuffled": lambda n: DataLoader(Pictures(), batch_size=5, shuffle=True, drop_last=True, num_workers=n),
    "subset": lambda n: DataLoader(Pictures(), batch_size=4, sampler=SubsetRandomSampler([1, 5, 7, 9]), num_workers=n),
    "batch sampler": lambda n: DataLoader(
        Ragged(), batch_sampler=BatchSampler(range(LENGTH), 6, drop_last=False), collate_fn=padded, num_workers=n
    ),
    "not batched": lambda n: DataLoader(Ragged(), batch_size=None, num_workers=n, prefetch_factor=3 if n else None),
    "whole": lambda n: DataLoader(Pictures(), batch_size=LENGTH, num_workers=n, persistent_workers=n > 0),
    "slices": lambda n: DataLoader(arrays(), batch_size=4, shuffle=True, num_workers=n),
    "joined": lambda n: DataLoader(ConcatDataset([arrays(), arrays()]), batch_size=8, num_workers=n),
}


def plain(value: Any) -> Any:
    """Tensors and arrays as lists, with their dtypes."""
    if isinstance(value, tg.Tensor):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def epochs(name: str, workers: int) -> list[Any]:
    """All batches of two epochs."""
    tg.manual_seed(3)
    loader = LOADERS[name](workers)
    return [[plain(batch) for batch in loader] for _ in range(2)]


class Dies(Dataset):
    """Ends its worker at one sample, once (``marker`` is a file that tells) or always."""

    def __init__(self, marker: str | None) -> None:
        self.marker = marker

    def __len__(self) -> int:
        return 6

    def __getitem__(self, i: int) -> int:
        if i == 2 and get_worker_info() is not None and (self.marker is None or not os.path.exists(self.marker)):
            if self.marker is not None:
                open(self.marker, "w").close()
            self.end()
        return i

    def end(self) -> None:
        """Ends the worker."""
        os._exit(7)


class Hangs(Dies):
    """Never comes to an end there."""

    def end(self) -> None:
        time.sleep(1000)


class Raises(Dataset):
    """Cannot give a sample."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> int:
        if i == 2:
            raise KeyError("no second sample")
        return i


def tagged(number: int) -> None:
    """A ``worker_init_fn``."""
    info = get_worker_info()
    assert info is not None
    assert info.id == number
    info.dataset.first = 100 * number


class Told(Dataset):
    """Tells what it knows of its worker."""

    first = -1

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> tuple[int, int]:
        info = get_worker_info()
        return (-1 if info is None else info.num_workers), self.first
