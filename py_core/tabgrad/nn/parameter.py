"""Tensors that are trained."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.late import missing_name
from tabgrad.tensor import Tensor


class Parameter(Tensor):
    """A tensor that a module owns and an optimizer updates.

    Assigned as an attribute of a :class:`Module`, it appears in ``parameters()``.

    Args:
        data: a tensor, whose memory is shared, or numbers.
        requires_grad: ``False`` makes it frozen.
    """

    __slots__ = ()

    def __init__(self, data: Any, requires_grad: bool = True) -> None:
        if not isinstance(requires_grad, bool):
            raise TabgradError(f"Parameter: expected requires_grad as True or False, got {requires_grad!r}")
        source = data if isinstance(data, Tensor) else Tensor._of(data)
        self._set(source._node, source._session)
        if source is data and not source._path:  # a view of a part of another tensor would be copied
            self._share(source)
        if requires_grad:
            self.requires_grad_()

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


class Buffer(Tensor):
    """A tensor that, assigned as an attribute of a :class:`Module`, becomes one of its buffers.

    Args:
        data: a tensor, whose memory is shared, or numbers.
        persistent: whether it is in the module's state dict.
    """

    __slots__ = ("persistent",)

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        source = data if isinstance(data, Tensor) else Tensor._of([] if data is None else data)
        self._set(source._node, source._session)
        if source is data and not source._path:
            self._share(source)
        self.persistent = persistent


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = ["Buffer", "Parameter"]
