"""Datasets: objects with a length and samples by index."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.data.host_array import host_array
from tabgrad.errors import ShapeError, TabgradError


class Dataset(ABC):
    """Base class of datasets. A subclass defines ``__len__`` and ``__getitem__``.

    A sample is a tuple of arrays, tensors or numbers; the loader stacks samples into a batch.
    """

    @abstractmethod
    def __len__(self) -> int:
        """The number of samples."""

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """Sample ``index``, with ``0 <= index < len(self)``."""


class ArrayDataset(Dataset):
    """A dataset that gathers a whole batch in one call instead of sample by sample."""

    @abstractmethod
    def gather(self, indices: np.ndarray) -> tuple[np.ndarray, ...]:
        """The samples at ``indices`` (``[b]``, integers), stacked: one array ``[b, ...]`` each."""


class TensorDataset(ArrayDataset):
    """Arrays whose first dimension counts samples, kept on the host until a batch is made.

    Args:
        arrays: NumPy arrays (or tensors, which are read back once), each ``[n, ...]``. They are
            stored as float32, int32 or bool; see :func:`tabgrad.data.host_array.host_array`.

    Raises:
        ShapeError: no array, a scalar, or first dimensions that differ.
        DTypeError: a dtype that cannot be stored without loss.

    ``dataset[i]`` is a tuple of NumPy values, one per array.
    """

    def __init__(self, *arrays: Any) -> None:
        if not arrays:
            raise ShapeError("TensorDataset: expected at least one array, got none; pass inputs and targets")
        self.arrays = tuple(host_array(_on_host(a), caller="TensorDataset") for a in arrays)
        shapes = [list(a.shape) for a in self.arrays]
        if any(a.ndim == 0 for a in self.arrays) or len({a.shape[0] for a in self.arrays}) != 1:
            raise ShapeError(
                f"TensorDataset: expected arrays with the same first dimension, got shapes {shapes}; "
                "the first dimension counts the samples"
            )

    def __len__(self) -> int:
        return self.arrays[0].shape[0]

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(a[index] for a in self.arrays)

    def gather(self, indices: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(a[indices] for a in self.arrays)

    def __repr__(self) -> str:
        parts = ", ".join(f"{a.dtype}{list(a.shape)}" for a in self.arrays)
        return f"{type(self).__name__}({parts})"


class Subset(Dataset):
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
            raise TabgradError(f"Subset: expected indices below {n}, got {outside[0]}; the dataset has no such sample")

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> Any:
        return self.dataset[int(self.indices[index])]

    def gather(self, indices: np.ndarray) -> tuple[np.ndarray, ...] | None:
        """As :meth:`ArrayDataset.gather`; ``None`` if the underlying dataset cannot gather."""
        return gather(self.dataset, self.indices[indices])


def gather(dataset: Dataset, indices: np.ndarray) -> tuple[np.ndarray, ...] | None:
    """One batch as arrays, or ``None`` if samples must be fetched one by one."""
    if isinstance(dataset, (ArrayDataset, Subset)):
        return dataset.gather(indices)
    return None


def _on_host(array: Any) -> Any:
    from tabgrad.tensor import Tensor  # here: data must be importable before the core is built

    return array.numpy() if isinstance(array, Tensor) else array
