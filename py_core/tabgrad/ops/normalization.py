"""Normalisation: batch, layer, group and root mean square, each with a gradient that makes few passes."""

from __future__ import annotations

import math
from typing import Any

from tabgrad.autograd import is_grad_enabled, no_grad, record
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.movement import reshape
from tabgrad.tensor import Tensor

_EPSILON = 2.0**-23  # float32's


def _statistics(x: Tensor, dims: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    mean = red.mean(x, dims, keepdim=True)
    var = red.m2(x, dims) / float(math.prod(x.shape[d] for d in dims))
    return mean, var, ew.rsqrt(var + eps)


def _normalize_grad(
    g: Tensor, out: Tensor, x: Tensor, mean: Tensor, rstd: Tensor, dims: tuple[int, ...], eps: float
) -> tuple[Any, ...]:
    # y = (x - mean) rstd with mean and rstd functions of x:
    # dx = rstd (g - mean(g) - y mean(g y))
    if is_grad_enabled():  # create_graph: the statistics must be differentiated too
        mean, _, rstd = _statistics(x, dims, eps)
    y = (x - mean) * rstd
    return rstd * (g - red.mean(g, dims, keepdim=True) - y * red.mean(g * y, dims, keepdim=True)), None, None


def normalize(x: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    """``(x - mean) / sqrt(var + eps)`` over ``dims``, with the biased variance."""
    with no_grad():
        mean, _, rstd = _statistics(x, dims, eps)
        out = (x - mean) * rstd
    record(out, "normalize", _normalize_grad, (x, mean, rstd), {"dims": dims, "eps": eps})
    return out


def _batch_norm_grad(
    g: Tensor, out: Tensor, x: Tensor, mean: Tensor, rstd: Tensor, *affine: Tensor, dims: tuple[int, ...], eps: float
) -> tuple[Any, ...]:
    # y = (x - mean) rstd w + b: the sums that dx needs are the gradients of w and b
    if is_grad_enabled():  # create_graph: the statistics must be differentiated too
        mean, _, rstd = _statistics(x, dims, eps)
    y = (x - mean) * rstd
    total, product = red.sum(g, dims, keepdim=True), red.sum(g * y, dims, keepdim=True)
    n = float(x.numel() // mean.numel())
    scale = rstd * reshape(affine[0], mean.shape) if affine else rstd
    # channel by channel first, so that few operands meet at each element
    dx = scale * (g - total / n) - (x - mean) * (scale * rstd * (product / n))
    return dx, None, None, *(reshape(t, w.shape) for t, w in zip((product, total), affine, strict=False))


@public(functional=True)
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each channel of input ``[N, C, ...]`` over all other dimensions, then scale and shift.

    In training, batch statistics are used and the running ones are moved towards them (the variance
    unbiased) in place; otherwise the running ones are used. Source: https://arxiv.org/abs/1502.03167

    Raises:
        ShapeError: fewer than 2 dimensions, or one value per channel in training.
        ArgumentError: ``eps`` is 0 in training.
    """
    if input.ndim < 2:
        raise ShapeError(f"batch_norm: expected input [N, C, ...], got {list(input.shape)}")
    if eps <= 0:
        raise ArgumentError(f"batch_norm: expected eps above 0, got {eps}")
    statistics = {"running_mean": running_mean, "running_var": running_var}
    check_affine("batch_norm", input.shape[1:2], weight=weight, bias=bias, **statistics)
    if not training and (running_mean is None or running_var is None):
        raise ArgumentError("batch_norm: expected running_mean and running_var without training, got None")
    shape = (1, input.shape[1]) + (1,) * (input.ndim - 2)
    if training or running_mean is None or running_var is None:
        if training and eps <= 0:
            raise ArgumentError(f"batch_norm: expected eps > 0 in training, got {eps}")
        n = input.numel() // max(1, input.shape[1])
        if n == 0 and input.shape[1]:  # no statistics, as in PyTorch: the running ones stay
            scaled = input if weight is None else input * reshape(weight, shape)
            return scaled if bias is None else scaled + reshape(bias, shape)
        if n < 2:
            raise ShapeError(f"batch_norm: expected more than 1 value per channel in training, got {list(input.shape)}")
        dims = tuple(d for d in range(input.ndim) if d != 1)
        affine = () if weight is None else (weight,) if bias is None else (weight, bias)
        with no_grad():
            mean, var, rstd = _statistics(input, dims, eps)
            out = (input - mean) * (rstd * reshape(weight, shape) if affine and weight is not None else rstd)
            if len(affine) == 2:
                out = out + reshape(affine[1], shape)
        record(out, "batch_norm", _batch_norm_grad, (input, mean, rstd, *affine), {"dims": dims, "eps": eps})
        if training and running_mean is not None and running_var is not None:
            with no_grad():
                unbiased = reshape(var, -1) * (n / (n - 1))
                running_mean.copy_(running_mean * (1 - momentum) + reshape(mean, -1) * momentum)
                running_var.copy_(running_var * (1 - momentum) + unbiased * momentum)
        return out if bias is None or affine else out + reshape(bias, shape)
    out = (input - reshape(running_mean, shape)) * ew.rsqrt(reshape(running_var, shape) + eps)
    if weight is not None:
        out = out * reshape(weight, shape)
    return out if bias is None else out + reshape(bias, shape)


def check_affine(caller: str, sizes: tuple[int, ...], **given: Tensor | None) -> None:
    """Raise for a weight, or a statistic, of another shape, which would be broadcast unseen."""
    for name, tensor in given.items():
        if tensor is not None and tensor.shape != sizes:
            raise ShapeError(f"{caller}: expected {name} {list(sizes)}, got {list(tensor.shape)}")


def _last_sizes(caller: str, x: Tensor, normalized_shape: Any) -> tuple[int, ...]:
    """The sizes that are normalised together, which must be the last ones of ``x``."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    k = len(sizes)
    if not k:
        raise ShapeError(f"{caller}: expected normalized_shape of at least 1 dimension, got ()")
    if k > x.ndim or x.shape[x.ndim - k :] != sizes:
        raise ShapeError(f"{caller}: expected input [..., {', '.join(map(str, sizes))}], got {list(x.shape)}")
    return sizes


@public(functional=True)
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise over the last ``len(normalized_shape)`` dimensions, then scale and shift.

    Raises:
        ShapeError: the last sizes of ``input`` are not ``normalized_shape``. Source: https://arxiv.org/abs/1607.06450
    """
    sizes = _last_sizes("layer_norm", input, normalized_shape)
    check_affine("layer_norm", sizes, weight=weight, bias=bias)
    if math.prod(sizes) == 0:
        return input
    out = normalize(input, tuple(range(input.ndim - len(sizes), input.ndim)), eps)
    if weight is not None:
        out = out * weight
    return out if bias is None else out + bias


def _root_mean_square_grad(
    g: Tensor, out: Tensor, x: Tensor, scale: Tensor, dims: tuple[int, ...], eps: float
) -> tuple[Any, ...]:
    # y = x s with s = 1 / sqrt(mean(x x) + eps):  dx = s (g - y mean(g y))
    if is_grad_enabled():  # create_graph: the scale must be differentiated too
        scale = ew.rsqrt(red.mean(x * x, dims, keepdim=True) + eps)
    y = x * scale
    return scale * (g - y * red.mean(g * y, dims, keepdim=True)), None


@public(functional=True)
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Divide by the root mean square over the last ``len(normalized_shape)`` dimensions, then scale.

    ``y = input / sqrt(mean(input**2) + eps) * weight``

    Args:
        weight: of shape ``normalized_shape``.
        eps: added to the mean square; by default float32's machine epsilon, as in PyTorch.

    Raises:
        ShapeError: the last sizes of ``input`` are not ``normalized_shape``.

    Source: Zhang & Sennrich 2019, https://arxiv.org/abs/1910.07467
    """
    sizes = _last_sizes("rms_norm", input, normalized_shape)
    check_affine("rms_norm", sizes, weight=weight)
    if math.prod(sizes) == 0:
        return input
    dims = tuple(range(input.ndim - len(sizes), input.ndim))
    added = _EPSILON if eps is None else eps
    with no_grad():
        scale = ew.rsqrt(red.mean(input * input, dims, keepdim=True) + added)
        out = input * scale
    record(out, "rms_norm", _root_mean_square_grad, (input, scale), {"dims": dims, "eps": added})
    return out if weight is None else out * weight


@public(functional=True)
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each sample of input ``[N, C, ...]`` over groups of ``C / num_groups`` channels, then scale and shift.

    Args:
        weight, bias: ``[C]``.

    Raises:
        ShapeError: fewer than 2 dimensions, or ``num_groups`` does not divide the channels.

    Source: Wu & He 2018, https://arxiv.org/abs/1803.08494
    """
    if input.ndim < 2:
        raise ShapeError(f"group_norm: expected input [N, C, ...], got {list(input.shape)}")
    if num_groups < 1 or input.shape[1] % num_groups:
        raise ShapeError(
            f"group_norm: expected a number of channels that num_groups={num_groups} divides, got {input.shape[1]}"
        )
    check_affine("group_norm", input.shape[1:2], weight=weight, bias=bias)
    if input.numel() == 0:
        return input
    rows = reshape(input, (input.shape[0], num_groups, input.numel() // (input.shape[0] * num_groups)))
    out = reshape(normalize(rows, (2,), eps), input.shape)
    shape = (1, input.shape[1]) + (1,) * (input.ndim - 2)
    if weight is not None:
        out = out * reshape(weight, shape)
    return out if bias is None else out + reshape(bias, shape)
