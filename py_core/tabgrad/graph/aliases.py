"""Buffers that lie in another one's memory to save a copy: before that memory is overwritten they get their own.

A reshape that was read, and the second of two equal values that were computed together, are such buffers.
"""

from __future__ import annotations

import weakref

from tabgrad.graph.node import Node

_aliases: weakref.WeakSet[Node] = weakref.WeakSet()


def note(node: Node) -> None:
    """This buffer shares memory with an earlier one."""
    _aliases.add(node)


def forget(node: Node) -> None:
    """It has memory of its own now."""
    _aliases.discard(node)


def over(storages: set[int]) -> list[Node]:
    """The aliases over these storages, given by ``id``."""
    return [n for n in _aliases if id(n.storage) in storages] if len(_aliases) else []


def among(nodes: list[Node]) -> list[Node]:
    """Those of the nodes that are aliases."""
    return [n for n in nodes if n in _aliases] if len(_aliases) else []
