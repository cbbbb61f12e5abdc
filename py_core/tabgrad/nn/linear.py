"""The fully connected layer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.checks import whole_number
from tabgrad.dtypes import DType
from tabgrad.nn import functional as F
from tabgrad.nn import init
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.tensor import Tensor


class Linear(Module):
    """``y = x @ weight.T + bias``.

    Args:
        in_features: size of the last axis of the input.
        out_features: size of the last axis of the output.
        bias: ``False`` leaves out the bias.

    Shapes: input ``[..., in_features]``, weight ``[out_features, in_features]``, output
    ``[..., out_features]``. Both parameters start uniform in ±1/√in_features.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features = whole_number(in_features, "Linear", "in_features", 0)
        self.out_features = out_features = whole_number(out_features, "Linear", "out_features", 0)
        self._make_parameters(bias)
        self._placed(device, dtype)

    def _make_parameters(self, bias: bool) -> None:
        self.weight = Parameter(np.zeros((self.out_features, self.in_features), np.float32))
        self.register_parameter("bias", Parameter(np.zeros(self.out_features, np.float32)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial parameters."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.default_bias_(self.bias, self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """``[..., in_features]`` to ``[..., out_features]``."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A linear layer, under the name that it has in PyTorch's attention."""


__all__ = ["Linear"]
