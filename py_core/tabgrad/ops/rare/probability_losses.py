"""Losses that are likelihoods or divergences of distributions, and Huber's."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from tabgrad.autograd import no_grad, record
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.loss_reduction import chosen_reduction, reduced, same_shape
from tabgrad.ops.movement import unsqueeze
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


def _is_probability(x: Tensor) -> None:
    """Raise for values outside [0, 1], where they lie on the host; elsewhere their logarithm is NaN."""

    def check(given: Tensor) -> None:
        values = given._node.host_elements()
        if values is not None and values.size and not bool(np.all((values >= 0) & (values <= 1))):
            raise ArgumentError(
                "binary_cross_entropy: expected input between 0 and 1, got other values; "
                "use binary_cross_entropy_with_logits for logits"
            )

    current().own(Tracer).check(x, check)


def _bce_grad(g: Tensor, out: Tensor, x: Tensor, target: Tensor) -> tuple[Any, ...]:
    # as the loss would be, were the logarithms not limited; finite at 0 and 1
    by_input = g * (x - target) / ew.maximum(x * (1 - x), 1e-12)
    return by_input, g * (ew.log1p(-x) - ew.log(x))


@public(top=False, functional=True)
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``-target log(input) - (1 - target) log(1 - input)``, reduced; logarithms are at least -100.

    Args:
        input: probabilities, of any shape.
        target: of the same shape, from 0 to 1.
        weight: of the elements, broadcast.

    Raises:
        ShapeError: shapes differ.
        ArgumentError: an input outside [0, 1], where it lies on the host; elsewhere the loss is NaN.
    """
    caller = "binary_cross_entropy"
    reduction = chosen_reduction(caller, reduction, size_average, reduce)
    same_shape(caller, input, target)
    if not target.dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected a floating-point target, got {target.dtype.name}; use target.float()")
    _is_probability(input)
    with no_grad():
        yes, no = ew.log(input), ew.log1p(-input)
        # where() keeps a NaN
        yes, no = ew.where(ew.lt(yes, -100), -100.0, yes), ew.where(ew.lt(no, -100), -100.0, no)
        each = (target - 1) * no - target * yes
    record(each, caller, _bce_grad, (input, target), {})
    if weight is not None:
        if broadcast_shapes(weight.shape, each.shape, caller=caller) != each.shape:
            raise ShapeError(f"{caller}: expected weight to broadcast to {list(each.shape)}, got {list(weight.shape)}")
        each = each * weight
    return reduced(each, reduction)


@public(top=True, functional=True)
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """``target (log target - input)`` of log-probabilities ``input``: 0 where the target is 0.

    Args:
        reduction: also ``"batchmean"``, the sum divided by the size of the first dimension: the divergence's mean.
        log_target: whether the target holds logarithms, too.

    Source: Kullback & Leibler 1951, https://doi.org/10.1214/aoms/1177729694
    """
    whole = reduction == "batchmean" and size_average is None and reduce is None
    if reduction == "mean" and size_average is None and reduce is None:
        warnings.warn(
            "kl_div: reduction='mean' divides by the number of elements; use 'batchmean' for the divergence's mean",
            UserWarning,
            stacklevel=3,
        )
    reduction = "sum" if whole else chosen_reduction("kl_div", reduction, size_average, reduce)
    if log_target:
        each = ew.exp(target) * (target - input)
    else:
        nothing = ew.eq(target, 0)
        entropy = ew.where(nothing, 0.0, target * ew.log(ew.where(nothing, 1.0, target)))
        each = entropy - target * input
    found = reduced(each, reduction)
    return found / input.shape[0] if whole and input.ndim else found


@public(top=False, functional=True)
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """``d * d / 2`` where ``d = |input - target|`` is at most ``delta``, else ``delta * (d - delta / 2)``.

    Args:
        weight: of the elements; the mean divides by the sum of the weights.

    Source: Huber 1964, https://doi.org/10.1214/aoms/1177703732
    """
    reduction = chosen_reduction("huber_loss", reduction, None, None)
    same_shape("huber_loss", input, target)
    if delta <= 0:
        raise ArgumentError(f"huber_loss: expected delta > 0, got {delta}")
    d = ew.abs(input - target)
    each = ew.where(ew.le(d, delta), d * d * 0.5, (d - 0.5 * delta) * delta)
    if weight is None:
        return reduced(each, reduction)
    same_shape("huber_loss", each, weight)
    if reduction == "mean":
        return red.sum(each * weight) / red.sum(weight)
    return reduced(each * weight, reduction)


@public(top=True, functional=True)
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood of counts ``target`` under Poisson distributions.

    Args:
        input: their rates, or, with ``log_input``, the rates' logarithms.
        full: whether Stirling's approximation of ``log(target!)`` is added, where the target is above 1.
        eps: added to rates, of which the logarithm is taken.
    """
    reduction = chosen_reduction("poisson_nll_loss", reduction, size_average, reduce)
    each = ew.exp(input) - target * input if log_input else input - target * ew.log(input + eps)
    if full:
        counts = ew.gt(target, 1)
        inside = ew.where(counts, target, 1.0)
        stirling = inside * ew.log(inside) - inside + 0.5 * ew.log(2 * math.pi * inside)
        each = each + ew.where(counts, stirling, 0.0)
    return reduced(each, reduction)


@public(top=False, functional=True)
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """``(log var + (input - target)² / var) / 2``: negative log-likelihood under normal distributions.

    Args:
        input: means.
        var: variances, at least ``eps`` where they are smaller: of the shape of ``input``, or with 1, or without any,
            as one dimension; or a number.
        full: whether the constant ``log(2π) / 2`` is added.

    Source: Nix & Weigend 1994, https://doi.org/10.1109/ICNN.1994.374138
    """
    caller = "gaussian_nll_loss"
    reduction = chosen_reduction(caller, reduction, None, None)
    if not isinstance(var, Tensor):
        if var < 0:
            raise ArgumentError(f"{caller}: expected var >= 0, got {var}")
        var = input * 0 + var
    if eps <= 0:
        raise ArgumentError(f"{caller}: expected eps > 0, got {eps}")
    if var.shape != input.shape:
        if var.shape == input.shape[:-1]:
            var = unsqueeze(var, -1)
        elif var.ndim != input.ndim or [b for a, b in zip(input.shape, var.shape, strict=True) if a != b] != [1]:
            raise ShapeError(
                f"{caller}: expected var {list(input.shape)}, or with 1 as one dimension, got {list(var.shape)}"
            )
    _variance_is_positive(var)
    with no_grad():
        raised = ew.maximum(eps - var, 0.0)
    var = var + raised  # limited, with the gradient of what is not, as PyTorch's
    each = 0.5 * (ew.log(var) + (input - target) ** 2 / var)
    return reduced(each + 0.5 * math.log(2 * math.pi) if full else each, reduction)


def _variance_is_positive(var: Tensor) -> None:
    def check(given: Tensor) -> None:
        values = given._node.host_elements()
        if values is not None and bool(np.any(values < 0)):
            raise ArgumentError("gaussian_nll_loss: expected var >= 0, got negative ones")

    current().own(Tracer).check(var, check)


__all__ = ["binary_cross_entropy", "gaussian_nll_loss", "huber_loss", "kl_div", "poisson_nll_loss"]
