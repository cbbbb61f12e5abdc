"""Activations and softmax, composed from primitives; a gradient of its own where that saves memory or passes."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.autograd import no_grad, record
from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.random_tensors import rand
from tabgrad.random import Generator
from tabgrad.tensor import Tensor


@public(functional=True, method=True)
def relu(x: Tensor, inplace: bool = False) -> Tensor:
    """``max(x, 0)``; the gradient reads the output, so the input need not be kept."""
    if inplace:
        return x.relu_()
    with no_grad():
        out = ew.where(ew.gt(x, 0), x, ew.where(ew.isnan(x), x, 0)) if x.dtype.is_floating_point else ew.maximum(x, 0)
    record(out, "relu", lambda g, out, x: (ew.where(ew.le(out, 0), 0.0, g),), (x,), {})
    return out


@public(functional=True)
def leaky_relu(x: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``x`` where positive, else ``negative_slope * x``."""
    if inplace:
        return x.leaky_relu_(negative_slope)
    return ew.where(ew.gt(x, 0), x, x * negative_slope)


@public(functional=True)
def elu(x: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""
    if inplace:
        return x.elu_(alpha)
    return ew.where(ew.gt(x, 0), x, ew.expm1(ew.minimum(x, 0.0)) * alpha)


@public(functional=True)
def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    """``x * Phi(x)``, or its tanh approximation. Source: https://arxiv.org/abs/1606.08415"""
    if approximate == "tanh":
        return 0.5 * x * (1.0 + ew.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
    if approximate != "none":
        raise ValueError(f"gelu: expected approximate 'none' or 'tanh', got '{approximate}'")
    return 0.5 * x * (1.0 + ew.erf(x * math.sqrt(0.5)))


@public(functional=True)
def silu(x: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``."""
    if inplace:
        return x.silu_()
    return x * ew.sigmoid(x)


@public(functional=True)
def softplus(x: Tensor) -> Tensor:
    """``log(1 + exp(x))``, without overflow."""
    return ew.maximum(x, 0.0) + ew.log1p(ew.exp(-ew.abs(x)))


def _softmax_grad(g: Tensor, out: Tensor, x: Tensor, dim: int) -> tuple[Any, ...]:
    return (out * (g - red.sum(g * out, dim, keepdim=True)),)


@public(functional=True, method=True)
def softmax(x: Tensor, dim: int) -> Tensor:
    """``exp(x) / sum(exp(x))`` along ``dim``; NaN where an element is infinite and positive, as in PyTorch."""
    with no_grad():
        out = ew.exp(x - red.log_normalizer(x, dim))
    record(out, "softmax", _softmax_grad, (x,), {"dim": dim})
    return out


def _log_softmax_grad(g: Tensor, out: Tensor, x: Tensor, dim: int) -> tuple[Any, ...]:
    return (g - ew.exp(out) * red.sum(g, dim, keepdim=True),)


@public(functional=True, method=True)
def log_softmax(x: Tensor, dim: int) -> Tensor:
    """``x - log(sum(exp(x)))`` along ``dim``."""
    with no_grad():
        out = x - red.log_normalizer(x, dim)
    record(out, "log_softmax", _log_softmax_grad, (x,), {"dim": dim})
    return out


@public(functional=True)
def dropout(
    x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Zero each element with probability ``p`` and scale the rest by ``1 / (1 - p)``; the identity in evaluation."""
    if inplace:
        return x.dropout_(p, training, generator=generator)
    if not 0 <= p <= 1:
        raise ShapeError(f"dropout: expected a probability in [0, 1], got {p}")
    if not training or p == 0:
        return x
    if p == 1:
        return x * 0.0
    keep = ew.ge(rand(x.shape, generator=generator), p)
    return ew.where(keep, x * (1 / (1 - p)), 0.0)
