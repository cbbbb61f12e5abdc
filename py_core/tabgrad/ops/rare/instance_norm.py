"""Normalisation of each sample's channels, and by the channels beside each."""

from __future__ import annotations

from tabgrad.autograd import no_grad
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.movement import reshape
from tabgrad.ops.norm import batch_norm, normalize
from tabgrad.ops.pool import avg_pool2d
from tabgrad.ops.slicing import pad_dims
from tabgrad.tensor import Tensor


@public(functional=True)
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each channel of each sample of ``input [N, C, ...]``, then scale and shift it.

    The running statistics, if given, are moved towards the means of the samples' in place; with
    ``use_input_stats=False`` they are used instead. Source: https://arxiv.org/abs/1607.08022

    Raises:
        ShapeError: fewer than 3 dimensions, or one value per channel.
        ArgumentError: there are no statistics to use.
    """
    if input.ndim < 3:
        raise ShapeError(f"instance_norm: expected input [N, C, ...] of 3 or more dimensions, got {list(input.shape)}")
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ArgumentError("instance_norm: expected running_mean and running_var with use_input_stats=False")
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    shape = (1, input.shape[1]) + (1,) * (input.ndim - 2)
    n = input.numel() // max(1, input.shape[0] * input.shape[1])
    if n < 2:
        raise ShapeError(f"instance_norm: expected more than 1 value per channel, got {list(input.shape)}")
    dims = tuple(range(2, input.ndim))
    out = normalize(input, dims, eps)
    if weight is not None:
        out = out * reshape(weight, shape)
    if bias is not None:
        out = out + reshape(bias, shape)
    if running_mean is not None and running_var is not None:
        with no_grad():
            mean = red.mean(red.mean(input, dims), 0)
            var = red.mean(red.var(input, dims), 0)
            running_mean.copy_(running_mean * (1 - momentum) + mean * momentum)
            running_var.copy_(running_var * (1 - momentum) + var * momentum)
    return out


@public(top=False, functional=True)
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divide each channel by ``(k + alpha mean(x^2)) ** beta``, the mean over ``size`` channels around it.

    Source: Krizhevsky et al. 2012

    Raises:
        ShapeError: fewer than 3 dimensions.
    """
    if input.ndim < 3:
        raise ShapeError(
            f"local_response_norm: expected input [N, C, ...] of 3 or more dimensions, got {list(input.shape)}"
        )
    if not input.numel():
        return input
    flat = reshape(input * input, (input.shape[0], 1, input.shape[1], -1))  # N, 1, C, rest
    flat = pad_dims(flat, {2: (size // 2, (size - 1) // 2)})
    mean = reshape(avg_pool2d(flat, (size, 1), (1, 1)), input.shape)
    return input / ew.pow(mean * alpha + k, beta)


__all__ = ["instance_norm", "local_response_norm"]
