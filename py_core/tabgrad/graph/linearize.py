"""A graph as a list: every distinct value once, in topological order, with a key for its structure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from tabgrad.dtypes import DType
from tabgrad.graph.node import BUFFER, SCALAR, Node
from tabgrad.graph.op import Attrs, Kind, Op, Shape
from tabgrad.graph.storage import Storage


@dataclass(frozen=True, slots=True)
class Entry:
    """One value: as a :class:`Node`, with positions in place of references."""

    op: Op
    args: tuple[int, ...]
    attrs: Attrs
    shape: Shape
    dtype: DType
    slot: int = -1  # of a buffer: which storage; of a scalar: which number
    offset: int = 0  # of a buffer: elements before the first

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


@dataclass
class Linear:
    """What is to be computed, free of the objects that ask for it; equal keys mean equal programs."""

    entries: list[Entry]
    roots: list[int]
    storages: list[Storage]
    scalars: list[Node]
    key: Hashable = field(repr=False)
    name: str = ""  # of the compiled step that it was recorded from


def attrs_key(item: Node | Entry) -> Hashable:
    """Equal for equal attributes; as a value to compute with, 0.0 is not -0.0, and NaN equals itself."""
    return repr(item.attrs) if "value" in item.attrs else tuple(item.attrs.values())


def topological(roots: Iterable[Node]) -> list[Node]:
    """Every node below ``roots``, arguments first."""
    order: list[Node] = []
    done: set[int] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if id(node) in done:
                continue
            if expanded or not node.args:
                done.add(id(node))
                order.append(node)
                continue
            stack.append((node, True))
            for arg in reversed(node.args):
                if id(arg) not in done:
                    stack.append((arg, False))
    return order


def linearize(roots: list[Node]) -> Linear:
    """Number the values below ``roots``; equal subexpressions become one."""
    entries: list[Entry] = []
    known: dict[Hashable, int] = {}
    number: dict[int, int] = {}
    storage_slots: dict[int, int] = {}
    storages: list[Storage] = []
    scalars: list[Node] = []
    signature: list[Hashable] = []
    for node in topological(roots):
        slot = -1
        if node.op is BUFFER:
            assert node.storage is not None
            slot = storage_slots.setdefault(id(node.storage), len(storages))
            if slot == len(storages):
                storages.append(node.storage)
        elif node.op is SCALAR:
            slot = len(scalars)
            scalars.append(node)
        args = tuple(number[id(a)] for a in node.args)
        sign = (node.op.name, args, attrs_key(node), node.shape, node.dtype.name, slot, node.offset)
        index = known.get(sign)
        if index is None:
            index = known[sign] = len(entries)
            entries.append(Entry(node.op, args, node.attrs, node.shape, node.dtype, slot, node.offset))
            signature.append(sign)
        number[id(node)] = index
    at = [number[id(r)] for r in roots]
    sizes = tuple(s.size_bytes for s in storages)
    return Linear(entries, at, storages, scalars, (tuple(signature), tuple(at), sizes))


def assigned_storages(nodes: Iterable[Node]) -> set[int]:
    """``id`` of each storage that an assign among ``nodes`` writes."""
    return {id(target_storage(n)) for n in nodes if n.op.kind is Kind.ASSIGN}


def target_storage(node: Node) -> Storage:
    """The storage that an assign writes, through a chain of assigns."""
    storage = written_buffer(node).storage
    assert storage is not None
    return storage


def written_buffer(node: Node) -> Node:
    """The buffer that an assign writes, through a chain of assigns."""
    while node.op.kind is Kind.ASSIGN:
        node = node.args[0]
    return node
