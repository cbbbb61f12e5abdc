"""Pooling layers over images ``[n, c, h, w]``."""

from __future__ import annotations

from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.ops._window import Pair, check_window, pair
from tabgrad.tensor import Tensor


class MaxPool2d(Module):
    """The maximum of each window.

    Args:
        kernel_size: height and width of the windows.
        stride: distance between windows; default ``kernel_size``.
        padding: rows and columns of -inf added on each side, at most half the window.
        dilation: distance between a window's elements; only 1.
        ceil_mode: keep windows that extend over the edge; only ``False``.
    """

    def __init__(
        self,
        kernel_size: Pair,
        stride: Pair | None = None,
        padding: Pair = 0,
        dilation: Pair = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        if return_indices:
            raise NotImplementedError("MaxPool2d: return_indices=True is not supported; leave it out")
        check_window("MaxPool2d", kernel_size, stride, padding, dilation)
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, h, w]`` to ``[n, c, h', w']``."""
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean of each window.

    Args:
        kernel_size: height and width of the windows.
        stride: distance between windows; default ``kernel_size``.
        padding: rows and columns of zeros added on each side, at most half the window.
        ceil_mode: keep windows that extend over the edge; only ``False``.
        count_include_pad: whether padding counts in the mean.
    """

    def __init__(
        self,
        kernel_size: Pair,
        stride: Pair | None = None,
        padding: Pair = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        check_window("AvgPool2d", kernel_size, stride, padding, 1)
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, h, w]`` to ``[n, c, h', w']``."""
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Means over equal windows that give ``output_size``, which must divide the input's size."""

    def __init__(self, output_size: Pair) -> None:
        super().__init__()
        pair(output_size, "AdaptiveAvgPool2d", "output_size", minimum=1)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, h, w]`` to ``[n, c, *output_size]``."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"output_size={self.output_size}"


__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d"]
