"""Buffers that lie in another one's memory to save a copy: before that memory is overwritten they get their own.

A reshape that was read, and the second of two equal values that were computed together, are such buffers.
"""

from __future__ import annotations

import weakref

from tabgrad.graph.node import Node

_aliases: dict[int, weakref.ref[Node]] = {}


def note(node: Node) -> None:
    """This buffer shares memory with an earlier one."""
    key = id(node)
    _aliases[key] = weakref.ref(node, lambda _: _aliases.pop(key, None))


def forget(node: Node) -> None:
    """It has memory of its own now."""
    _aliases.pop(id(node), None)


def over(storages: set[int]) -> list[Node]:
    """The aliases over these storages, given by ``id``."""
    if not _aliases:  # mostly
        return []
    living = [n for ref in list(_aliases.values()) if (n := ref()) is not None]
    return [n for n in living if id(n.storage) in storages]


def among(nodes: list[Node]) -> list[Node]:
    """Those of the nodes that are aliases."""
    return [n for n in nodes if id(n) in _aliases] if _aliases else []
