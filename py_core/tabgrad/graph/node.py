"""Nodes of the graph: what is to be computed, with shapes and dtypes known, and nothing run."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tabgrad.dtypes import DType
from tabgrad.graph.op import Access, Assign, Attrs, Lowering, Op, Shape, Source, register
from tabgrad.graph.storage import Storage

if TYPE_CHECKING:
    import numpy as np


class Node:
    """One value of the graph: an op, its inputs, its attributes, and the type of the result."""

    __slots__ = (
        "__weakref__", "args", "attrs", "dtype", "offset", "op", "owner", "provider", "shape", "storage", "value",
    )  # fmt: skip

    def __init__(self, op: Op, args: tuple[Node, ...], attrs: Attrs, shape: Shape, dtype: DType) -> None:
        self.op = op
        self.args = args
        self.attrs = attrs
        self.shape = shape
        self.dtype = dtype
        self.storage: Storage | None = None  # of a buffer
        self.offset = 0  # of a buffer: elements before the first one
        self.owner: Node | None = None  # of a buffer: the node whose memory it shares, which must live as long
        self.provider: Callable[[], Any] | None = None  # of a scalar
        self.value: Any = None  # of a scalar: the number for the run to come

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        """What it takes in memory, in whole words."""
        return self.dtype.bytes_of(self.size)

    @property
    def offset_bytes(self) -> int:
        """Of a buffer: bytes before the first element."""
        return self.offset * self.dtype.itemsize

    @property
    def is_stand_in(self) -> bool:
        """Whether it is an input of a compiled step, or a number that is asked in each of its runs: outside of a run it
        has no value.
        """
        if self.op is SCALAR:
            return self.value is None
        return self.storage is not None and self.storage.placeholder

    def become_buffer(self, storage: Storage | None, offset: int, owner: Node | None = None) -> None:
        """It has been computed: every graph that holds it reads the value from memory from now on.

        Args:
            owner: the node whose memory it is.
        """
        self.op, self.args, self.attrs = BUFFER, (), {}
        self.storage, self.offset = storage, offset
        self.owner = None if owner is None else owner.owner or owner

    def host_elements(self) -> np.ndarray | None:
        """The elements of a buffer that lies on the host, in storage form, ``[size]``; None of all other nodes."""
        storage = self.storage
        if self.op is not BUFFER or storage is None or storage.host is None or storage.placeholder:
            return None
        elements: np.ndarray = storage.host.reshape(-1)
        return elements[self.offset : self.offset + self.size]

    def __repr__(self) -> str:
        return f"Node({self.op.name}, {list(self.shape)}, {self.dtype.name})"


def make(op: Op, *args: Node, **attrs: Any) -> Node:
    """A node whose type follows from the op's rules."""
    shape = op.shape_rule(attrs, *(a.shape for a in args))
    dtype = op.dtype_rule(attrs, *(a.dtype for a in args))
    return Node(op, args, attrs, shape, dtype)


def _untyped(name: str, lowering: Lowering) -> Op:
    def rule(*_: Any) -> Any:
        raise AssertionError(f"{name}: its type does not follow from arguments")

    return register(Op(name=name, lowering=lowering, shape_rule=rule, dtype_rule=rule, reference=None, grad=None))


BUFFER = _untyped("buffer", Source())
CONST = _untyped("const", Source())
SCALAR = _untyped("scalar", Source())
IOTA = _untyped("iota", Source())
LOAD = _untyped("load", Access())
STORE = _untyped("store", Access())
ASSIGN = register(
    Op(
        name="assign",
        lowering=Assign(),
        shape_rule=lambda attrs, target, value: target,
        dtype_rule=lambda attrs, target, value: target,
        reference=None,
        grad=None,
    )
)


def buffer(storage: Storage, shape: Shape, dtype: DType, offset: int = 0) -> Node:
    """A value that lies in memory: ``shape`` elements of ``storage``, contiguous from ``offset``."""
    node = Node(BUFFER, (), {}, shape, dtype)
    node.storage, node.offset = storage, offset
    return node


def const(value: float | int | bool, shape: Shape, dtype: DType) -> Node:
    """``shape`` filled with one value that is part of the program."""
    return Node(CONST, (), {"value": value}, shape, dtype)


def scalar(provider: Callable[[], Any], dtype: DType) -> Node:
    """A number that changes from step to step without recompiling.

    ``provider`` is asked once per run, in the order in which scalars were made.
    """
    node = Node(SCALAR, (), {}, (), dtype)
    node.provider = provider
    return node


def iota(shape: Shape, axis: int, dtype: DType) -> Node:
    """Each element's index along ``axis``."""
    return Node(IOTA, (), {"axis": axis}, shape, dtype)


__all__ = [
    "ASSIGN",
    "BUFFER",
    "CONST",
    "IOTA",
    "LOAD",
    "SCALAR",
    "STORE",
    "Node",
    "buffer",
    "const",
    "iota",
    "make",
    "scalar",
]
