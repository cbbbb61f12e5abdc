"""Layer normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad.checks import real_number, whole_number
from tabgrad.errors import TabgradError
from tabgrad.nn import functional as F
from tabgrad.nn.affine import Affine
from tabgrad.tensor import Tensor


class LayerNorm(Affine):
    """Normalise each sample to mean 0 and variance 1 over its last axes, then scale and shift it.

    Args:
        normalized_shape: sizes of the axes that are normalised together, the last ones.
        eps: added to the (biased) variance.
        elementwise_affine: ``False`` leaves out weight and bias.
        bias: ``False`` leaves out the bias.

    Source: Ba, Kiros & Hinton 2016, https://arxiv.org/abs/1607.06450
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = normalized_shape if isinstance(normalized_shape, Sequence) else (normalized_shape,)
        shape = tuple(whole_number(n, "LayerNorm", "normalized_shape", 1) for n in sizes)
        eps = real_number(eps, "LayerNorm", "eps", 0)
        if not shape:
            raise TabgradError("LayerNorm: expected normalized_shape of one or more sizes, got none")
        super().__init__(shape, weight=elementwise_affine, bias=bias)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._placed(device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """``[..., *normalized_shape]``, same shape out."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


__all__ = ["LayerNorm"]
