"""Buffers that lie in another one's memory to save a copy: before that memory is overwritten they get their own.

A reshape that was read, and the second of two equal values that were computed together, are such buffers.
"""

from __future__ import annotations

import weakref

from tabgrad.graph.node import Node


class Aliases:
    """The living ones."""

    def __init__(self) -> None:
        self._living: dict[int, weakref.ref[Node]] = {}

    def note(self, node: Node) -> None:
        """This buffer shares memory with an earlier one."""
        living, key = self._living, id(node)
        living[key] = weakref.ref(node, lambda _: living.pop(key, None))

    def forget(self, node: Node) -> None:
        """It has memory of its own now."""
        self._living.pop(id(node), None)

    def over(self, storages: set[int]) -> list[Node]:
        """The aliases over these storages, given by ``id``."""
        if not self._living:  # mostly
            return []
        living = [n for ref in list(self._living.values()) if (n := ref()) is not None]
        return [n for n in living if id(n.storage) in storages]

    def among(self, nodes: list[Node]) -> list[Node]:
        """Those of the nodes that are aliases."""
        return [n for n in nodes if id(n) in self._living] if self._living else []
