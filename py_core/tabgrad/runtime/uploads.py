"""Host arrays that move to the device at once, without a copy on the host."""

from __future__ import annotations

import numpy as np

from tabgrad import dtypes
from tabgrad.graph import node as graph
from tabgrad.graph.storage import Storage
from tabgrad.session import Session
from tabgrad.tensor import Tensor


def uploaded(array: np.ndarray, session: Session, purpose: str = "") -> Tensor:
    """A tensor of the array's values, on the session's device; the array may change afterwards.

    Args:
        purpose: what it is kept for, in words.

    Raises:
        DeviceError: the device has no memory left.
        DTypeError: the values do not fit a dtype that tensors have.
    """
    tensor = unstored(array, session)
    storage = tensor._node.storage
    assert storage is not None
    storage.purpose = purpose
    storage.on(session.device)
    return tensor


def unstored(array: np.ndarray, session: Session) -> Tensor:
    """As :func:`uploaded`, but on the host until a step needs it: the array must not change until then."""
    dtype = dtypes.from_numpy_dtype(array.dtype)
    stored = dtypes.to_storage(array, dtype)
    return Tensor._from_node(graph.buffer(Storage(stored.nbytes, stored), array.shape, dtype), session)


__all__ = ["unstored", "uploaded"]
