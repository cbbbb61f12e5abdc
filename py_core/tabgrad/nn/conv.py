"""The convolution layer."""

from __future__ import annotations

import math

import numpy as np

from tabgrad.checks import whole_number
from tabgrad.errors import ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn import init
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.ops._window import Pair, pair
from tabgrad.tensor import Tensor


class Conv2d(Module):
    """2-d convolution of images with ``out_channels`` filters.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: height and width of the filters.
        stride: step of the filters.
        padding: zeros added on each side, or ``"valid"`` (none), or ``"same"`` (as many as keep the
            size; needs stride 1).
        dilation: distance between the elements of a filter.
        groups: number of channel groups, which are convolved separately.
        bias: ``False`` leaves out the bias.
        padding_mode: only ``"zeros"``.

    Shapes: input ``[n, in_channels, h, w]``, weight ``[out_channels, in_channels / groups, kh, kw]``,
    output ``[n, out_channels, h', w']`` with
    ``h' = (h + 2·padding - dilation·(kh - 1) - 1) // stride + 1``.
    Parameters start uniform in ±1/√(in_channels / groups · kh · kw).

    Raises:
        ShapeError: ``groups`` does not divide both channel counts.
        NotImplementedError: another ``padding_mode``.
    """

    weight: Parameter
    bias: Parameter | None

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
    ) -> None:
        super().__init__()
        in_channels = whole_number(in_channels, "Conv2d", "in_channels", 1)
        out_channels = whole_number(out_channels, "Conv2d", "out_channels", 1)
        groups = whole_number(groups, "Conv2d", "groups", 1)
        if in_channels % groups or out_channels % groups:
            raise ShapeError(
                f"Conv2d: expected in_channels and out_channels divisible by groups={groups}, "
                f"got {in_channels} and {out_channels}"
            )
        if padding_mode != "zeros":
            raise NotImplementedError(f"Conv2d: padding_mode={padding_mode!r} is not supported, only 'zeros'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = pair(kernel_size, "Conv2d", "kernel_size", minimum=1)
        self.stride = pair(stride, "Conv2d", "stride", minimum=1)
        self.dilation = pair(dilation, "Conv2d", "dilation", minimum=1)
        self.padding: tuple[int, int] | str
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ShapeError(f"Conv2d: expected padding as numbers, 'same' or 'valid', got {padding!r}")
            if padding == "same" and self.stride != (1, 1):
                raise ShapeError(
                    f"Conv2d: padding='same' needs stride 1, got {self.stride}; give the padding in numbers"
                )
            self.padding = padding
        else:
            self.padding = pair(padding, "Conv2d", "padding")
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = Parameter(np.zeros((out_channels, in_channels // groups, *self.kernel_size), np.float32))
        self.register_parameter("bias", Parameter(np.zeros(out_channels, np.float32)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial parameters."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.default_bias_(self.bias, self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """``[n, in_channels, h, w]`` to ``[n, out_channels, h', w']``."""
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0, 0):
            text += f", padding={self.padding}"
        if self.dilation != (1, 1):
            text += f", dilation={self.dilation}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        return text


__all__ = ["Conv2d"]
