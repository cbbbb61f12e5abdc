"""Values of tensors, read from the device or taken from where they lie on the host."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from tabgrad import dtypes
from tabgrad.devices.base import Buffer
from tabgrad.errors import DTypeError, GradError
from tabgrad.grad_mode import is_grad_enabled
from tabgrad.graph.node import Node
from tabgrad.names import public
from tabgrad.runtime.evaluation import looked_at, realize_all
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of
from tabgrad.tracing.tracer import Tracer

Request = tuple[Buffer, int, int] | np.ndarray
"""What to ask the device for; or the words themselves, if they lie on the host."""


async def read(*tensors: Tensor) -> list[np.ndarray]:
    """Values of tensors as NumPy arrays, all read in one transaction, without blocking the event loop."""
    session = session_of(tensors) or current()
    with session.lock:
        requests = _requests(tensors)
    start = time.perf_counter()
    asked = [r for r in requests if not isinstance(r, np.ndarray)]
    raws = await session.device.read(asked) if asked else []
    return _values(session, tensors, requests, raws, start)


def read_now(*tensors: Tensor) -> list[np.ndarray]:
    """As :func:`read`, suspending the caller until the values are there.

    Raises:
        DeviceError: this platform cannot suspend Python; use ``await tensor.read()``.
    """
    session = session_of(tensors) or current()
    with session.lock:
        requests = _requests(tensors)
        start = time.perf_counter()
        asked = [r for r in requests if not isinstance(r, np.ndarray)]
        raws = session.device.read_now(asked) if asked else []
    return _values(session, tensors, requests, raws, start)


@public(top=False, also=("read",), traced=False)
async def read_one(input: Tensor) -> np.ndarray:
    """The value as a NumPy array, without blocking the event loop."""
    return (await read(input))[0]


@public(top=False, method=True, traced=False)
def numpy(input: Tensor, *, force: bool = False) -> np.ndarray:
    """The value as a NumPy array; waits for the device.

    Args:
        force: as ``input.detach().numpy()``.

    Raises:
        GradError: the tensor requires grad; use ``.detach().numpy()``.
        DTypeError: NumPy has no bfloat16; use ``.float().numpy()``.
        DeviceError: this platform cannot wait; use ``await tensor.read()``.
    """
    if force:
        input = input.detach()
    if input.requires_grad and is_grad_enabled():
        raise GradError("numpy: expected a tensor that does not require grad; use tensor.detach().numpy()")
    if input.dtype is dtypes.bfloat16:
        raise DTypeError("numpy: expected a dtype that NumPy has, got bfloat16; use tensor.float().numpy()")
    return read_now(input)[0]


def _requests(tensors: Sequence[Tensor]) -> list[Request]:
    session = session_of(tensors) or current()
    tracer = session.own(Tracer)
    tracer.happens_once("it looks at values")  # a call that reads by itself
    if tracer.has_deferred(tensors):
        tracer.call(_compute, tuple(tensors), {})
    else:
        session = realize_all(tensors, suspending=True)
    return [_request(session, t) for t in tensors]


def _compute(*tensors: Tensor) -> None:
    realize_all(tensors, suspending=True)


def _request(session: Session, tensor: Tensor) -> Request:
    node = tensor._node
    storage = node.storage
    assert storage is not None
    if storage.placeholder:
        raise RuntimeError(looked_at(session))
    if not node.size:
        return np.zeros(0, np.uint32)
    if storage.host is not None:
        return storage.host.reshape(-1)[node.offset : node.offset + node.size].copy()
    return storage.on(session.device), node.offset_bytes, node.size_bytes


def _values(
    session: Session,
    tensors: Sequence[Tensor],
    requests: Sequence[Request],
    raws: Sequence[np.ndarray],
    start_s: float,
) -> list[np.ndarray]:
    if session.profiler is not None:
        session.profiler.span("read", start_s)
    found = iter(raws)
    words = [r.view(np.uint8) if isinstance(r, np.ndarray) else next(found) for r in requests]
    return [_value(raw, t._node) for raw, t in zip(words, tensors, strict=True)]


def _value(raw: np.ndarray, node: Node) -> np.ndarray:
    whole = raw[: node.size * node.dtype.itemsize]  # without what fills the last word
    return dtypes.from_storage(whole, node.dtype).reshape(node.shape)


__all__ = ["read", "read_now"]
