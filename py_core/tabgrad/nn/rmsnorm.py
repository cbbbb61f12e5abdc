"""Root mean square normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tabgrad.nn import functional as F
from tabgrad.nn import init
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.tensor import Tensor


class RMSNorm(Module):
    """Normalise each sample to root mean square 1 over its last axes, then scale it.

    Args:
        normalized_shape: sizes of the axes that are normalised together, the last ones.
        eps: added to the mean square; by default float32's machine epsilon.
        elementwise_affine: ``False`` leaves out the weight.

    Source: Zhang & Sennrich 2019, https://arxiv.org/abs/1910.07467
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter("weight", Parameter(np.ones(shape, np.float32)) if elementwise_affine else None)
        self._placed(device, dtype)

    def reset_parameters(self) -> None:
        """Set the weight to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """``[..., *normalized_shape]``, same shape out."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


__all__ = ["RMSNorm"]
