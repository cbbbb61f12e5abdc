"""Arguments and results of a compiled step: nested tuples, lists and dicts of tensors and other values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from tabgrad.dtypes import DType
from tabgrad.errors import TabgradError
from tabgrad.graph.op import Shape
from tabgrad.tensor import Tensor


def tensors_of(tree: Any) -> list[Tensor]:
    """All tensors, in order."""
    if isinstance(tree, Tensor):
        return [tree]
    if isinstance(tree, tuple | list):
        return [t for part in tree for t in tensors_of(part)]
    if isinstance(tree, dict):
        return [t for part in tree.values() for t in tensors_of(part)]
    return []


def constants_of(tree: Any) -> list[Any]:
    """All values that are no tensors, in order."""
    if isinstance(tree, tuple | list):
        return [value for part in tree for value in constants_of(part)]
    if isinstance(tree, dict):
        return [value for part in tree.values() for value in constants_of(part)]
    return [] if isinstance(tree, Tensor) else [tree]


def replaced(tree: Any, by_id: dict[int, Tensor]) -> Any:
    """The tree with another tensor in each tensor's place."""
    if isinstance(tree, Tensor):
        return by_id[id(tree)]
    if isinstance(tree, tuple | list):
        return _like(tree, [replaced(part, by_id) for part in tree])
    if isinstance(tree, dict):
        return {name: replaced(part, by_id) for name, part in tree.items()}
    return tree


def distinct(tree: Any) -> Any:
    """The tree with a tensor of its own in every place: two arguments that are one tensor now may be two later."""
    if isinstance(tree, Tensor):
        own = Tensor._from_node(tree._node, tree._session)
        own._requires_grad = tree.requires_grad
        return own
    if isinstance(tree, tuple | list):
        return _like(tree, [distinct(part) for part in tree])
    if isinstance(tree, dict):
        return {name: distinct(part) for name, part in tree.items()}
    return tree


def kinds_of(args: tuple[Any, ...]) -> list[tuple[Shape, DType, bool]] | None:
    """What a recording for such arguments depends on, where they are tensors and nothing else."""
    if not all(isinstance(t, Tensor) for t in args):
        return None
    return [(t.shape, t.dtype, t.requires_grad) for t in args]


def _like(tree: tuple[Any, ...] | list[Any], parts: list[Any]) -> Any:
    kind = type(tree)
    if kind is tuple or kind is list:
        return kind(parts)
    return kind(*parts) if hasattr(tree, "_fields") else kind(parts)  # named tuples take them one by one


def signature(tree: Any) -> Hashable:
    """Equal for arguments that one recording serves.

    Raises:
        TabgradError: an argument is neither a tensor nor hashable.
    """
    if isinstance(tree, Tensor):
        return ("tensor", tree.shape, tree.dtype.name, tree.requires_grad)
    if isinstance(tree, tuple | list):
        return (type(tree).__name__, tuple(signature(part) for part in tree))
    if isinstance(tree, dict):
        return ("dict", tuple((name, signature(part)) for name, part in tree.items()))
    if not isinstance(tree, Hashable):
        kind = type(tree).__name__
        raise TabgradError(
            f"compile: expected tensors and hashable constants, got {kind}; pass data as tabgrad.tensor(...)"
        )
    if isinstance(tree, float | np.floating) and (tree == 0 or tree != tree):
        return (type(tree), str(tree))  # nan != nan, and 0.0 == -0.0
    return (type(tree), tree)  # with the type, as 1 == True == 1.0


__all__ = ["constants_of", "distinct", "kinds_of", "replaced", "signature", "tensors_of"]
