"""Splitting a dataset into disjoint subsets."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tabgrad.data.dataset import Dataset, Subset
from tabgrad.errors import TabgradError
from tabgrad.random import Generator
from tabgrad.session import current


def random_split(dataset: Dataset, lengths: Sequence[int | float], generator: Generator | None = None) -> list[Subset]:
    """Split ``dataset`` at random into subsets of the given sizes.

    Args:
        lengths: sizes of the subsets, or fractions that sum to 1. Fractions are rounded down; the
            remaining samples go one by one to the first subsets, as in PyTorch.
        generator: the same state gives the same subsets on every platform; default the one that
            ``tabgrad.manual_seed`` seeds.

    Raises:
        TabgradError: the lengths do not sum to the dataset's size, or the fractions to 1.
    """
    sizes = _sizes(len(dataset), lengths)
    order = (generator or current().generator).permutation(len(dataset))
    parts, start = [], 0
    for size in sizes:
        parts.append(Subset(dataset, order[start : start + size]))
        start += size
    return parts


def _sizes(n: int, lengths: Sequence[int | float]) -> list[int]:
    if lengths and any(isinstance(length, float) for length in lengths):
        if not math.isclose(sum(lengths), 1.0, abs_tol=1e-6) or any(f < 0 or f > 1 for f in lengths):
            raise TabgradError(
                f"random_split: expected fractions that sum to 1, got {list(lengths)} "
                f"(sum {sum(lengths):g}); add a part for the rest, or pass whole numbers"
            )
        sizes = [math.floor(n * fraction) for fraction in lengths]
        for i in range(n - sum(sizes)):
            sizes[i % len(sizes)] += 1
        return sizes
    if sum(lengths) != n or any(length < 0 for length in lengths):
        raise TabgradError(
            f"random_split: expected lengths that sum to the dataset's {n} samples, got {list(lengths)} "
            f"(sum {sum(lengths)})"
        )
    return [int(length) for length in lengths]
