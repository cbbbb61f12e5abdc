"""Pooling layers over images ``[n, c, h, w]``, and what those over other axes share with them."""

from __future__ import annotations

from typing import Any

from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.ops._window import check_window, sizes_of
from tabgrad.tensor import Tensor


class _MaxPoolNd(Module):
    """Arguments of :class:`MaxPool2d`, whatever the number of axes."""

    _axes: int

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        check_window(type(self).__name__, kernel_size, stride, padding, dilation, self._axes)
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window.

    Args:
        kernel_size: height and width of the windows.
        stride: distance between windows; default ``kernel_size``.
        padding: rows and columns of -inf added on each side, at most half the window.
        dilation: distance between a window's elements.
        return_indices: return the pair (values, flat places).
        ceil_mode: keep windows that extend over the edge.
    """

    _axes = 2

    def forward(self, input: Tensor) -> Any:
        """``[n, c, h, w]`` to ``[n, c, h', w']``."""
        return F.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


class AvgPool2d(Module):
    """The mean of each window.

    Args:
        kernel_size: height and width of the windows.
        stride: distance between windows; default ``kernel_size``.
        padding: rows and columns of zeros added on each side, at most half the window.
        ceil_mode: keep windows that extend over the edge.
        count_include_pad: whether padding counts in the mean.
        divisor_override: what sums are divided by, in place of the number of elements.
    """

    _axes = 2

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        check_window(type(self).__name__, kernel_size, stride, padding, 1, self._axes)
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, h, w]`` to ``[n, c, h', w']``."""
        return F.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Means over windows that cover the input and give ``output_size``: a number, or (height, width) with None."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        each = output_size if isinstance(output_size, tuple | list) else (output_size,)
        sizes_of([1 if n is None else n for n in each], 2, "AdaptiveAvgPool2d", "output_size", minimum=1)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, h, w]`` to ``[n, c, *output_size]``."""
        return F.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"output_size={self.output_size}"


__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d"]
