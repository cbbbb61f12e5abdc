"""Numbers that an update makes of the step count, on the host, once per step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tabgrad.ops.elementwise import step_scalar
from tabgrad.optim.group_parts import Part
from tabgrad.tensor import Tensor


class TensorRates:
    """Learning rates that are tensors, as numbers: read before a step, while nothing is being computed."""

    def __init__(self) -> None:
        self._read: dict[int, float] = {}

    def read(self, groups: list[dict[str, Any]]) -> None:
        """A step begins."""
        for group in groups:
            if isinstance(group.get("lr"), Tensor):
                self._read[id(group)] = group["lr"].item()

    def forget(self) -> None:
        """It ends."""
        self._read.clear()

    def of(self, group: dict[str, Any]) -> Any:
        """A group's learning rate."""
        lr = group["lr"]
        if not isinstance(lr, Tensor):
            return lr
        return self._read[id(group)] if id(group) in self._read else lr.item()

    def plain(self, group: dict[str, Any]) -> dict[str, Any]:
        """A group with a number as its learning rate."""
        return {**group, "lr": self.of(group)} if isinstance(group.get("lr"), Tensor) else group


class Counter:
    """Of one part of a group.

    Args:
        values: the group, with numbers in place of tensors.
    """

    def __init__(self, part: Part, values: Callable[[], dict[str, Any]]) -> None:
        self._part, self._values = part, values

    @property
    def numbers(self) -> dict[str, float]:
        """State that is a number: read it in functions that are passed to a call."""
        return self._part.numbers

    def __call__(self, fn: Callable[[int, dict[str, Any]], float]) -> Tensor:
        """A 0-d tensor from a function of (step count, parameter group), which is called at each step."""
        return step_scalar(lambda: fn(self._part.steps, self._values()))


__all__ = ["Counter", "TensorRates"]
