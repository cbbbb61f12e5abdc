"""Activation layers made of pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.errors import ArgumentError
from tabgrad.nn import functional as F
from tabgrad.nn import init
from tabgrad.nn.activation import _InPlace
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.tensor import Tensor


class Threshold(Module):
    """``x`` where it exceeds ``threshold``, else ``value``."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class Hardtanh(Module):
    """``x`` limited to ``[min_val, max_val]``."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        if not max_val > min_val:
            raise ArgumentError(
                f"{type(self).__name__}: expected max_val above min_val, got min_val={min_val}, max_val={max_val}"
            )
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """``min(max(x, 0), 6)``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return "inplace=True" if self.inplace else ""


class Hardsigmoid(Module):
    """``(x + 3) / 6`` limited to ``[0, 1]``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.hardsigmoid(input, self.inplace)


class Hardswish(Module):
    """``x`` times :class:`Hardsigmoid` of it. Source: https://arxiv.org/abs/1905.02244"""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.hardswish(input, self.inplace)


class _Shrink(Module):
    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return str(self.lambd)


class Hardshrink(_Shrink):
    """``x`` outside ``[-lambd, lambd]``, else 0."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """``x`` moved by ``lambd`` towards 0, and 0 where it is nearer than that."""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.softshrink(input, self.lambd)


class SELU(_InPlace):
    """ELU with the scale that keeps mean 0 and variance 1. Source: https://arxiv.org/abs/1706.02515"""

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.selu(input, self.inplace)


class CELU(Module):
    """``x`` where positive, else ``alpha * (exp(x / alpha) - 1)``. Source: https://arxiv.org/abs/1704.07483"""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """``x`` where positive, else a trained slope times ``x``.

    Args:
        num_parameters: 1, or the number of channels, the second axis.
        init: the slopes at the start.

    Source: He et al. 2015, https://arxiv.org/abs/1502.01852
    """

    weight: Parameter

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(np.full(num_parameters, init, np.float32))
        self._placed(device, dtype)

    def reset_parameters(self) -> None:
        """All slopes as at the start."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Same shape."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """``x`` where positive, else ``x`` times a random slope; in evaluation, times the mean slope."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Elementwise."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


__all__ = [
    "CELU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "PReLU",
    "RReLU",
    "ReLU6",
    "Softshrink",
    "Threshold",
]  # fmt: skip
