"""Distinct elements, in ascending order; each NaN is distinct."""

from __future__ import annotations

from typing import NamedTuple

import tabgrad
from tabgrad.tensor import Tensor


class UniqueAll(NamedTuple):
    """Distinct elements, where each is first, where each element is among them, and how often each occurs."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """Distinct elements, and how often each occurs."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """Distinct elements, and where each element is among them."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAll:
    """The distinct elements, and all that is known of them."""
    values, inverse, counts = tabgrad.unique(x, return_inverse=True, return_counts=True)
    by_value = tabgrad.argsort(inverse.reshape(-1), stable=True)
    indices = by_value[tabgrad.cumsum(counts, 0) - counts]
    return UniqueAll(values, indices, inverse.reshape(x.shape), counts)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    """The distinct elements, and how often each occurs."""
    values, counts = tabgrad.unique(x, return_counts=True)
    return UniqueCounts(values, counts)


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    """The distinct elements, and where each element is among them."""
    values, inverse = tabgrad.unique(x, return_inverse=True)
    return UniqueInverse(values, inverse.reshape(x.shape))


def unique_values(x: Tensor, /) -> Tensor:
    """The distinct elements."""
    return tabgrad.unique(x)


__all__ = ["unique_all", "unique_counts", "unique_inverse", "unique_values"]
