"""Activations and softmax, composed from primitives; a gradient of its own where that saves memory or passes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from tabgrad.autograd import no_grad, record
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, NoSuchDTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.movement import normalize_dim, reshape
from tabgrad.ops.random_tensors import rand, torch_draws
from tabgrad.random import Generator
from tabgrad.tensor import Tensor


@public(functional=True, method=True)
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(x, 0)``; the gradient reads the output, so the input need not be kept."""
    if inplace:
        return input.relu_()
    x = input
    with no_grad():
        out = ew.where(ew.gt(x, 0), x, ew.where(ew.isnan(x), x, 0)) if x.dtype.is_floating_point else ew.maximum(x, 0)
    record(out, "relu", lambda g, out, x: (ew.where(ew.le(out, 0), 0.0, g),), (x,), {})
    return out


@public(functional=True)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``x`` where positive, else ``negative_slope * x``."""
    if inplace:
        return input.leaky_relu_(negative_slope)
    check_float("leaky_relu", input)
    return ew.where(ew.gt(input, 0), input, input * negative_slope)


@public(functional=True)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` where positive, else ``alpha * (exp(x) - 1)``."""
    if inplace:
        return input.elu_(alpha)
    check_float("elu", input)
    positive = ew.gt(input, 0)
    return ew.where(positive, input, ew.expm1(ew.where(positive, 0.0, input)) * alpha)


@public(functional=True)
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """``x * Phi(x)``, or its tanh approximation. Source: https://arxiv.org/abs/1606.08415"""
    check_float("gelu", input)
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (input + 0.044715 * input * input * input)
        return 0.5 * input * (1.0 + ew.tanh(inner))
    if approximate != "none":
        raise ArgumentError(f"gelu: expected approximate 'none' or 'tanh', got {approximate!r}")
    return 0.5 * input * (1.0 + ew.erf(input * math.sqrt(0.5)))


@public(functional=True)
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``."""
    if inplace:
        return input.silu_()
    check_float("silu", input)
    return input * ew.sigmoid(input)


@public(functional=True)
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """``log(1 + exp(beta x)) / beta``, without overflow; ``x`` itself where ``beta x`` exceeds ``threshold``."""
    check_float("softplus", input)
    z = input if beta == 1 else input * beta
    out = ew.maximum(z, 0.0) + ew.log1p(ew.exp(-ew.abs(z)))
    if beta != 1:
        out = out / beta
    return out if threshold == 20 else ew.where(ew.gt(z, threshold), input, out)  # beyond 20 they are equal in float32


def _softmax_grad(g: Tensor, out: Tensor, x: Tensor, dim: int) -> tuple[Any, ...]:
    return (out * (g - red.sum(g * out, dim, keepdim=True)),)


def _log_softmax_grad(g: Tensor, out: Tensor, x: Tensor, dim: int) -> tuple[Any, ...]:
    return (g - ew.exp(out) * red.sum(g, dim, keepdim=True),)


def check_float(caller: str, x: Tensor) -> None:
    """Of a function of floats alone.

    Raises:
        DTypeError: ``x`` has another dtype.
    """
    if not x.dtype.is_floating_point:
        raise NoSuchDTypeError(
            f"{caller}: expected a floating-point input, got {x.dtype.name}; convert it with .float()"
        )


def _normalized(
    caller: str, input: Tensor, dim: int | None, dtype: DType | None, make: Callable[[Tensor, int], Tensor]
) -> Tensor:
    """What ``make`` makes of a float32 tensor of at least one dimension, and the dimension that is meant."""
    x = input if dtype is None else ew.cast(input, dtype)
    check_float(caller, x)
    if dim is None:
        warnings.warn(f"{caller}: expected dim, got None; pass the dimension of the classes", UserWarning, stacklevel=4)
        dim = 0 if x.ndim in (0, 1, 3) else 1
    wide = ew.cast(x, x.dtype.computed)
    out = make(reshape(wide, (1,)) if x.ndim == 0 else wide, normalize_dim(dim, x.ndim, caller))
    return ew.cast(out if x.ndim else reshape(out, ()), x.dtype)


def _softmax(x: Tensor, dim: int) -> Tensor:
    with no_grad():
        out = ew.exp(x - red.log_normalizer(x, dim))
    record(out, "softmax", _softmax_grad, (x,), {"dim": dim})
    return out


def _log_softmax(x: Tensor, dim: int) -> Tensor:
    with no_grad():
        out = x - red.log_normalizer(x, dim)
    record(out, "log_softmax", _log_softmax_grad, (x,), {"dim": dim})
    return out


@public(functional=True, method=True, out=True)
def softmax(input: Tensor, dim: int | None = None, _stacklevel: Any = 3, dtype: DType | None = None) -> Tensor:
    """``exp(x) / sum(exp(x))`` along ``dim``; NaN where an element is infinite and positive, as in PyTorch.

    Args:
        dim: the first dimension or the second one by default, with a warning.
        dtype: what elements are converted to first.

    Raises:
        DTypeError: the tensor has no floating-point numbers.
        ShapeError: the dimension does not exist.
    """
    dtype = _stacklevel if isinstance(_stacklevel, DType) else dtype  # its place in torch.softmax
    return _normalized("softmax", input, dim, dtype, _softmax)


@public(functional=True, method=True, out=True)
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: Any = 3, dtype: DType | None = None) -> Tensor:
    """``x - log(sum(exp(x)))`` along ``dim``. Arguments and errors are those of :func:`softmax`."""
    dtype = _stacklevel if isinstance(_stacklevel, DType) else dtype
    return _normalized("log_softmax", input, dim, dtype, _log_softmax)


@public(functional=True, draws=True)
def dropout(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Zero each element with probability ``p`` and scale the rest by ``1 / (1 - p)``; the identity in evaluation."""
    if inplace:
        return input.dropout_(p, training, generator=generator)
    if not 0 <= p <= 1:
        raise ShapeError(f"dropout: expected a probability in [0, 1], got {p}")
    if not training or p == 0:
        return input
    if (torch := torch_draws(generator)) is not None:
        dropped: Tensor = torch.dropout(input, p)
        return dropped
    if p == 1:
        return input * 0.0
    keep = ew.ge(rand(input.shape, generator=generator), p)
    return ew.where(keep, input * (1 / (1 - p)), 0.0)
