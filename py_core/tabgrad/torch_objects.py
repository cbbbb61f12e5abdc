"""Classes and questions of PyTorch's top level that few programs use."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.tensor import Tensor


class _AnyTuple(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, tuple) and all(isinstance(n, int) for n in instance)


class Size(tuple[int, ...], metaclass=_AnyTuple):
    """A tensor's sizes. Those of :attr:`tabgrad.Tensor.shape` are a plain tuple, which counts as an instance."""

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"tabgrad.Size({list(self)})"


def is_tensor(obj: Any) -> bool:
    """Whether it is a tensor."""
    return isinstance(obj, Tensor)


def is_storage(obj: Any) -> bool:
    """False: storages are not shown."""
    return False


def typename(obj: Any) -> str:
    """The name of an object's type, with its module."""
    kind = obj if isinstance(obj, type) else type(obj)
    return f"{kind.__module__}.{kind.__qualname__}"


__all__ = ["Size", "is_storage", "is_tensor", "typename"]
