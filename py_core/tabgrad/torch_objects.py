"""Classes and questions of PyTorch's top level that few programs use."""

from __future__ import annotations

from typing import Any

from tabgrad.sizes import Size
from tabgrad.tensor import Tensor


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
