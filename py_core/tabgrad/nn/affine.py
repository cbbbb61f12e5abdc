"""The weight and bias of normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabgrad.nn import init
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter


class Affine(Module):
    """A module with a weight and a bias of the same shape, initially 1 and 0; either may be None."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(self, shape: Sequence[int], *, weight: bool, bias: bool) -> None:
        super().__init__()
        self.register_parameter("weight", Parameter(np.ones(shape, np.float32)) if weight else None)
        self.register_parameter("bias", Parameter(np.zeros(shape, np.float32)) if weight and bias else None)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)
