"""Convolutions along one axis and three axes, and transposed convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad.errors import ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn.conv import _ConvNd
from tabgrad.tensor import Tensor


class _Forward(_ConvNd):
    """Arguments in the order of :class:`tabgrad.nn.Conv2d`."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )


class Conv1d(_Forward):
    """1-d convolution: ``[n, in_channels, l]`` to ``[n, out_channels, l']``; as :class:`tabgrad.nn.Conv2d`."""

    _axes = 1

    def forward(self, input: Tensor) -> Tensor:
        """``[n, in_channels, l]``, or without ``n``."""
        x, padding = self._padded(input)
        return F.conv1d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv3d(_Forward):
    """3-d convolution: ``[n, in_channels, d, h, w]`` to ``[n, out_channels, d', h', w']``; as ``Conv2d``."""

    _axes = 3

    def forward(self, input: Tensor) -> Tensor:
        """``[n, in_channels, d, h, w]``, or without ``n``."""
        x, padding = self._padded(input)
        return F.conv3d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class _Transposed(_ConvNd):
    """The gradient of a convolution with respect to its input, as a layer.

    Args:
        output_padding: elements added to the output on one side, as several sizes of it give the same input size.
        other arguments: as of :class:`tabgrad.nn.Conv2d`; ``padding`` is what the convolution would have.

    Shapes: weight ``[in_channels, out_channels / groups, *kernel_size]``, output
    ``(n - 1)·stride - 2·padding + dilation·(k - 1) + output_padding + 1`` along each axis.
    """

    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device,
            dtype, output_padding,
        )  # fmt: skip

    def _extra(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """The output padding that gives ``output_size``.

        Raises:
            ShapeError: none does.
        """
        if output_size is None:
            return self.output_padding
        caller, axes = type(self).__name__, self._axes
        wanted = tuple(output_size)[-axes:]
        batched = input.ndim == axes + 2
        if len(tuple(output_size)) not in (axes, axes + (2 if batched else 1)):
            raise ShapeError(f"{caller}: expected output_size of {axes} numbers, got {list(output_size)}")
        least = []
        for i, n in enumerate(input.shape[-axes:]):
            base = (n - 1) * self.stride[i] - 2 * int(self.padding[i])
            least.append(base + self.dilation[i] * (self.kernel_size[i] - 1) + 1)
        if any(not low <= n < low + s for n, low, s in zip(wanted, least, self.stride, strict=True)):
            most = [low + s - 1 for low, s in zip(least, self.stride, strict=True)]
            raise ShapeError(f"{caller}: expected output_size from {least} to {most}, got {list(wanted)}")
        return tuple(n - low for n, low in zip(wanted, least, strict=True))


class ConvTranspose1d(_Transposed):
    """1-d transposed convolution: ``[n, in_channels, l]`` to ``[n, out_channels, l']``."""

    _axes = 1

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """``[n, in_channels, l]``, or without ``n``."""
        extra = self._extra(input, output_size)
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose2d(_Transposed):
    """2-d transposed convolution: ``[n, in_channels, h, w]`` to ``[n, out_channels, h', w']``."""

    _axes = 2

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """``[n, in_channels, h, w]``, or without ``n``."""
        extra = self._extra(input, output_size)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose3d(_Transposed):
    """3-d transposed convolution: ``[n, in_channels, d, h, w]`` to ``[n, out_channels, d', h', w']``."""

    _axes = 3

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """``[n, in_channels, d, h, w]``, or without ``n``."""
        extra = self._extra(input, output_size)
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


__all__ = ["Conv1d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]
