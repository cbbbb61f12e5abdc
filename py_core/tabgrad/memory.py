"""Memory that several tensors show: one value, of which each shows a view of its own."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tabgrad.graph.node import Node, make
from tabgrad.graph.op import Op, Shape, View

if TYPE_CHECKING:
    from tabgrad.autograd import Context
    from tabgrad.tensor import Tensor

Path = tuple[tuple[Op, dict[str, Any]], ...]
"""The views, one of another, that lead from a value to what a tensor shows of it."""


class Memory:
    """What tensors are views of. A write through one of them gives all of them another value.

    ``node`` is the whole, also when no tensor that shows all of it lives any more.
    """

    __slots__ = ("__weakref__", "_members", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self._members: dict[int, weakref.ref[Tensor]] = {}

    def leave(self, tensor: Tensor) -> None:
        """This one shows something else from now on."""
        self._members.pop(id(tensor), None)

    def join(self, tensor: Tensor) -> None:
        """One more tensor shows it."""
        members, key = self._members, id(tensor)
        members[key] = weakref.ref(tensor, lambda _: members.pop(key, None))

    def members(self) -> list[Tensor]:
        """All living tensors that show it."""
        return [t for ref in list(self._members.values()) if (t := ref()) is not None]

    def set(self, node: Node) -> None:
        """Give it another value."""
        self.node = node
        for tensor in self.members():
            tensor._node = shown(node, tensor._path)
            tensor._watch()


class Lineage:
    """A tensor that is recorded by itself, and its views that are recorded as such: one gradient flows through them.

    A tensor that :meth:`Tensor.detach` made of another begins a lineage of its own over the same memory.
    """

    __slots__ = ("ctx", "first", "path")

    def __init__(self, first: Tensor) -> None:
        self.path: Path = first._path
        self.ctx: Context | None = first._ctx
        self.first = weakref.ref(first)

    def has_leaf(self) -> bool:
        """Whether it begins with a leaf that requires a gradient, which cannot be recorded as changed."""
        first = self.first()
        return first is not None and first._ctx is None and first.requires_grad


def shown(node: Node, path: Path) -> Node:
    """A value as the views of a path show it."""
    for op, attrs in path:
        node = make(op, node, **attrs)
    return node


def strides(shape: Shape, path: Path) -> tuple[int, ...]:
    """In elements, of what a path shows of a value of this shape that lies in row-major order."""
    found = row_major(shape)
    for op, attrs in path:
        view = op.lowering
        assert isinstance(view, View)
        assert view.strides is not None
        steps = view.strides(attrs, shape, found)
        assert steps is not None, "a path is of views that strides show"
        found = steps
        shape = op.shape_rule(attrs, shape)
    return found


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of elements that follow each other."""
    found, step = [], 1
    for n in reversed(shape):
        found.append(step)
        step *= n
    return tuple(reversed(found))


def regrouped(shape: Sequence[int], steps: Sequence[int], target: Sequence[int]) -> tuple[int, ...] | None:
    """Strides that show elements, of which ``shape`` and its strides are given, in another shape; None where none do.

    Dimensions are taken together as far as each begins where the next one ends; the target's must divide them.
    """
    if 0 in shape:
        return row_major(target)
    runs: list[list[int]] = []  # [elements, stride], of dimensions that lie in one run
    for n, step in zip(shape, steps, strict=True):
        if n == 1:
            continue
        if runs and runs[-1][1] == n * step:
            runs[-1] = [runs[-1][0] * n, step]
        else:
            runs.append([n, step])
    found: list[int] = []
    step = left = 1  # elements of the last run that are not in the target's dimensions yet
    for n in reversed(target):
        if n == 1:
            found.append(1)
            continue
        if left == 1:
            if not runs:
                return None
            left, step = runs.pop()
        if left % n:
            return None
        found.append(step)
        step, left = step * n, left // n
    return tuple(reversed(found)) if left == 1 and not runs else None


__all__ = ["Lineage", "Memory", "Path", "regrouped", "row_major", "shown", "strides"]
