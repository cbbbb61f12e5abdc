"""Layers that move elements between channels and places."""

from __future__ import annotations

from typing import Any

from tabgrad.nn import functional as F
from tabgrad.nn.module import Module
from tabgrad.tensor import Tensor


class PixelShuffle(Module):
    """``[..., c r^2, h, w]`` to ``[..., c, h r, w r]``. Source: https://arxiv.org/abs/1609.05158"""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Channels to places."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """``[..., c, h r, w r]`` to ``[..., c r^2, h, w]``."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Places to channels."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Channels, one of each group after the other. Source: https://arxiv.org/abs/1707.01083"""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, ...]``, same shape out."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"groups={self.groups}"


class Unfold(Module):
    """Windows of ``[n, c, h, w]`` as columns ``[n, c kh kw, l]``."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """Images to columns."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Fold(Unfold):
    """Columns ``[n, c kh kw, l]`` added where their windows lie in ``[n, c, *output_size]``."""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """Columns to images."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"output_size={self.output_size}, {super().extra_repr()}"


__all__ = ["ChannelShuffle", "Fold", "PixelShuffle", "PixelUnshuffle", "Unfold"]
