"""The layer of a convolution over images, and what those over other axes share with it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.checks import whole_number
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn import init
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.ops._window import Pair, sizes_of
from tabgrad.tensor import Tensor

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What all convolutions share: arguments, parameters, text."""

    weight: Parameter
    bias: Parameter | None
    padding: tuple[int, ...] | str
    _axes: int  # that the kernel moves along
    _transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
        output_padding: Any = 0,
    ) -> None:
        super().__init__()
        caller, axes = type(self).__name__, self._axes
        lazy = self._takes_channels_later
        self.in_channels = in_channels = whole_number(in_channels, caller, "in_channels", 0 if lazy else 1)
        self.out_channels = out_channels = whole_number(out_channels, caller, "out_channels", 1)
        self.groups = groups = whole_number(groups, caller, "groups", 1)
        if in_channels % groups or out_channels % groups:
            raise ShapeError(
                f"{caller}: expected in_channels and out_channels divisible by groups={groups}, "
                f"got {in_channels} and {out_channels}"
            )
        modes = PADDING_MODES[:1] if self._transposed else PADDING_MODES
        if padding_mode not in modes:
            raise ArgumentError(
                f"{caller}: expected padding_mode {' or '.join(map(repr, modes))}, got {padding_mode!r}"
            )
        self.kernel_size = sizes_of(kernel_size, axes, caller, "kernel_size", minimum=1)
        self.stride = sizes_of(stride, axes, caller, "stride", minimum=1)
        self.dilation = sizes_of(dilation, axes, caller, "dilation", minimum=1)
        if isinstance(padding, str) and not self._transposed:
            if padding not in ("same", "valid"):
                raise ShapeError(f"{caller}: expected padding as numbers, 'same' or 'valid', got {padding!r}")
            if padding == "same" and max(self.stride) != 1:
                raise ShapeError(
                    f"{caller}: padding='same' needs stride 1, got {self.stride}; give the padding in numbers"
                )
            self.padding = padding
        else:
            self.padding = sizes_of(padding, axes, caller, "padding")
        self.output_padding = sizes_of(output_padding, axes, caller, "output_padding")
        self.transposed = self._transposed
        self.padding_mode = padding_mode
        self._make_parameters(bias)
        self._placed(device, dtype)

    _takes_channels_later = False  # at the first input, as lazy layers do

    def _make_parameters(self, bias: bool) -> None:
        self.weight = Parameter(np.zeros(self._weight_shape(), np.float32))
        self.register_parameter("bias", Parameter(np.zeros(self.out_channels, np.float32)) if bias else None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        first, second = self.out_channels, self.in_channels
        if self._transposed:
            first, second = second, first
        return (first, second // self.groups, *self.kernel_size)

    def reset_parameters(self) -> None:
        """Draw new initial parameters."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.default_bias_(self.bias, self.weight)

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """The input with borders of another kind than zeros, and the zeros that are still to be added."""
        if self.padding_mode == "zeros":
            return input, self.padding
        amounts: list[int] = []
        for i in reversed(range(self._axes)):
            if isinstance(self.padding, str):
                total = self.dilation[i] * (self.kernel_size[i] - 1) if self.padding == "same" else 0
                amounts += [total // 2, total - total // 2]
            else:
                amounts += [self.padding[i]] * 2
        return F.pad(input, amounts, self.padding_mode), 0

    def extra_repr(self) -> str:
        """As PyTorch's."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * self._axes:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self._axes:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * self._axes:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class Conv2d(_ConvNd):
    """2-d convolution of images with ``out_channels`` filters.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: height and width of the filters.
        stride: step of the filters.
        padding: elements added on each side, or ``"valid"`` (none), or ``"same"`` (as many as keep the
            size; needs stride 1).
        dilation: distance between the elements of a filter.
        groups: number of channel groups, which are convolved separately.
        bias: ``False`` leaves out the bias.
        padding_mode: what is added: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.

    Shapes: input ``[n, in_channels, h, w]`` or without ``n``, weight ``[out_channels, in_channels / groups, kh, kw]``,
    output ``[n, out_channels, h', w']`` with
    ``h' = (h + 2·padding - dilation·(kh - 1) - 1) // stride + 1``.
    Parameters start uniform in ±1/√(in_channels / groups · kh · kw).

    Raises:
        ShapeError: ``groups`` does not divide both channel counts.
        ArgumentError: another ``padding_mode``.
    """

    _axes = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Pair,
        stride: Pair = 1,
        padding: Pair | str = 0,
        dilation: Pair = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )

    def forward(self, input: Tensor) -> Tensor:
        """``[n, in_channels, h, w]`` to ``[n, out_channels, h', w']``."""
        x, padding = self._padded(input)
        return F.conv2d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


__all__ = ["Conv2d"]
