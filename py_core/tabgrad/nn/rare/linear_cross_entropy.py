"""A linear layer and the cross-entropy of its logits, in one module."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tabgrad.checks import real_number
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn.linear import Linear
from tabgrad.nn.loss import _Loss
from tabgrad.tensor import Tensor


@dataclass(frozen=True, slots=True)
class LinearCrossEntropyOptions:
    """How PyTorch computes the loss in parts of the batch; nothing here depends on it.

    Raises:
        ArgumentError: a method, policy or size that PyTorch refuses.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: DType | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ArgumentError(
                "LinearCrossEntropyOptions: expected acc_policy as 'auto', 'accurate', 'balanced' or 'compact', "
                f"got {self.acc_policy!r}"
            )
        name, _, factor = (self.chunking_method or "auto").partition(":")
        counted = factor.isdigit() and int(factor) > 0
        if not (self.chunking_method in (None, "auto", "aspect_ratio") or (name == "aspect_ratio" and counted)):
            raise ArgumentError(
                "LinearCrossEntropyOptions: expected chunking_method as 'auto', 'aspect_ratio', 'aspect_ratio:N' or "
                f"None, got {self.chunking_method!r}"
            )
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ArgumentError(f"LinearCrossEntropyOptions: expected batch_chunk_size above 0, got {size!r}")
        if self.acc_dtype is not None and not self.acc_dtype.is_floating_point:
            raise ArgumentError(f"LinearCrossEntropyOptions: expected floats as acc_dtype, got {self.acc_dtype!r}")


class LinearCrossEntropyLoss(_Loss):
    """``cross_entropy(linear(input), target)`` with a linear layer of its own, as :attr:`linear`.

    Args:
        in_features: size of the last axis of the input.
        num_classes: ``C``.
        out_features: further sizes of the logits, ``[N, C, *out_features]``.
        weight: ``[C]``, of the classes.
        options: accepted, without effect.

    Raises:
        ShapeError: ``weight`` is not ``[C]``.
    """

    weight: Tensor | None

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: DType | None = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        super().__init__(reduction=reduction)
        if weight is not None and weight.shape != (num_classes,):
            raise ShapeError(f"LinearCrossEntropyLoss: expected weight [{num_classes}], got {list(weight.shape)}")
        self.register_buffer("weight", weight)
        self.num_classes, self.out_features, self.ignore_index = num_classes, out_features, ignore_index
        self.label_smoothing = real_number(label_smoothing, "LinearCrossEntropyLoss", "label_smoothing", 0, 1)
        self.linear = Linear(
            in_features, math.prod(out_features, start=num_classes), bias=bias, device=device, dtype=dtype
        )
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        made = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*made, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(made),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """As PyTorch's."""
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={self.linear.bias is not None}, reduction={self.reduction}, "
            f"ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}"
        )


__all__ = ["LinearCrossEntropyLoss", "LinearCrossEntropyOptions"]
