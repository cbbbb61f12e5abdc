"""Stacking samples into a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np

from tabgrad.data.host_array import host_array
from tabgrad.errors import ShapeError
from tabgrad.ops import stack
from tabgrad.tensor import Tensor


def collate_arrays(samples: Sequence[Any]) -> Any:
    """Stack samples along a new first dimension, on the host.

    Numbers, arrays and tensors become one array ``[b, ...]``; tuples, lists and dicts are
    stacked field by field. Python floats become float32, integers int32.

    Raises:
        ShapeError: samples of different shapes.
        NotImplementedError: samples that are not numbers, such as strings.
    """
    _check_alike(samples)
    first = samples[0]
    if isinstance(first, Mapping):
        return {key: collate_arrays([s[key] for s in samples]) for key in first}
    if isinstance(first, (tuple, list)):
        return tuple(collate_arrays(list(field)) for field in zip(*samples, strict=True))
    if isinstance(first, (str, bytes)) or first is None:
        raise NotImplementedError(
            f"default_collate: samples of type {type(first).__name__} cannot become a tensor; "
            "encode them as numbers in the dataset, or pass collate_fn="
        )
    arrays = [host_array(s.numpy() if isinstance(s, Tensor) else s, caller="default_collate") for s in samples]
    _check_shapes(arrays)
    return np.stack(arrays)


def _check_alike(samples: Sequence[Any]) -> None:
    """Raise unless all samples are of one kind, with the same keys or number of fields.

    Raises:
        ShapeError: they are not.
    """
    if not len(samples):
        raise ShapeError("default_collate: expected at least one sample, got none")
    first = samples[0]
    if len({_kind(s) for s in samples}) != 1:
        raise ShapeError(
            f"default_collate: expected samples of one kind, got {' and '.join(sorted({_kind(s) for s in samples}))}; "
            "make them alike in the dataset, or pass collate_fn="
        )
    if isinstance(first, Mapping) and any(s.keys() != first.keys() for s in samples):
        other = next(s for s in samples if s.keys() != first.keys())
        raise ShapeError(
            f"default_collate: expected samples with the keys {sorted(map(str, first))}, got "
            f"{sorted(map(str, other))}; make them alike in the dataset, or pass collate_fn="
        )
    if isinstance(first, tuple | list) and len({len(s) for s in samples}) != 1:
        raise ShapeError(
            f"default_collate: expected samples of {len(first)} fields, got "
            f"{sorted({len(s) for s in samples})}; pass collate_fn= to pad or drop fields"
        )


def _check_shapes(parts: Sequence[Any]) -> None:
    if len({part.shape for part in parts}) != 1:
        shapes = sorted({part.shape for part in parts})
        raise ShapeError(
            f"default_collate: expected samples of one shape, got {[list(s) for s in shapes[:4]]}; "
            "resize or pad in the dataset, or pass collate_fn="
        )


def _kind(sample: Any) -> str:
    if isinstance(sample, Mapping):
        return "dicts"
    if isinstance(sample, tuple | list):
        return "tuples"
    return "text" if isinstance(sample, str | bytes) else "none" if sample is None else "numbers"


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples as one batch of tensors, as PyTorch merges them.

    Numbers, arrays and tensors get a new first dimension; tuples and lists become a list of their fields, named tuples
    and dicts keep their type, and texts stay a list.

    Raises:
        ShapeError: samples of different kinds, fields or shapes.
        TypeError: samples that no batch is made of, such as None.
    """
    first = batch[0] if len(batch) else 0
    if isinstance(first, str | bytes):
        return list(batch)
    if not isinstance(first, Mapping | tuple | list | Tensor | np.ndarray | np.generic | Number):
        raise TypeError(
            f"default_collate: expected samples of tensors, arrays, numbers, dicts or lists, got "
            f"{type(first).__name__}; encode them in the dataset, or pass collate_fn="
        )
    _check_alike(batch)
    if isinstance(first, Mapping):
        made = {key: default_collate([sample[key] for sample in batch]) for key in first}
        return made if type(first) is dict else _like(first, made)
    if isinstance(first, tuple | list):
        fields = [default_collate(field) for field in zip(*batch, strict=True)]
        if hasattr(first, "_fields"):
            return type(first)(*fields)
        return fields if type(first) in (tuple, list) else _like(first, fields)
    if isinstance(first, Tensor) and not all(isinstance(t, Tensor) and _is_on_host(t) for t in batch):
        _check_shapes(batch)
        return stack(list(batch))
    return Tensor._of(collate_arrays(batch))


def default_convert(data: Any) -> Any:
    """Arrays and NumPy's numbers as tensors, also inside of dicts, tuples and lists; all else as it is."""
    if isinstance(data, np.ndarray | np.generic) and data.dtype.kind in "biuf":
        return Tensor._of(host_array(data, caller="default_convert"))
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(value) for value in data))
    if isinstance(data, tuple | list):
        return (
            _like(data, [default_convert(value) for value in data])
            if type(data) is not tuple
            else [default_convert(value) for value in data]
        )
    return data


def _like(original: Any, values: Any) -> Any:
    """The values in an object of the original's type, if that can be made of them; as PyTorch does."""
    try:
        return type(original)(values)
    except TypeError:
        return values


def _is_on_host(tensor: Tensor) -> bool:
    storage = tensor._node.storage
    return storage is not None and storage.host is not None and not tensor.requires_grad


def to_tensors(batch: Any) -> Any:
    """A batch with each array made a tensor."""
    if isinstance(batch, np.ndarray):
        return Tensor._of(batch)
    if isinstance(batch, Mapping):
        return {key: to_tensors(value) for key, value in batch.items()}
    if isinstance(batch, (tuple, list)):
        return [to_tensors(value) for value in batch]
    return batch


__all__ = ["collate_arrays", "default_collate", "default_convert", "to_tensors"]
