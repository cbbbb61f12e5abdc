"""Tensors in nested tuples, lists and dicts: arguments and results of functions as users write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tabgrad.tensor import Tensor


def tensors_of(tree: Any) -> Iterator[Tensor]:
    """All tensors, in order."""
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, tuple | list):
        for part in tree:
            yield from tensors_of(part)
    elif isinstance(tree, dict):
        for part in tree.values():
            yield from tensors_of(part)


def mapped(change: Callable[[Tensor], Any], tree: Any) -> Any:
    """The same tree, with something else in place of each tensor."""
    if isinstance(tree, Tensor):
        return change(tree)
    if isinstance(tree, tuple | list):
        parts = [mapped(change, part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if isinstance(tree, dict):
        return type(tree)((key, mapped(change, part)) for key, part in tree.items())
    return tree


def in_place_of(tensors: Iterable[Tensor], tree: Any) -> Any:
    """``tree`` with these in place of its tensors."""
    rest = iter(tensors)
    return mapped(lambda _: next(rest), tree)


__all__ = ["in_place_of", "mapped", "tensors_of"]
