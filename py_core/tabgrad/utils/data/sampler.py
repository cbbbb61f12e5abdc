"""Samplers that few programs use; PyTorch's ``torch.utils.data.sampler``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tabgrad.checks import whole_number
from tabgrad.data import RandomSampler, Sampler, SequentialSampler
from tabgrad.data.sampler import SeededSampler
from tabgrad.errors import TabgradError
from tabgrad.random import Generator
from tabgrad.tensor import Tensor


class SubsetRandomSampler(SeededSampler):
    """The given indices, in a new random order each epoch."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        super().__init__(generator)
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    def draw(self, source: Generator) -> np.ndarray:
        return np.asarray(self.indices, np.int64)[source.permutation(len(self.indices))]

    def torch_orders(self, source: Any) -> Iterator[np.ndarray]:
        yield np.asarray(self.indices, np.int64)[source.permutation(len(self.indices))]


class WeightedRandomSampler(SeededSampler):
    """Indices drawn with probabilities in proportion to ``weights``.

    Args:
        weights: ``[n]``, at least 0.
        num_samples: indices per epoch.
        replacement: an index may come again.

    Raises:
        TabgradError: weights that are negative or not finite, or fewer of them above 0 than draws without replacement.
    """

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        super().__init__(generator)
        if not isinstance(replacement, bool):
            raise TypeError(f"WeightedRandomSampler: expected replacement as True or False, got {replacement!r}")
        self.weights = np.asarray(weights.numpy() if isinstance(weights, Tensor) else weights, np.float64)
        self.num_samples = whole_number(num_samples, "WeightedRandomSampler", "num_samples", 1)
        self.replacement = replacement
        wrong = self.weights.ndim != 1 or not np.isfinite(self.weights).all() or (self.weights < 0).any()
        if wrong or not self.weights.any():
            raise TabgradError(
                "WeightedRandomSampler: expected weights as numbers of at least 0, in one dimension, one of them above "
                f"0, got {self.weights.shape} with {self.weights.min(initial=0)} to {self.weights.max(initial=0)}"
            )
        if not replacement and self.num_samples > np.count_nonzero(self.weights):
            raise TabgradError(
                f"WeightedRandomSampler: expected num_samples of at most {np.count_nonzero(self.weights)}, the number "
                f"of weights above 0, got {num_samples}; pass replacement=True"
            )

    def __len__(self) -> int:
        return self.num_samples

    def draw(self, source: Generator) -> np.ndarray:
        if self.replacement:
            limits = np.cumsum(self.weights)
            drawn = source.uniform_array((self.num_samples,)).astype(np.float64) * limits[-1]
            return np.minimum(np.searchsorted(limits, drawn, side="right"), np.flatnonzero(self.weights)[-1])
        # Exponential times, at rates of the weights: the first to come are draws without replacement.
        waits = -np.log1p(-source.uniform_array(self.weights.shape).astype(np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(self.weights > 0, waits / self.weights, np.inf)
        return np.argsort(times, kind="stable")[: self.num_samples]

    def torch_orders(self, source: Any) -> Iterator[np.ndarray]:
        yield source.chosen(self.weights[np.newaxis], self.num_samples, self.replacement)[0]


class BatchSampler(Sampler[list[int]]):
    """The indices of a sampler, ``batch_size`` at a time, as lists."""

    def __init__(self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool) -> None:
        super().__init__()
        self.sampler = sampler
        self.batch_size = whole_number(batch_size, "BatchSampler", "batch_size", 1)
        if not isinstance(drop_last, bool):
            raise TypeError(f"BatchSampler: expected drop_last as True or False, got {drop_last!r}")
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        n = len(self.sampler)  # type: ignore[arg-type]  # without len() it fails here, as in PyTorch
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


__all__ = [
    "BatchSampler", "RandomSampler", "Sampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler",
]  # fmt: skip
