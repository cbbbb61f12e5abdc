"""A graph as a list: every distinct value once, in topological order, with a key for its structure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from tabgrad.graph.build import Builder
from tabgrad.graph.entry import Entry
from tabgrad.graph.node import BUFFER, SCALAR, Node
from tabgrad.graph.op import Kind
from tabgrad.graph.storage import Storage
from tabgrad.graph.walk import in_order


@dataclass
class Linear:
    """What is to be computed, free of the objects that ask for it; equal keys mean equal programs."""

    entries: list[Entry]
    roots: list[int]
    storages: list[Storage]
    scalars: list[Node]
    key: Hashable = field(repr=False)
    name: str = ""  # of the compiled step that it was recorded from


def topological(roots: Iterable[Node]) -> list[Node]:
    """Every node below ``roots``, arguments first."""
    return in_order(roots, lambda node: node.args)


def linearize(roots: list[Node]) -> Linear:
    """Number the values below ``roots``; equal subexpressions become one."""
    build = Builder()
    number: dict[int, int] = {}
    storage_slots: dict[int, int] = {}
    storages: list[Storage] = []
    scalars: list[Node] = []
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
        number[id(node)] = build.add(Entry(node.op, args, node.attrs, node.shape, node.dtype, slot, node.offset))
    at = [number[id(r)] for r in roots]
    sizes = tuple(s.size_bytes for s in storages)
    return Linear(build.entries, at, storages, scalars, (build.key, tuple(at), sizes))


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
