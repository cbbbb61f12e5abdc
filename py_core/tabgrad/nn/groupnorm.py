"""Group normalisation."""

from __future__ import annotations

from typing import Any

from tabgrad.checks import real_number, whole_number
from tabgrad.errors import ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn.affine import Affine
from tabgrad.tensor import Tensor


class GroupNorm(Affine):
    """Normalise each sample's groups of channels to mean 0 and variance 1, then scale and shift each channel.

    Args:
        num_groups: number of channel groups; must divide ``num_channels``.
        num_channels: number of channels, the second axis.
        eps: added to the (biased) variance.
        affine: ``False`` leaves out weight and bias.
        bias: ``False`` leaves out the bias.

    Raises:
        ShapeError: ``num_groups`` does not divide ``num_channels``.

    Source: Wu & He 2018, https://arxiv.org/abs/1803.08494
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        num_groups = whole_number(num_groups, "GroupNorm", "num_groups", 1)
        num_channels = whole_number(num_channels, "GroupNorm", "num_channels", 1)
        eps = real_number(eps, "GroupNorm", "eps", 0)
        if num_channels % num_groups:
            raise ShapeError(
                f"GroupNorm: expected num_channels that num_groups={num_groups} divides, got {num_channels}"
            )
        super().__init__((num_channels,), weight=affine, bias=bias)
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._placed(device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """``[n, num_channels, ...]``, same shape out."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        shape = f"{self.num_groups}, {self.num_channels}"
        return f"{shape}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


__all__ = ["GroupNorm"]
