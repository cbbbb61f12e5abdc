"""``Variable``, which PyTorch keeps for programs from before version 0.4."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import GradError
from tabgrad.tensor import Tensor


class _OfTensors(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Tensor)


class Variable(metaclass=_OfTensors):
    """``Variable(tensor)`` is a tensor over the same memory, outside the record; all tensors are instances."""

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Any:
        """Raises ``GradError`` for ``volatile=True``, which ``no_grad()`` has replaced."""
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable: expected data as a Tensor, got {type(data).__name__}")
        if volatile:
            raise GradError("Variable: expected volatile=False, got True; use tabgrad.no_grad()")
        return data.detach().requires_grad_(bool(requires_grad))


__all__ = ["Variable"]
