"""Layers that undo max pooling, and max pooling with windows at random distances."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import ArgumentError
from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.ops._window import sizes_of
from tabgrad.tensor import Tensor


class _MaxUnpool(Module):
    _axes: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        caller = type(self).__name__
        self.kernel_size = sizes_of(kernel_size, self._axes, caller, "kernel_size", minimum=1)
        self.stride = self.kernel_size if stride is None else sizes_of(stride, self._axes, caller, "stride", minimum=1)
        self.padding = sizes_of(padding, self._axes, caller, "padding")

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Values of :class:`MaxPool1d` at the places that it returned, zeros elsewhere."""

    _axes = 1

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """``[n, c, l']`` to ``[n, c, l]``."""
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpool):
    """Values of :class:`tabgrad.nn.MaxPool2d` at the places that it returned, zeros elsewhere."""

    _axes = 2

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """``[n, c, h', w']`` to ``[n, c, h, w]``."""
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpool):
    """Values of :class:`MaxPool3d` at the places that it returned, zeros elsewhere."""

    _axes = 3

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """``[n, c, d', h', w']`` to ``[n, c, d, h, w]``."""
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class _FractionalMaxPool(Module):
    """Largest elements of windows at random distances; see :func:`tabgrad.nn.functional.fractional_max_pool2d`."""

    _axes: int

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        caller, axes = type(self).__name__, self._axes
        if (output_size is None) == (output_ratio is None):
            raise ArgumentError(
                f"{caller}: expected one of output_size and output_ratio, got {output_size} and {output_ratio}"
            )
        self.kernel_size = sizes_of(kernel_size, axes, caller, "kernel_size", minimum=1)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else sizes_of(output_size, axes, caller, "output_size")
        ratio = output_ratio if isinstance(output_ratio, tuple | None) else (output_ratio,) * axes
        if ratio is not None and any(not 0 < r < 1 for r in ratio):
            raise ArgumentError(f"{caller}: expected output_ratio between 0 and 1, got {output_ratio}")
        self.output_ratio = ratio


class FractionalMaxPool2d(_FractionalMaxPool):
    """Of images. Source: https://arxiv.org/abs/1412.6071"""

    _axes = 2

    def forward(self, input: Tensor) -> Any:
        """``[n, c, h, w]`` to ``[n, c, h', w']``."""
        return F.fractional_max_pool2d(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


class FractionalMaxPool3d(_FractionalMaxPool):
    """Of volumes. Source: https://arxiv.org/abs/1412.6071"""

    _axes = 3

    def forward(self, input: Tensor) -> Any:
        """``[n, c, d, h, w]`` to ``[n, c, d', h', w']``."""
        return F.fractional_max_pool3d(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )


__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]
