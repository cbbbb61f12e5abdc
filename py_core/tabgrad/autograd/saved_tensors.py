"""Tensors that the record of a user's function keeps for its ``backward``."""

from __future__ import annotations

import weakref

from tabgrad.errors import GradError
from tabgrad.graph.node import Node
from tabgrad.session import current
from tabgrad.tensor import Tensor


class Saved:
    """An argument of forward, or another tensor."""

    def __init__(self, value: Tensor | None) -> None:
        self._value = value
        self._version = 0 if value is None else value._version

    def tensor(self, caller: str) -> Tensor | None:
        """Raises ``GradError`` if it has changed."""
        _check_version(caller, self._value, self._version)
        return self._value


class SavedResult(Saved):
    """A result: its record, which is the call's, makes it again when it is gone."""

    def __init__(self, out: Tensor) -> None:
        super().__init__(None)
        assert out._ctx is not None
        self._record = weakref.ref(out._ctx)
        self._out = weakref.ref(out)
        self._node: Node = out._node
        self._version = out._version

    def tensor(self, caller: str) -> Tensor | None:
        """Raises ``GradError`` if it has changed."""
        out, ctx = self._out(), self._record()
        if out is not None:
            _check_version(caller, out, self._version)
            return out
        if ctx is not None:
            return ctx.out()
        return Tensor._from_node(self._node, current())


def _check_version(caller: str, tensor: Tensor | None, version: int) -> None:
    if tensor is not None and tensor._version != version:
        raise GradError(
            f"{caller}: expected saved tensors unchanged since the forward pass, got one of shape "
            f"{list(tensor.shape)} modified in place; clone() it before the change"
        )


__all__ = ["Saved", "SavedResult"]
