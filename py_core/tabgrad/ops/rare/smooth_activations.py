"""Smooth activations, gates, and functions of a whole dimension: its softmin, its samples, its length."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.dtypes import DType
from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.activation import check_float, softmax, softplus
from tabgrad.ops.movement import normalize_dim
from tabgrad.ops.random_tensors import rand, torch_draws
from tabgrad.ops.slicing import narrow
from tabgrad.random import Generator
from tabgrad.tensor import Tensor


@public(top=False, functional=True)
def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``."""
    return input - ew.tanh(input)


@public(top=False, functional=True)
def softsign(input: Tensor) -> Tensor:
    """``x / (1 + |x|)``."""
    return input / (ew.abs(input) + 1)


@public(top=False, functional=True)
def logsigmoid(input: Tensor) -> Tensor:
    """``log(1 / (1 + exp(-x)))``, without overflow."""
    check_float("logsigmoid", input)
    return -softplus(-input)


@public(top=False, functional=True, inplace=True)
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))``. Source: https://arxiv.org/abs/1908.08681"""
    if inplace:
        return input.mish_()
    check_float("mish", input)
    return input * ew.tanh(softplus(input))


@public(top=False, functional=True)
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along ``dim`` times the sigmoid of the second. Source: https://arxiv.org/abs/1612.08083

    Raises:
        ShapeError: the size of ``dim`` is odd.
    """
    check_float("glu", input)
    if not input.ndim:
        raise ShapeError("glu: expected an input of at least 1 dimension, got a 0-d tensor")
    d = normalize_dim(dim, input.ndim, "glu")
    if input.shape[d] % 2:
        raise ShapeError(f"glu: expected an even size along dim {dim}, got {list(input.shape)}")
    half = input.shape[d] // 2
    return narrow(input, d, 0, half) * ew.sigmoid(narrow(input, d, half, half))


@public(top=False, functional=True)
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """:func:`softmax` of ``-x``."""
    return softmax(-input, dim, _stacklevel, dtype)


@public(top=False, functional=True, draws=True)
def gumbel_softmax(
    logits: Tensor,
    tau: float = 1,
    hard: bool = False,
    eps: float = 1e-10,
    dim: int = -1,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Samples of the distribution with these ``logits``, relaxed: softmax of logits with noise, over ``tau``.

    Args:
        hard: one-hot samples, with the gradient of the relaxed ones.
        eps: has no meaning, as in PyTorch.

    Source: Jang et al. 2016, https://arxiv.org/abs/1611.01144
    """
    check_float("gumbel_softmax", logits)
    if (torch := torch_draws(generator)) is not None:
        exponential = torch.exponential_tensor(logits.shape, logits.dtype, like=logits)
    else:
        uniform = rand(logits.shape, generator=generator)
        exponential = -ew.log(1.0 - uniform + 2.0**-25)  # never 0, whose logarithm is infinite
    soft = softmax((logits - ew.log(ew.maximum(exponential, 1e-30))) / tau, dim)
    if not hard:
        return soft
    d = normalize_dim(dim, logits.ndim, "gumbel_softmax")
    best = red.argmax(soft.detach(), d, keepdim=True)
    one = ew.cast(ew.eq(ew.iota(soft.shape, d), best), soft.dtype)
    return one - soft.detach() + soft


@public(top=False, functional=True, out=True)
def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    """``x`` divided by its ``p``-norm along ``dim``, or by ``eps`` where that is larger."""
    check_float("normalize", input)
    length = _length(input, float(p), dim)
    return input / ew.where(ew.lt(length, eps), eps, length)


def _length(x: Tensor, p: float, dim: Any) -> Tensor:
    """The p-norm, with gradient 0 where all elements are 0."""
    size = ew.abs(x)
    if math.isinf(p):
        return red.amax(size, dim, keepdim=True) if p > 0 else red.amin(size, dim, keepdim=True)
    if p == 0:
        return red.sum(ew.cast(ew.ne(x, 0), x.dtype), dim, keepdim=True)
    if p == 1:
        return red.sum(size, dim, keepdim=True)
    total = red.sum(x * x if p == 2 else ew.pow(size, p), dim, keepdim=True)
    empty = ew.eq(total, 0)
    filled = ew.where(empty, 1.0, total)
    return ew.where(empty, 0.0, ew.sqrt(filled) if p == 2 else ew.pow(filled, 1 / p))
