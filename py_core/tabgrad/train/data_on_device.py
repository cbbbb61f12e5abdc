"""A data set that lies on the device during a run: a step takes its batch there, by the epoch's order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tabgrad.data import DataLoader
from tabgrad.data.dataset import Field, fields_of, positions
from tabgrad.runtime.arguments import tensors_of
from tabgrad.runtime.uploads import uploaded
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.train.batches import Batch, HostBatches, batch_sizes
from tabgrad.train.steps import Steps

MOST_BYTES = 256 << 20  # of a data set on the device; larger ones stay on the host


class DeviceBatch(Batch):
    """One batch that is known by where its samples lie in the epoch's order."""

    size_bytes = 0

    def __init__(self, batches: DeviceBatches, order: np.ndarray, part: slice) -> None:
        self._batches, self._order, self._part = batches, order, part

    @property
    def kind(self) -> Any:
        return self._part.stop - self._part.start

    def arrays(self) -> Sequence[np.ndarray]:
        loader = self._batches.loader
        return loader._arrays(self._order[self._part])

    def arguments(self) -> tuple[Any, ...]:
        batches = self._batches
        batches.begin_at(self._part.start)
        return (*batches.data, batches.order, self.kind)

    @property
    def repeated(self) -> Any:
        return self.kind

    def tensors(self) -> list[Tensor]:
        self._batches.begin_at(self._part.start)
        return self._batches.tensors


class DeviceBatches(HostBatches):
    """A loader's batches, of data that is uploaded once.

    The arrays on the host cannot be written to between :meth:`open` and :meth:`close`, as changes would go unseen.

    Args:
        loader: decides which samples are in which batch.
        fields: of the loader's data.
        steps: are told where a batch begins.
    """

    def __init__(self, loader: DataLoader, fields: Sequence[Field], steps: Steps) -> None:
        super().__init__(loader, steps.session)
        self.loader, self._fields, self._steps = loader, fields, steps
        self._locked: list[np.ndarray] = []
        self.data: list[Any] = []  # each a tensor, or two
        self.order: Tensor | None = None
        self.tensors: list[Tensor] = []  # all of them
        self._capacity = len(loader.sampler)  # only loaders that have it come here

    def open(self) -> None:
        for field in self._fields:
            self._lock(field.array)
        self.data = [_on_device(field, self._session) for field in self._fields]
        self._write_order(np.zeros(0, np.int32))

    def close(self) -> None:
        for one in sorted(self._locked, key=lambda a: len(_with_bases(a))):  # a base before its views
            one.flags.writeable = True
        self._locked = []
        self.data, self.order, self.tensors = [], None, []

    def samples(self) -> list[Batch]:
        empty = np.zeros(0, np.int64)
        return [DeviceBatch(self, empty, slice(0, size)) for size in batch_sizes(self.loader)]

    def epoch(self) -> Iterator[Batch]:
        order, parts = self.loader.epoch_order()
        try:
            where = positions(self.loader.dataset, order)
        except IndexError:
            where = None  # the batch with the index that is wrong raises
        if where is None or len(where) > self._capacity:
            return (Batch(self.loader._arrays(order[part]), self._session) for part in parts)
        self._write_order(where.astype(np.int32))
        return (DeviceBatch(self, order, part) for part in parts)

    def begin_at(self, first: int) -> None:
        """The next step's batch begins there in the epoch's order."""
        self._steps.first_sample = first

    def _write_order(self, where: np.ndarray) -> None:
        whole = np.zeros(self._capacity, np.int32)
        whole[: len(where)] = where
        self.order, self.tensors = None, []  # its memory is used again
        self.order = uploaded(whole, self._session, "order of an epoch")
        self.tensors = tensors_of((self.data, self.order))

    def _lock(self, array: np.ndarray) -> None:
        for one in _with_bases(array):
            if one.flags.writeable:
                one.flags.writeable = False
                self._locked.append(one)


def _with_bases(array: np.ndarray) -> list[np.ndarray]:
    """The array, and the arrays that it shows parts of."""
    found: list[np.ndarray] = []
    owner: Any = array
    while isinstance(owner, np.ndarray):
        found.append(owner)
        owner = owner.base
    return found


def batches_of(loader: DataLoader, steps: Steps) -> HostBatches:
    """A loader's batches, of data on the device where it is made of arrays that fit there."""
    fields = fields_of(loader.dataset) if loader.collate_fn is None else None
    if fields is None or len(fields) != 2 or not hasattr(loader.sampler, "__len__") or not _fits(fields, steps.session):
        return HostBatches(loader, steps.session)
    return DeviceBatches(loader, fields, steps)


def _fits(fields: Sequence[Field], session: Session) -> bool:
    sizes = [f.array.nbytes * (4 if f.array.dtype == np.bool_ else 1) for f in fields]
    limits = session.device.limits
    most = min(limits.max_binding_bytes, limits.max_buffer_bytes) - 256  # which sizes are rounded up to
    return min(sizes) > 0 and max(sizes) <= most and sum(sizes) <= MOST_BYTES


def _on_device(field: Field, session: Session) -> Any:
    """The array, with what its numbers stand for if they stand for others."""
    array = uploaded(field.array, session, "data set")
    return array if field.values is None else (array, uploaded(field.values, session, "values of bytes"))


__all__ = ["DeviceBatches", "batches_of"]
