"""One differentiation inside of another: the variables of each, and what is left of them in its results."""

from __future__ import annotations

from typing import Any

from tabgrad.autograd.records import before, edge_of
from tabgrad.errors import DTypeError
from tabgrad.grad_mode import is_recording
from tabgrad.graph.walk import reached
from tabgrad.tensor import Tensor
from tabgrad.trees import mapped


class Level:
    """The variables of one differentiation.

    Args:
        caller: for errors.
    """

    def __init__(self, caller: str) -> None:
        self._caller = caller
        self._is_recording = is_recording()
        self._leaves: set[int] = set()
        self._kept: list[Tensor] = []  # so that no other tensor has their ids

    def variables(self, tree: Any) -> Any:
        """The same values, which gradients are asked of; what is around this level can differentiate through them.

        Raises:
            DTypeError: one is not of floating point.
        """
        return mapped(self._variable, tree)

    def _variable(self, tensor: Tensor) -> Tensor:
        if not tensor.dtype.is_floating_point:
            raise DTypeError(
                f"{self._caller}: expected tensors of floating point to differentiate by, got {tensor.dtype.name}"
            )
        if self._is_recording and tensor.requires_grad:
            return tensor.clone()
        leaf = tensor.detach().requires_grad_()
        self._leaves.add(id(leaf))
        self._kept.append(leaf)
        return leaf

    def results(self, tree: Any) -> Any:
        """Values for outside: recorded as far as they depend on more than this level's variables."""
        return mapped(self._result, tree)

    def _result(self, tensor: Tensor) -> Tensor:
        if not tensor.requires_grad:
            return tensor
        if self._is_recording:
            edge = edge_of(tensor)
            found = reached([] if edge is None else [edge], lambda e: list(before(e)))
            if any(isinstance(e, Tensor) and id(e) not in self._leaves for e in found):
                return tensor
        return tensor.detach()


__all__ = ["Level"]
