"""Parameters stored in one buffer, so that one kernel updates them all."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tabgrad.dtypes import WORD_BYTES, float32
from tabgrad.graph import node as graph
from tabgrad.graph.storage import Storage
from tabgrad.ops.pack import offsets, pack
from tabgrad.ops.slicing import slice_dims
from tabgrad.runtime.evaluation import realize_all
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer

LARGE = 2**24  # elements: more are written to the device part by part, as a browser's Python has 2 GB of memory
_FILLED = 2**20  # elements that are written at a time


class FlatParameters:
    """Parameters moved into one buffer, and the flat tensor of the whole buffer.

    For other code the parameters are unchanged: tensors of their shapes, now views of the buffer.
    """

    def __init__(self, parameters: list[Tensor]) -> None:
        self.parameters = parameters
        self.starts, self.total = offsets([p.numel() for p in parameters])
        if any(p._path and not p._claim() for p in parameters):
            raise NotImplementedError(
                "optimizer: expected parameters with memory of their own, got a view of another living tensor, which "
                "moving it would cut off; pass a clone() of it"
            )
        session = realize_all(parameters)
        self._session = session
        session.own(Tracer).happens_once("it moves parameters")
        on_host = all(p._node.storage is not None and p._node.storage.host is not None for p in parameters)
        if on_host:
            self.storage = stored(session, self.total, zip(self.starts, map(_values, parameters), strict=True))
        else:
            packed = pack([p.detach() for p in parameters])
            realize_all([packed])
            assert packed._node.storage is not None
            self.storage = packed._node.storage
        self.storage.shared = True
        self.storage.purpose = "parameters"
        for p, start in zip(parameters, self.starts, strict=True):
            assert p._node.storage is not None
            p._node.storage.left = True
            session.moves += 1
            # in place: a step that is being recorded has already read the parameter through this node
            p._node.storage, p._node.offset = self.storage, start
            if p._memory is not None:
                p._memory.set(p._node)
        self.tensor = Tensor._from_node(graph.buffer(self.storage, (self.total,), float32), session)

    def holds(self) -> bool:
        """Whether the parameters are still views of this buffer (another optimizer may have moved them)."""
        return all(p._node.op is not graph.BUFFER or p._node.storage is self.storage for p in self.parameters)

    def filled(self, name: str, value: float = 0.0) -> Tensor:
        """A buffer of the same layout, for the optimizer's state ``name``, with one number everywhere."""
        self._session.own(Tracer).happens_once("it makes state")
        storage = stored(self._session, self.total, (), value)
        storage.purpose = f"optimizer state {name}"
        return Tensor._from_node(graph.buffer(storage, (self.total,), float32), self._session)

    def write(self, value: Tensor) -> None:
        """Overwrite the whole buffer; the parameters then read the new value."""
        node = graph.make(graph.ASSIGN, self.tensor._node, value._node)
        recording, tracer = self._session.capturing(), self._session.own(Tracer)
        if recording is not None:
            recording.assigned.append(self.tensor._own())
        self.tensor._become(node, self._session)
        for p, start in zip(self.parameters, self.starts, strict=True):
            piece = slice_dims(self.tensor.detach(), {0: (start, 1, p.numel())}).reshape(p.shape)
            p._node = piece._node  # until settle(), so that it is not computed
            if recording is not None and p._memory is not None:
                p._memory.set(piece._node)
            for tensor in [p] if p._memory is None else p._memory.members():
                tensor._version += 1
                tracer.changes(tensor)
            if recording is not None:
                recording.views.append((p, graph.buffer(self.storage, p.shape, float32, start)))

    def settle(self) -> None:
        """Make the parameters memory again, after the write has run."""
        for p, start in zip(self.parameters, self.starts, strict=True):
            p._become(graph.buffer(self.storage, p.shape, float32, start), self._session)

    def piece(self, whole: Tensor, index: int) -> Tensor:
        """Parameter ``index``'s slice of a tensor of the same layout, in the parameter's shape."""
        p = self.parameters[index]
        return slice_dims(whole.detach(), {0: (self.starts[index], 1, p.numel())}).reshape(p.shape)

    def pack(self, pieces: list[Tensor], name: str) -> Tensor:
        """Tensors of the parameters' shapes as a buffer of the same layout, for the optimizer's state ``name``."""
        packed = pack(pieces)
        realize_all([packed])
        storage = packed._node.storage
        assert storage is not None
        storage.purpose = f"optimizer state {name}"
        return packed

    def join(self, pieces: list[np.ndarray]) -> np.ndarray:
        """Arrays of the parameters' shapes in the layout of the buffer."""
        whole = np.zeros(self.total, np.float32)
        for start, piece in zip(self.starts, pieces, strict=True):
            whole[start : start + piece.size] = np.asarray(piece, np.float32).reshape(-1)
        return whole


def _values(parameter: Tensor) -> np.ndarray:
    """The elements of a parameter that lies on the host."""
    node = parameter._node
    assert node.storage is not None and node.storage.host is not None
    return node.storage.host.reshape(-1)[node.offset : node.offset + node.size]


def stored(session: Session, total: int, pieces: Iterable[tuple[int, np.ndarray]], between: float = 0.0) -> Storage:
    """Memory of ``total`` elements with some pieces in it, in order, and a number between; on the host if small."""
    if total <= LARGE:
        whole = np.full(total, between, np.float32)
        for start, piece in pieces:
            whole[start : start + piece.size] = piece
        return Storage(whole.nbytes, whole)
    storage, device, written = Storage(float32.bytes_of(total)), session.device, 0
    filling = np.full(_FILLED, between, np.float32)
    for start, piece in (*pieces, (total, filling[:0])):
        for at in range(written, start, _FILLED):
            device.write(storage.on(device), filling[: min(_FILLED, start - at)], at * WORD_BYTES)
        if piece.size:
            device.write(storage.on(device), piece, start * WORD_BYTES)
        written = start + piece.size
    return storage


__all__ = ["FlatParameters", "stored"]
