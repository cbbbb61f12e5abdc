"""Stacking samples into a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tabgrad.data.host_array import host_array
from tabgrad.errors import ShapeError
from tabgrad.tensor import Tensor


def collate_arrays(samples: Sequence[Any]) -> Any:
    """Stack samples along a new first dimension, on the host.

    Numbers, arrays and tensors become one array ``[b, ...]``; tuples, lists and dicts are
    stacked field by field. Python floats become float32, integers int32.

    Raises:
        ShapeError: samples of different shapes.
        NotImplementedError: samples that are not numbers, such as strings.
    """
    if not samples:
        raise ShapeError("default_collate: expected at least one sample, got none")
    first = samples[0]
    if len({_kind(s) for s in samples}) != 1:
        raise ShapeError(
            f"default_collate: expected samples of one kind, got {' and '.join(sorted({_kind(s) for s in samples}))}; "
            "make them alike in the dataset, or pass collate_fn="
        )
    if isinstance(first, Mapping):
        if any(s.keys() != first.keys() for s in samples):
            other = next(s for s in samples if s.keys() != first.keys())
            raise ShapeError(
                f"default_collate: expected samples with the keys {sorted(map(str, first))}, got "
                f"{sorted(map(str, other))}; make them alike in the dataset, or pass collate_fn="
            )
        return {key: collate_arrays([s[key] for s in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        if len({len(s) for s in samples}) != 1:
            raise ShapeError(
                f"default_collate: expected samples of {len(first)} fields, got "
                f"{sorted({len(s) for s in samples})}; pass collate_fn= to pad or drop fields"
            )
        return tuple(collate_arrays(list(field)) for field in zip(*samples, strict=True))
    if isinstance(first, (str, bytes)) or first is None:
        raise NotImplementedError(
            f"default_collate: samples of type {type(first).__name__} cannot become a tensor; "
            "encode them as numbers in the dataset, or pass collate_fn="
        )
    arrays = [host_array(s.numpy() if isinstance(s, Tensor) else s, caller="default_collate") for s in samples]
    if len({a.shape for a in arrays}) != 1:
        shapes = sorted({a.shape for a in arrays})
        raise ShapeError(
            f"default_collate: expected samples of one shape, got {[list(s) for s in shapes[:4]]}; "
            "resize or pad in the dataset, or pass collate_fn="
        )
    return np.stack(arrays)


def _kind(sample: Any) -> str:
    if isinstance(sample, Mapping):
        return "dicts"
    if isinstance(sample, tuple | list):
        return "tuples"
    return "text" if isinstance(sample, str | bytes) else "none" if sample is None else "numbers"


def default_collate(samples: Sequence[Any]) -> Any:
    """As :func:`collate_arrays`, with tensors in place of arrays."""
    return to_tensors(collate_arrays(samples))


def to_tensors(batch: Any) -> Any:
    """A batch with each array made a tensor."""
    if isinstance(batch, np.ndarray):
        return Tensor._of(batch)
    if isinstance(batch, Mapping):
        return {key: to_tensors(value) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        return tuple(to_tensors(value) for value in batch)
    return batch
