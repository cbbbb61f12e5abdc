"""Checks of what a loader is made of."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tabgrad.errors import ArgumentTypeError, TabgradError

if TYPE_CHECKING:
    from tabgrad.data.workers.employment import Employment


def is_iterable(dataset: Any) -> bool:
    """Whether samples come in the dataset's own order, as of an ``IterableDataset``."""
    return bool(getattr(dataset, "gives_its_own_order", False))


def check_workers(num_workers: Any, timeout: Any, prefetch_factor: Any, persistent_workers: Any) -> None:
    """Raise unless these fit each other, as in PyTorch.

    Raises:
        TabgradError: a negative number, or an option that needs workers.
    """
    if isinstance(num_workers, bool) or not isinstance(num_workers, int) or num_workers < 0:
        raise TabgradError(f"DataLoader: expected num_workers of at least 0, got {num_workers!r}")
    if timeout < 0:
        raise TabgradError(f"DataLoader: expected timeout of at least 0, got {timeout!r}")
    if num_workers == 0 and (prefetch_factor is not None or persistent_workers):
        option = "persistent_workers" if persistent_workers else "prefetch_factor"
        raise TabgradError(f"DataLoader: expected num_workers above 0 with {option}, got 0; leave {option} out")


def employed(
    num_workers: int, init: Any, prefetch_factor: int | None, timeout_s: float, *, lasts: bool
) -> Employment | None:
    """The workers of a loader, which start with an epoch; None if there are none."""
    if not num_workers:
        return None
    if sys.platform == "win32":
        warnings.warn(
            f"DataLoader: num_workers={num_workers} starts no processes on Windows yet: the training process prepares "
            f"the same batches, and worker_init_fn is not called; num_workers=0 says the same",
            UserWarning,
            stacklevel=4,
        )
        return None
    # here, as the start of a page loads what all need
    from tabgrad.data.workers.employment import Employment

    return Employment(num_workers, init, prefetch_factor, timeout_s, lasts=lasts)


def check_parts(dataset: Any, collate_fn: Any, sampler: Any, batch_sampler: Any, *, iterable: bool) -> None:
    """Raise unless these are what a loader uses them as.

    Raises:
        TabgradError: the dataset has neither an order nor indices.
        TypeError: another one has the wrong type.
    """
    has_order = iterable or sampler is not None or batch_sampler is not None or hasattr(dataset, "__len__")
    if not (iterable or hasattr(dataset, "__getitem__")) or not has_order:
        raise ArgumentTypeError(
            f"DataLoader: expected a dataset with len() and [i], got {type(dataset).__name__}; "
            "wrap arrays in TensorDataset(inputs, targets), and derive streams from IterableDataset"
        )
    if collate_fn is not None and not callable(collate_fn):
        raise TypeError(f"DataLoader: expected collate_fn as a function, got {type(collate_fn).__name__}")
    for name, given in {"a sampler": sampler, "a batch_sampler": batch_sampler}.items():
        if given is not None and not isinstance(given, Iterable):
            raise TypeError(f"DataLoader: expected {name} that can be iterated, got {type(given).__name__}")


def check_batches(
    batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: Any, *, iterable: bool
) -> None:
    """Raise unless one of these, and one alone, decides the order, and one the batches.

    Raises:
        TabgradError: they exclude each other.
    """
    if batch_size is not None and (isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1):
        raise TabgradError(f"DataLoader: expected batch_size of at least 1, got {batch_size!r}")
    if iterable and (shuffle or sampler is not None or batch_sampler is not None):
        raise TabgradError(
            "DataLoader: expected neither shuffle nor a sampler with an IterableDataset, whose own order counts; "
            "leave them out"
        )
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise TabgradError(
            "DataLoader: expected batch_sampler alone, got it with batch_size, shuffle, sampler or drop_last; "
            "it decides all of them, so leave them out"
        )
    if batch_size is None and batch_sampler is None and drop_last:
        raise TabgradError("DataLoader: expected drop_last=False with batch_size=None, which makes no batches")
    if sampler is not None and shuffle:
        raise TabgradError(
            "DataLoader: expected either sampler or shuffle, got both; "
            "the sampler alone decides the order, so leave the other out"
        )


__all__ = ["check_batches", "check_parts", "check_workers", "is_iterable"]
