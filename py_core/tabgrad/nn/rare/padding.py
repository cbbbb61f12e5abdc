"""Layers that add borders along the last one, two or three axes; negative amounts crop."""

from __future__ import annotations

from typing import Any

from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.ops._window import sizes_of
from tabgrad.tensor import Tensor


class _Pad(Module):
    """Takes ``padding``: one number for all sides, or (before, after) pairs, of the last axis first."""

    _axes: int
    _mode = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        count = 2 * self._axes
        self.padding = sizes_of(padding, count, type(self).__name__, "padding", minimum=-(2**31))

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, ...]`` or ``[c, ...]``."""
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Any number of dimensions."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Adds ``value`` along the last axis."""

    _axes = 1


class ConstantPad2d(_ConstantPad):
    """Adds ``value`` along the last two axes."""

    _axes = 2


class ConstantPad3d(_ConstantPad):
    """Adds ``value`` along the last three axes."""

    _axes = 3


class ZeroPad1d(_Pad):
    """Adds zeros along the last axis."""

    _axes = 1


class ZeroPad2d(_Pad):
    """Adds zeros along the last two axes."""

    _axes = 2


class ZeroPad3d(_Pad):
    """Adds zeros along the last three axes."""

    _axes = 3


class ReflectionPad1d(_Pad):
    """Mirrors the elements beside the edge along the last axis."""

    _axes, _mode = 1, "reflect"


class ReflectionPad2d(_Pad):
    """Mirrors the elements beside the edge along the last two axes."""

    _axes, _mode = 2, "reflect"


class ReflectionPad3d(_Pad):
    """Mirrors the elements beside the edge along the last three axes."""

    _axes, _mode = 3, "reflect"


class ReplicationPad1d(_Pad):
    """Repeats the edge along the last axis."""

    _axes, _mode = 1, "replicate"


class ReplicationPad2d(_Pad):
    """Repeats the edge along the last two axes."""

    _axes, _mode = 2, "replicate"


class ReplicationPad3d(_Pad):
    """Repeats the edge along the last three axes."""

    _axes, _mode = 3, "replicate"


class CircularPad1d(_Pad):
    """Continues with the other side along the last axis."""

    _axes, _mode = 1, "circular"


class CircularPad2d(_Pad):
    """Continues with the other side along the last two axes."""

    _axes, _mode = 2, "circular"


class CircularPad3d(_Pad):
    """Continues with the other side along the last three axes."""

    _axes, _mode = 3, "circular"


__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip
