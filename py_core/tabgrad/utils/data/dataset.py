"""Datasets that are made of others, and datasets without indices; PyTorch's ``torch.utils.data.dataset``."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from tabgrad.data import Dataset, Subset, TensorDataset, random_split
from tabgrad.errors import AssertedError, IndexRangeError, ShapeError, TabgradError

T = TypeVar("T", covariant=True)


class IterableDataset(Dataset[T]):
    """A stream of samples: a subclass defines ``__iter__``, and ``__len__`` if the loader's length is asked for."""

    gives_its_own_order = True

    def __iter__(self) -> Iterator[T]:
        """The samples of one epoch."""
        raise NotImplementedError(f"{type(self).__name__}: expected a dataset that defines __iter__")

    def __add__(self, other: Any) -> ChainDataset:
        return ChainDataset([self, other])


class ConcatDataset(Dataset[Any]):
    """Datasets one after another.

    Attributes:
        cumulative_sizes: where each one ends.

    Raises:
        TabgradError: none was given, or one without indices.
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertedError("ConcatDataset: expected at least one dataset, got none")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise TabgradError(
                "ConcatDataset: expected datasets with indices, got an IterableDataset; use ChainDataset"
            )
        self.cumulative_sizes = list(itertools.accumulate(len(dataset) for dataset in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        n = len(self)
        if not -n <= index < n:
            raise IndexRangeError(f"ConcatDataset: expected an index from {-n} to {n - 1}, got {index}")
        index += n if index < 0 else 0
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """Streams one after another."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        super().__init__()
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise TabgradError(f"ChainDataset: expected IterableDatasets, got {type(dataset).__name__}")
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self.datasets)


class StackDataset(Dataset[Any]):
    """Datasets side by side: a sample is a tuple of one sample each, or a dict if they were given by name.

    Raises:
        ShapeError: their lengths differ.
        TabgradError: none was given, or some by name and some without.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise TabgradError("StackDataset: expected datasets either by position or by name, got both or none")
        self.datasets: Any = args or kwargs
        sizes = {len(dataset) for dataset in (args or kwargs.values())}
        if len(sizes) != 1:
            raise ShapeError(f"StackDataset: expected datasets of one length, got {sorted(sizes)}")
        (self._length,) = sizes

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)


__all__ = [
    "ChainDataset", "ConcatDataset", "Dataset", "IterableDataset", "StackDataset", "Subset", "TensorDataset",
    "random_split",
]  # fmt: skip
