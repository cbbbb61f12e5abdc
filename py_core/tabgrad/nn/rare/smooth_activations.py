"""Smooth activation layers, and functions of a whole axis."""

from __future__ import annotations

from tabgrad.errors import ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn.activation import _InPlace
from tabgrad.nn.module import Module
from tabgrad.tensor import Tensor


class Softplus(Module):
    """``log(1 + exp(beta x)) / beta``; ``x`` itself where ``beta x`` exceeds ``threshold``."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softsign(Module):
    """``x / (1 + |x|)``."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.softsign(input)


class Tanhshrink(Module):
    """``x - tanh(x)``."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.tanhshrink(input)


class LogSigmoid(Module):
    """``log(1 / (1 + exp(-x)))``."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.logsigmoid(input)


class Mish(_InPlace):
    """``x * tanh(softplus(x))``. Source: https://arxiv.org/abs/1908.08681"""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.mish(input, self.inplace)


class GLU(Module):
    """The first half along ``dim`` times the sigmoid of the second. Source: https://arxiv.org/abs/1612.08083"""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Half the size along ``dim``."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"dim={self.dim}"


class Softmin(Module):
    """:class:`tabgrad.nn.Softmax` of ``-x``."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Same shape; sums to 1 along ``dim``."""
        return F.softmin(input, self.dim)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Softmax over the channels of each place of an image."""

    def forward(self, input: Tensor) -> Tensor:
        """``[n, c, h, w]`` or ``[c, h, w]``."""
        if input.ndim not in (3, 4):
            raise ShapeError(f"Softmax2d: expected input [N, C, H, W] or [C, H, W], got {list(input.shape)}")
        return F.softmax(input, -3)


__all__ = ["GLU", "LogSigmoid", "Mish", "Softmax2d", "Softmin", "Softplus", "Softsign", "Tanhshrink"]
