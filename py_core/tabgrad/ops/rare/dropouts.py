"""Dropout of whole channels, and dropout that keeps mean and variance where they are."""

from __future__ import annotations

import math
import warnings

from tabgrad.dtypes import bool_
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.activation import check_float
from tabgrad.ops.random_tensors import rand, torch_draws
from tabgrad.random import Generator
from tabgrad.tensor import Tensor

_SELU_LOWEST = -1.7580993408473766  # -scale * alpha of SELU, its limit at -inf


def _check(caller: str, p: float) -> None:
    if not 0 <= p <= 1:
        raise ArgumentError(f"{caller}: expected a probability in [0, 1], got {p}")


def _kept(x: Tensor, p: float, channels: int | None, generator: Generator | None) -> Tensor:
    """Which elements, or which of the first ``channels`` dimensions' indices, stay."""
    shape = x.shape if channels is None else (*x.shape[:channels], *(1,) * (x.ndim - channels))
    if (torch := torch_draws(generator)) is not None:
        kept: Tensor = torch.bernoulli(1 - p, shape, bool_, x if channels is None else None)
        return kept
    return ew.ge(rand(shape, generator=generator), p)


def _dropped(x: Tensor, p: float, channels: int, generator: Generator | None) -> Tensor:
    if p == 1:
        return x * 0.0
    return ew.where(_kept(x, p, channels, generator), x * (1 / (1 - p)), 0.0)


@public(functional=False, inplace=True, draws=True)
def feature_dropout(input: Tensor, p: float, train: bool, *, generator: Generator | None = None) -> Tensor:
    """Zero each channel of ``[N, C, ...]`` with probability ``p`` and scale the others by ``1 / (1 - p)``.

    Raises:
        ShapeError: fewer than 2 dimensions. Source: https://arxiv.org/abs/1411.4280
    """
    _check("feature_dropout", p)
    if not train or p == 0:
        return input
    if input.ndim < 2:
        raise ShapeError(f"feature_dropout: expected input [N, C, ...], got {list(input.shape)}")
    return _dropped(input, p, 2, generator)


def _of_rank(
    caller: str, x: Tensor, p: float, training: bool, inplace: bool, axes: int, generator: Generator | None
) -> Tensor:
    _check(caller, p)
    if axes == 1 and x.ndim not in (2, 3):
        raise ShapeError(f"{caller}: expected input [N, C, L] or [C, L], got {list(x.shape)}")
    if axes > 1 and x.ndim not in (axes + 1, axes + 2):
        warnings.warn(
            f"{caller}: expected {axes + 2} or {axes + 1} dimensions, got {list(x.shape)}; dropout of elements is "
            f"what `dropout` does",
            UserWarning,
            stacklevel=4,
        )
    lone = x.ndim == axes + 1 and axes != 2  # of dropout2d PyTorch takes three dimensions as [N, C, L]
    whole = x.reshape((1, *x.shape)) if lone else x
    if inplace:
        whole.feature_dropout_(p, training, generator=generator)
        return x
    out = feature_dropout(whole, p, training, generator=generator)
    return out.reshape(x.shape) if lone else out


@public(top=False, functional=True)
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Zero each channel of ``[N, C, L]`` or ``[C, L]`` with probability ``p``; the identity in evaluation."""
    return _of_rank("dropout1d", input, p, training, inplace, 1, generator)


@public(top=False, functional=True)
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Zero each channel of ``[N, C, H, W]`` with probability ``p``; three dimensions are ``[N, C, L]``."""
    return _of_rank("dropout2d", input, p, training, inplace, 2, generator)


@public(top=False, functional=True)
def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Zero each channel of ``[N, C, D, H, W]`` or without N with probability ``p``; the identity in evaluation."""
    return _of_rank("dropout3d", input, p, training, inplace, 3, generator)


def _alpha(x: Tensor, p: float, channels: int | None, generator: Generator | None) -> Tensor:
    """Elements that go are set to SELU's lowest value; scale and shift give mean and variance back."""
    if p == 1:
        return x * 0.0
    q = 1 - p
    a = 1 / math.sqrt(q + _SELU_LOWEST**2 * q * p)
    b = -a * p * _SELU_LOWEST
    return ew.where(_kept(x, p, channels, generator), x, _SELU_LOWEST) * a + b


@public(functional=True, inplace=True, draws=True)
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Dropout for SELU, which keeps mean 0 and variance 1. Source: https://arxiv.org/abs/1706.02515"""
    _check("alpha_dropout", p)
    if inplace:
        return input.alpha_dropout_(p, training, generator=generator)
    if not training or p == 0:
        return input
    check_float("alpha_dropout", input)
    return _alpha(input, p, None, generator)


@public(functional=True, inplace=True, draws=True)
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """:func:`alpha_dropout` of whole channels of ``[N, C, ...]``.

    Raises:
        ShapeError: fewer than 2 dimensions.
    """
    _check("feature_alpha_dropout", p)
    if inplace:
        return input.feature_alpha_dropout_(p, training, generator=generator)
    if not training or p == 0:
        return input
    check_float("feature_alpha_dropout", input)
    if input.ndim < 2:
        raise ShapeError(f"feature_alpha_dropout: expected input [N, C, ...], got {list(input.shape)}")
    return _alpha(input, p, 2, generator)


__all__ = [
    "alpha_dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout", "feature_dropout",
]  # fmt: skip
