"""The bilinear layer."""

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


class Bilinear(Module):
    """``y[o] = x1 · weight[o] · x2 + bias[o]``.

    Shapes: inputs ``[..., in1_features]`` and ``[..., in2_features]``, weight ``[out, in1, in2]``, output
    ``[..., out_features]``. Parameters start uniform in ±1/√in1_features.
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in1_features = whole_number(in1_features, "Bilinear", "in1_features", 1)
        self.in2_features = whole_number(in2_features, "Bilinear", "in2_features", 1)
        self.out_features = whole_number(out_features, "Bilinear", "out_features", 1)
        self.weight = Parameter(np.zeros((out_features, in1_features, in2_features), np.float32))
        self.register_parameter("bias", Parameter(np.zeros(out_features, np.float32)) if bias else None)
        self.reset_parameters()
        self._placed(device, dtype)

    def reset_parameters(self) -> None:
        """Draw new initial parameters."""
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """``[..., out_features]``."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


__all__ = ["Bilinear"]
