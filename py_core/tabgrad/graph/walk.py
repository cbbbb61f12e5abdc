"""Walks over graphs: what values reach, and in which order they can be computed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reached(roots: Iterable[T], onward: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """The roots and all that they reach, each once, in no order that means anything.

    Args:
        onward: where to go on from a value; asked once for each.
    """
    stack = list(roots)
    seen = set(stack)
    while stack:
        value = stack.pop()
        yield value
        for other in onward(value):
            if other not in seen:
                seen.add(other)
                stack.append(other)


def in_order(roots: Iterable[T], needs: Callable[[T], tuple[T, ...]]) -> list[T]:
    """The roots and all that they need, each once and after what it needs, the first first."""
    order: list[T] = []
    done: set[T] = set()
    for root in roots:
        stack = [(root, False)]
        while stack:
            value, expanded = stack.pop()
            if value in done:
                continue
            args = needs(value)
            if expanded or not args:
                done.add(value)
                order.append(value)
                continue
            stack.append((value, True))
            stack.extend((a, False) for a in reversed(args) if a not in done)
    return order


__all__ = ["in_order", "reached"]
