"""Pooling layers along one axis and three axes, to given sizes, of powers, and undone."""

from __future__ import annotations

from typing import Any

from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.nn.pooling import AvgPool2d, _MaxPoolNd
from tabgrad.ops._window import sizes_of
from tabgrad.tensor import Tensor


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of ``[n, c, l]``; as :class:`tabgrad.nn.MaxPool2d`."""

    _axes = 1

    def forward(self, input: Tensor) -> Any:
        """``[n, c, l]`` to ``[n, c, l']``."""
        return F.max_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of ``[n, c, d, h, w]``; as :class:`tabgrad.nn.MaxPool2d`."""

    _axes = 3

    def forward(self, input: Tensor) -> Any:
        """``[n, c, d, h, w]`` to ``[n, c, d', h', w']``."""
        return F.max_pool3d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class AvgPool1d(AvgPool2d):
    """The mean of each window of ``[n, c, l]``; as :class:`tabgrad.nn.AvgPool2d`."""

    _axes = 1

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        del self.divisor_override
        self.kernel_size = sizes_of(kernel_size, 1, "AvgPool1d", "kernel_size")
        self.stride = self.kernel_size if stride is None else sizes_of(stride, 1, "AvgPool1d", "stride")
        self.padding = sizes_of(padding, 1, "AvgPool1d", "padding")

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, l]`` to ``[n, c, l']``."""
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


class AvgPool3d(AvgPool2d):
    """The mean of each window of ``[n, c, d, h, w]``; as :class:`tabgrad.nn.AvgPool2d`."""

    _axes = 3

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, d, h, w]`` to ``[n, c, d', h', w']``."""
        return F.avg_pool3d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip


class _Adaptive(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"output_size={self.output_size}"


class _AdaptiveMax(_Adaptive):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveAvgPool1d(_Adaptive):
    """Means over windows that cover ``[n, c, l]`` and give ``output_size``."""

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, l]`` to ``[n, c, output_size]``."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """Means over windows that cover ``[n, c, d, h, w]`` and give ``output_size``."""

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, d, h, w]`` to ``[n, c, *output_size]``."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool1d(_AdaptiveMax):
    """Maxima of windows that cover ``[n, c, l]`` and give ``output_size``; and, if asked, their places."""

    def forward(self, input: Tensor) -> Any:
        """``[n, c, l]`` to ``[n, c, output_size]``."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """As :class:`AdaptiveMaxPool1d`, of images."""

    def forward(self, input: Tensor) -> Any:
        """``[n, c, h, w]`` to ``[n, c, *output_size]``."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """As :class:`AdaptiveMaxPool1d`, of volumes."""

    def forward(self, input: Tensor) -> Any:
        """``[n, c, d, h, w]`` to ``[n, c, *output_size]``."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


class _LPPool(Module):
    """``(sum of x ** p) ** (1 / p)`` of each window, with ``p`` as ``norm_type``."""

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """Powers' means of windows of ``[n, c, l]``."""

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, l]`` to ``[n, c, l']``."""
        return F.lp_pool1d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """Powers' means of windows of ``[n, c, h, w]``."""

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, h, w]`` to ``[n, c, h', w']``."""
        return F.lp_pool2d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPool):
    """Powers' means of windows of ``[n, c, d, h, w]``."""

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, d, h, w]`` to ``[n, c, d', h', w']``."""
        return F.lp_pool3d(input, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d",
    "AvgPool1d", "AvgPool3d", "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool3d",
]  # fmt: skip
