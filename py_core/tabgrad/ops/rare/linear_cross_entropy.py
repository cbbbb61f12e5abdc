"""Cross-entropy of the logits that a linear layer makes."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops.loss import cross_entropy
from tabgrad.ops.matmul import linear
from tabgrad.ops.movement import reshape
from tabgrad.tensor import Tensor


@public(functional=True)
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """``cross_entropy(linear(input, linear_weight, linear_bias), target)``.

    Args:
        input: ``[N, features]`` or ``[features]``.
        linear_weight: ``[C, features]``; ``[C, ..., features]`` makes logits ``[N, C, ...]``.
        linear_bias: ``[C, ...]``.
        ignore_index: of labels; -100 by default.
        options: how PyTorch computes it in parts; accepted, without effect.

    Raises:
        ShapeError: the shapes do not fit.
        ArgumentError: ``ignore_index`` with probabilities.
    """
    if input.ndim not in (1, 2) or linear_weight.ndim < 2:
        raise ShapeError(
            "linear_cross_entropy: expected input [N, features] or [features] and linear_weight [C, ..., features], "
            f"got {list(input.shape)} and {list(linear_weight.shape)}"
        )
    features = input.shape[-1]
    if linear_weight.shape[-1] != features:
        raise ShapeError(
            f"linear_cross_entropy: expected linear_weight [C, ..., {features}] for input {list(input.shape)}, "
            f"got {list(linear_weight.shape)}"
        )
    made = linear_weight.shape[:-1]  # (C, ...)
    if linear_bias is not None and linear_bias.shape != made:
        raise ShapeError(f"linear_cross_entropy: expected linear_bias {list(made)}, got {list(linear_bias.shape)}")
    if len(made) > 1 and input.ndim == 1:
        raise ShapeError(
            f"linear_cross_entropy: expected input [N, {features}] with linear_weight {list(linear_weight.shape)}, "
            f"got {list(input.shape)}"
        )
    shape = (*input.shape[:-1], *made)
    if target.shape == shape and ignore_index is not None:
        raise ArgumentError("linear_cross_entropy: expected no ignore_index with probabilities; pass labels")
    flat_bias = None if linear_bias is None else reshape(linear_bias, (math.prod(made),))
    logits = linear(input, reshape(linear_weight, (math.prod(made), features)), flat_bias)
    return cross_entropy(
        reshape(logits, shape),
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=-100 if ignore_index is None else ignore_index,
        label_smoothing=label_smoothing,
    )


__all__ = ["linear_cross_entropy"]
