"""Activations made of pieces: linear, constant, exponential. Gradients where pieces meet are PyTorch's."""

from __future__ import annotations

from typing import Any

from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops._broadcast import as_tensor
from tabgrad.ops.activation import check_float
from tabgrad.ops.movement import reshape
from tabgrad.ops.random_tensors import rand, torch_draws
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def _constant(value: Any, like: Tensor) -> Tensor:
    """A number in a tensor's dtype, rounded towards zero in an integer's, as PyTorch does."""
    return as_tensor(float(value) if like.dtype.is_floating_point else int(value), like.dtype)


@public(functional=True, inplace=True, out=True)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """``x`` where it exceeds ``threshold``, else ``value``."""
    if inplace:
        return input.threshold_(threshold, value)
    return ew.where(ew.le(input, threshold), _constant(value, input), input)


@public(top=False, functional=True, inplace=True)
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` limited to ``[min_val, max_val]``; the gradient at both limits is 0.

    Raises:
        ArgumentError: ``min_val`` exceeds ``max_val``.
    """
    if min_val > max_val:
        raise ArgumentError(f"hardtanh: expected min_val of at most max_val, got {min_val} and {max_val}")
    if inplace:
        return input.hardtanh_(min_val, max_val)
    low, high = _constant(min_val, input), _constant(max_val, input)
    return ew.where(ew.le(input, low), low, ew.where(ew.ge(input, high), high, input))


@public(top=False, functional=True)
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(x, 0), 6)``."""
    return hardtanh(input, 0.0, 6.0, inplace)


@public(top=False, functional=True, inplace=True)
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``(x + 3) / 6`` limited to ``[0, 1]``."""
    if inplace:
        return input.hardsigmoid_()
    check_float("hardsigmoid", input)
    return ew.where(ew.le(input, -3.0), 0.0, ew.where(ew.ge(input, 3.0), 1.0, (input + 3.0) / 6.0))


@public(top=False, functional=True, inplace=True)
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x`` times :func:`hardsigmoid` of it. Source: https://arxiv.org/abs/1905.02244"""
    if inplace:
        return input.hardswish_()
    check_float("hardswish", input)
    below, above = ew.le(input, -3.0), ew.ge(input, 3.0)
    inner = ew.where(ew.logical_or(below, above), 0.0, input)  # no infinity in the product, nor in its gradient
    return ew.where(below, 0.0, ew.where(above, input, inner * (inner + 3.0) / 6.0))


@public(functional=True, out=True)
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """``x`` where it is outside ``[-lambd, lambd]``, else 0."""
    check_float("hardshrink", input)
    return ew.where(ew.logical_and(ew.ge(input, -lambd), ew.le(input, lambd)), 0.0, input)


@public(top=False, functional=True)
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """``x`` moved by ``lambd`` towards 0, and 0 where it is nearer than that.

    Raises:
        ArgumentError: ``lambd`` is negative.
    """
    check_float("softshrink", input)
    if lambd < 0:
        raise ArgumentError(f"softshrink: expected lambd of at least 0, got {lambd}")
    inside = ew.logical_and(ew.ge(input, -lambd), ew.le(input, lambd))
    return ew.where(inside, 0.0, ew.where(ew.gt(input, 0.0), input - lambd, input + lambd))


@public(functional=True, inplace=True)
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """ELU with the scale that keeps mean 0 and variance 1. Source: https://arxiv.org/abs/1706.02515"""
    if inplace:
        return input.selu_()
    check_float("selu", input)
    positive = ew.gt(input, 0)
    negative = ew.expm1(ew.where(positive, 0.0, input)) * (_SELU_SCALE * _SELU_ALPHA)
    return ew.where(positive, input * _SELU_SCALE, negative)


@public(functional=True, inplace=True)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` where positive, else ``alpha * (exp(x / alpha) - 1)``. Source: https://arxiv.org/abs/1704.07483

    Raises:
        ArgumentError: ``alpha`` is 0.
    """
    if alpha == 0:
        raise ArgumentError("celu: expected alpha other than 0, got 0")
    if inplace:
        return input.celu_(alpha)
    check_float("celu", input)
    positive = ew.gt(input, 0)
    return ew.where(positive, input, ew.expm1(ew.where(positive, 0.0, input) / alpha) * alpha)


@public(functional=True, method=True)
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """``x`` where positive, else ``weight * x``.

    Args:
        weight: one number, or ``[C]`` for the second dimension.

    Raises:
        ShapeError: another number of weights. Source: https://arxiv.org/abs/1502.01852
    """
    check_float("prelu", input)
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.ndim > 1 or weight.numel() not in (1, channels):
        raise ShapeError(f"prelu: expected weight [1] or [{channels}], got {list(weight.shape)}; input {input.shape}")
    slope = reshape(weight, (-1,) + (1,) * max(0, input.ndim - 2)) if input.ndim > 1 else reshape(weight, (1,))
    if input.ndim == 0:
        slope = reshape(weight, ())
    return ew.where(ew.gt(input, 0), input, input * slope)


@public(functional=True, inplace=True, draws=True)
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """``x`` where positive, else ``x`` times a random slope from ``lower`` to ``upper``; their mean in evaluation.

    Source: https://arxiv.org/abs/1505.00853
    """
    if lower > upper:
        raise ArgumentError(f"rrelu: expected lower of at most upper, got {lower} and {upper}")
    if inplace:
        return input.rrelu_(lower, upper, training, generator=generator)
    check_float("rrelu", input)
    if not training:
        return ew.where(ew.gt(input, 0), input, input * ((lower + upper) / 2))
    if (torch := torch_draws(generator)) is not None:
        return input * torch.rrelu_slopes(input, lower, upper)
    slope = ew.cast(rand(input.shape, generator=generator) * (upper - lower) + lower, input.dtype)
    return ew.where(ew.gt(input, 0), input, input * slope)
