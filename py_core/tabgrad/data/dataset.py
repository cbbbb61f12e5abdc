"""Datasets: objects with a length and samples by index."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from tabgrad.data.host_array import host_array
from tabgrad.errors import AssertedError, IndexRangeError, ShapeError
from tabgrad.tensor import Tensor

T = TypeVar("T", covariant=True)


class Dataset(Generic[T]):
    """Base class of datasets. A subclass defines ``__getitem__``, and ``__len__`` unless a sampler knows the order.

    A sample is a tuple of arrays, tensors or numbers; the loader stacks samples into a batch.
    """

    if TYPE_CHECKING:

        def __len__(self) -> int:
            """The number of samples."""

    def __getitem__(self, index: Any) -> T:
        """Sample ``index``, with ``0 <= index < len(self)``."""
        raise NotImplementedError(f"{type(self).__name__}: expected a dataset that defines __getitem__")

    def __add__(self, other: Any) -> Any:
        """The samples of this dataset, then those of another."""
        return importlib.import_module("tabgrad.utils.data").ConcatDataset([self, other])


class Field:
    """One part of all samples, as a device can hold it: the sample ``i`` has ``array[i]``.

    Attributes:
        array: ``[n, ...]``.
        values: if given, ``[256]``: what each number of ``array``, of uint8, stands for.
    """

    __slots__ = ("array", "values")

    def __init__(self, array: np.ndarray, values: np.ndarray | None = None) -> None:
        self.array, self.values = array, values


class ArrayDataset(Dataset[Any], ABC):
    """A dataset that gathers a whole batch in one call instead of sample by sample."""

    @abstractmethod
    def gather(self, indices: np.ndarray) -> tuple[np.ndarray, ...]:
        """The samples at ``indices`` (``[b]``, integers), stacked: one array ``[b, ...]`` each."""

    def fields(self) -> tuple[Field, ...] | None:
        """What :meth:`gather` takes its samples from, if nothing but these arrays decides what they are."""
        return None


class TensorDataset(ArrayDataset):
    """Arrays whose first dimension counts samples, kept on the host until a batch is made.

    Args:
        arrays: NumPy arrays (or tensors, which are read back once), each ``[n, ...]``. They are
            stored as float32, int32 or bool; see :func:`tabgrad.data.host_array.host_array`.

    Raises:
        ShapeError: no array, a scalar, or first dimensions that differ.
        DTypeError: a dtype that cannot be stored without loss.

    ``dataset[i]`` is a tuple of one value per array: of NumPy's, or a tensor where a tensor was given.
    """

    def __init__(self, *arrays: Any) -> None:
        if not arrays:
            raise ShapeError("TensorDataset: expected at least one array, got none; pass inputs and targets")
        self.arrays = tuple(host_array(_on_host(a), caller="TensorDataset") for a in arrays)
        self.tensors = tuple(a if isinstance(a, Tensor) else h for a, h in zip(arrays, self.arrays, strict=True))
        self._versions = [a._version for a in arrays if isinstance(a, Tensor)]
        shapes = [list(a.shape) for a in self.arrays]
        if any(a.ndim == 0 for a in self.arrays) or len({a.shape[0] for a in self.arrays}) != 1:
            raise AssertedError(
                f"TensorDataset: expected arrays with the same first dimension, got shapes {shapes}; "
                "the first dimension counts the samples"
            )

    def __len__(self) -> int:
        return self.arrays[0].shape[0]

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        pairs = zip(self.tensors, self.arrays, strict=True)
        return tuple(given[index] if isinstance(given, Tensor) else array[index] for given, array in pairs)

    def gather(self, indices: np.ndarray) -> tuple[np.ndarray, ...]:
        self._read_changed()
        return tuple(a[indices] for a in self.arrays)

    def _read_changed(self) -> None:
        """Read tensors that were given, and have been written to since, again."""
        versions = [a._version for a in self.tensors if isinstance(a, Tensor)]
        if versions != self._versions:
            self.arrays = tuple(host_array(_on_host(a), caller="TensorDataset") for a in self.tensors)
            self._versions = versions

    def fields(self) -> tuple[Field, ...] | None:
        self._read_changed()
        return tuple(Field(a) for a in self.arrays) if type(self).gather is TensorDataset.gather else None

    def __repr__(self) -> str:
        parts = ", ".join(f"{a.dtype}{list(a.shape)}" for a in self.arrays)
        return f"{type(self).__name__}({parts})"


class Subset(Dataset[Any]):
    """The samples of ``dataset`` at ``indices``, in that order.

    Raises:
        TabgradError: an index outside the dataset.
    """

    def __init__(self, dataset: Dataset, indices: Sequence[int] | np.ndarray) -> None:
        self.dataset = dataset
        self.indices = np.asarray(indices, dtype=np.int64).reshape(-1)
        n = len(dataset)
        outside = self.indices[(self.indices < -n) | (self.indices >= n)]
        if outside.size:
            raise IndexRangeError(
                f"Subset: expected indices below {n}, got {outside[0]}; the dataset has no such sample"
            )

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[int(self.indices[index])]

    def gather(self, indices: np.ndarray) -> tuple[np.ndarray, ...] | None:
        """As :meth:`ArrayDataset.gather`; ``None`` if the underlying dataset cannot gather."""
        return gather(self.dataset, self.indices[indices])


def gather(dataset: Dataset, indices: np.ndarray) -> tuple[np.ndarray, ...] | None:
    """One batch as arrays, or ``None`` if samples must be fetched one by one."""
    if isinstance(dataset, (ArrayDataset, Subset)) and not redefines(dataset, "__getitem__", "gather"):
        return dataset.gather(indices)
    return None


def fields_of(dataset: Dataset) -> tuple[Field, ...] | None:
    """What a dataset, or a subset of one, takes its samples from; ``None`` if they are made one by one."""
    if redefines(dataset, "__getitem__", "gather"):
        return None
    if isinstance(dataset, Subset):
        return fields_of(dataset.dataset) if type(dataset).gather is Subset.gather else None
    return dataset.fields() if isinstance(dataset, ArrayDataset) else None


def redefines(thing: Any, one: str, whole: str) -> bool:
    """Whether a subclass defines the method ``one`` anew, but not ``whole``, which does the same for many at once."""
    where = [next((i for i, c in enumerate(type(thing).__mro__) if name in vars(c)), -1) for name in (one, whole)]
    return where[0] < where[1]


def positions(dataset: Dataset, indices: np.ndarray) -> np.ndarray:
    """Where in the fields of :func:`fields_of` the samples at ``indices`` lie; negative ones count from the end.

    Raises:
        IndexError: there is no such sample.
    """
    if isinstance(dataset, Subset):
        return positions(dataset.dataset, dataset.indices[indices])
    n = len(dataset)
    if indices.size and not (-n <= indices.min() and indices.max() < n):
        raise IndexError(f"expected indices from {-n} to {n - 1}, got {indices.min()} to {indices.max()}")
    return np.where(indices < 0, indices + n, indices)


def _on_host(array: Any) -> Any:
    return array.numpy() if isinstance(array, Tensor) else array
