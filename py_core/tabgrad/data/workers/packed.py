"""Objects as bytes, for another process or thread: arrays lie apart, so that they are copied no more than needed."""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

import cloudpickle
import numpy as np

from tabgrad.tensor import Tensor


class Packed(NamedTuple):
    """An object's structure, and the arrays in it."""

    data: bytes
    buffers: Sequence[Any]  # each supports the buffer protocol


class _Pickler(cloudpickle.Pickler):
    """Classes and functions of scripts travel by value: the other side has not run the script."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Tensor):
            return _tensor, (type(obj), obj.detach().numpy(), obj.requires_grad)
        return super().reducer_override(obj)


def _tensor(kind: type[Tensor], array: np.ndarray, requires_grad: bool) -> Tensor:
    made = Tensor._of(array)
    if kind is not Tensor:
        plain, made = made, kind.__new__(kind)
        made._set(plain._node, plain._session)
    return made.requires_grad_(requires_grad)


def pack(value: Any) -> Packed:
    """Bytes that :func:`unpack` makes the object of.

    Raises:
        TypeError, pickle.PicklingError: a part cannot be pickled, such as an open file.
    """
    file, buffers = io.BytesIO(), list[pickle.PickleBuffer]()
    _Pickler(file, protocol=5, buffer_callback=buffers.append).dump(value)
    return Packed(file.getvalue(), [buffer.raw() for buffer in buffers])


def unpack(packed: Packed) -> Any:
    """The object; its arrays lie in the buffers."""
    return pickle.loads(packed.data, buffers=packed.buffers)


__all__ = ["Packed", "pack", "unpack"]
