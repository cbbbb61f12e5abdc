"""Layers and the batch norms behind them as one, for evaluation."""

from __future__ import annotations

import copy
from typing import Any

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.tensor import Tensor

Weights = tuple[Parameter, Parameter]


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> Weights:
    """Weight and bias of a convolution that does what it and the batch norm behind it do in evaluation."""
    with no_grad():
        scale = ops.rsqrt(bn_rv + bn_eps) * (1 if bn_w is None else bn_w)
        shape = [1, -1] if transpose else [-1, 1]
        weight = conv_w * scale.reshape(*shape, *[1] * (conv_w.ndim - 2))
        bias = ((0 if conv_b is None else conv_b) - bn_rm) * scale + (0 if bn_b is None else bn_b)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_w.requires_grad)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> Weights:
    """As :func:`fuse_conv_bn_weights`, of a linear layer."""
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Module:
    """A copy of the convolution, with the batch norm in it; both are in evaluation."""
    return _fused("fuse_conv_bn_eval", conv, bn, transpose)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Module:
    """A copy of the linear layer, with the batch norm in it; both are in evaluation."""
    return _fused("fuse_linear_bn_eval", linear, bn, False)


def _fused(caller: str, layer: Any, bn: Any, transpose: bool) -> Module:
    if layer.training or bn.training or bn.running_mean is None or bn.running_var is None:
        raise RuntimeError(f"{caller}: expected layers in evaluation, with running statistics; call eval() on both")
    made: Module = copy.deepcopy(layer)
    made.weight, made.bias = fuse_conv_bn_weights(
        made.weight, made.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return made


__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]
