"""Losses, composed from primitives; cross-entropy with a one-pass gradient."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.errors import ArgumentError, DTypeError, IndexRangeError, NoSuchDTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.activation import log_softmax
from tabgrad.ops.indexing import rows_named
from tabgrad.ops.loss_reduction import chosen_reduction, reduced, same_shape
from tabgrad.ops.movement import broadcast_to, permute, reshape, unsqueeze
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer


@public(functional=True)
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """``(input - target) ** 2``, reduced; with a weight per element, the mean divides by the sum of the weights."""
    reduction = chosen_reduction("mse_loss", reduction, size_average, reduce)
    same_shape("mse_loss", input, target)
    d = input - target
    return _weighted(d * d, weight, reduction, "mse_loss")


@public(functional=True)
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """``|input - target|``, reduced; with a weight per element, the mean divides by the sum of the weights."""
    reduction = chosen_reduction("l1_loss", reduction, size_average, reduce)
    same_shape("l1_loss", input, target)
    return _weighted(ew.abs(input - target), weight, reduction, "l1_loss")


def _weighted(each: Tensor, weight: Tensor | None, reduction: str, caller: str) -> Tensor:
    if weight is None:
        return reduced(each, reduction)
    same_shape(caller, each, weight)
    total = reduced(each * weight, "sum" if reduction == "mean" else reduction)
    return total / red.sum(weight) if reduction == "mean" else total


@public(functional=True)
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Squared below ``beta``, absolute above, reduced. Source: https://arxiv.org/abs/1504.08083"""
    reduction = chosen_reduction("smooth_l1_loss", reduction, size_average, reduce)
    same_shape("smooth_l1_loss", input, target)
    if beta < 0:
        raise ArgumentError(f"smooth_l1_loss: expected beta >= 0, got {beta}")
    d = ew.abs(input - target)
    if beta == 0:
        return reduced(d, reduction)
    return reduced(ew.where(ew.lt(d, beta), d * d * (0.5 / beta), d - 0.5 * beta), reduction)


@public(functional=True)
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """``-target log sigmoid(input) - (1 - target) log(1 - sigmoid(input))``, without overflow.

    Args:
        weight: of the elements, broadcast.
        pos_weight: of the first term, broadcast: how much a positive counts.
    """
    caller = "binary_cross_entropy_with_logits"
    reduction = chosen_reduction(caller, reduction, size_average, reduce)
    same_shape(caller, input, target)
    if not target.dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected a floating-point target, got {target.dtype.name}; use target.float()")
    softplus = ew.log1p(ew.exp(-ew.abs(input)))
    if pos_weight is None:
        loss = ew.maximum(input, 0.0) - input * target + softplus
    else:  # log(1 + e^-x) = softplus + max(-x, 0)
        factor = (pos_weight - 1) * target + 1
        loss = (1 - target) * input + factor * (softplus + ew.maximum(-input, 0.0))
    return reduced(loss if weight is None else loss * weight, reduction)


def _check_labels(caller: str, target: Tensor, classes: int, ignore_index: int) -> None:
    """Raise for labels that name no class, where they lie on the host and looking costs nothing."""

    def check(labels: Tensor) -> None:
        values = labels._node.host_elements()
        if values is None:
            return
        strange = values[((values < 0) | (values >= classes)) & (values != ignore_index)]
        if strange.size:
            raise IndexRangeError(
                f"{caller}: expected labels from 0 to {classes - 1}, as the input has {classes} classes, or "
                f"ignore_index={ignore_index}, got {int(strange[0])}"
            )

    current().own(Tracer).check(target, check)


def _rows(caller: str, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Logits as ``[N, C]`` and labels as ``[N]``."""
    if not x.dtype.is_floating_point:
        raise NoSuchDTypeError(f"{caller}: expected a floating-point input, got {x.dtype.name}; use input.float()")
    if target.dtype not in (dtypes.int64, dtypes.uint8):
        raise DTypeError(f"{caller}: expected integer class labels, got {target.dtype.name}")
    target = ew.cast(target, dtypes.int32)
    if x.ndim == 1 and target.ndim == 0:
        return reshape(x, (1, -1)), reshape(target, 1)
    if x.ndim < 2 or (x.shape[0], *x.shape[2:]) != target.shape:
        expected = [x.shape[0], *x.shape[2:]] if x.ndim >= 2 else "a scalar"
        raise ShapeError(f"{caller}: expected labels {expected} for input {list(x.shape)}, got {list(target.shape)}")
    if x.ndim > 2:  # [N, C, d1, ..] -> [N, d1, .., C] -> [N d1 .., C]
        x = permute(x, (0, *range(2, x.ndim), 1))
    return reshape(x, (target.numel(), x.shape[-1] if x.ndim > 2 else x.shape[1])), reshape(target, -1)


def _label_mask(x: Tensor, target: Tensor) -> Tensor:
    return ew.eq(ew.iota(x.shape, 1), broadcast_to(unsqueeze(target, 1), x.shape))


@public(functional=True)
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``-weight[t] input[i, t]`` with ``t = target[i]``, reduced; of log-probabilities ``[N, C]`` or ``[N, C, ...]``.

    Args:
        weight: ``[C]``, of the classes; the mean divides by the sum of the weights of all targets.
    """
    reduction = chosen_reduction("nll_loss", reduction, size_average, reduce)
    rows, labels = _rows("nll_loss", input, target)
    _check_labels("nll_loss", target, rows.shape[1], ignore_index)
    _check_weight("nll_loss", weight, rows)
    each = _negative_picked(rows, labels, weight, ignore_index)
    return _reduced_rows(each, labels, target, weight, reduction, ignore_index)


def _check_weight(caller: str, weight: Tensor | None, rows: Tensor) -> None:
    if weight is None:
        return
    classes = rows.shape[1]
    if weight.dtype is not rows.dtype:
        raise DTypeError(f"{caller}: expected weight of the input's {rows.dtype.name}, got {weight.dtype.name}")
    if weight.shape != (classes,):
        raise ShapeError(f"{caller}: expected weight [{classes}], one per class, got {list(weight.shape)}")
    if weight.requires_grad:
        raise NotImplementedError(f"{caller}: no gradient for the class weights; detach() them")


def _negative_picked(rows: Tensor, labels: Tensor, weight: Tensor | None, ignore_index: int) -> Tensor:
    """``[N]``: minus each row's element at its label, times the class's weight; 0 where the label is ignored."""
    counted = unsqueeze(ew.ne(labels, ignore_index), 1)
    mask = ew.logical_and(_label_mask(rows, labels), broadcast_to(counted, rows.shape))
    strange = ew.logical_and(ew.logical_or(ew.lt(labels, 0), ew.ge(labels, rows.shape[1])), ew.ne(labels, ignore_index))
    weighted = rows if weight is None else rows * weight
    # a GPU cannot raise: a label that names no class makes the loss NaN, which stops a run
    picked = ew.where(mask, weighted, ew.where(unsqueeze(strange, 1), math.nan, 0.0))
    return -red.sum(picked, 1)


def _reduced_rows(
    each: Tensor,
    labels: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    ignore_index: int,
) -> Tensor:
    if reduction == "none":
        return reshape(each, target.shape)
    total = red.sum(each)
    return total / red.sum(_kept(labels, weight, ignore_index)) if reduction == "mean" else total


def _kept(labels: Tensor, weight: Tensor | None, ignore_index: int) -> Tensor:
    """``[N]``: how much each label counts; 0 where it is ignored."""
    keep = ew.ne(labels, ignore_index)
    return keep.float() if weight is None else ew.where(keep, rows_named(weight, 0, labels), 0.0)


def _cross_entropy_grad(
    g: Tensor,
    out: Tensor,
    x: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str,
    ignore_index: int,
) -> tuple[Any, ...]:
    # d/dx = softmax(x) - onehot(target), weighted: in the same pass over the logits as the loss
    p = ew.exp(x - red.log_normalizer(x, 1))
    kept = _kept(target, weight, ignore_index)
    rows = kept * (g / red.sum(kept) if reduction == "mean" else g)
    if reduction == "mean":  # where all are ignored, the loss is NaN and the gradient 0
        rows = ew.where(ew.ne(target, ignore_index), rows, 0.0)
    return ew.where(_label_mask(x, target), p - 1.0, p) * unsqueeze(rows, 1), None


@public(functional=True)
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """``-log softmax(input)[target]``: logits ``[N, C]``, ``[N, C, ...]`` or ``[C]``; labels, or probabilities.

    Labels equal to ``ignore_index`` do not count; any other label outside [0, C) makes the loss NaN, or raises where
    the labels lie on the host.

    Args:
        weight: ``[C]``, of the classes; with labels, the mean divides by the sum of the weights of all labels.
        label_smoothing: share of the target that is spread over all classes.

    Raises:
        ShapeError, DTypeError: the shape or dtype of the target or the weight does not fit the logits.
    """
    reduction = chosen_reduction("cross_entropy", reduction, size_average, reduce)
    if not 0 <= label_smoothing <= 1:
        raise ArgumentError(f"cross_entropy: expected label_smoothing between 0 and 1, got {label_smoothing}")
    if target.dtype.is_floating_point:
        if target.ndim == input.ndim - 1 and input.ndim > 1:
            raise DTypeError(
                f"cross_entropy: expected labels {list(target.shape)} as integers, or probabilities "
                f"{list(input.shape)}, got {target.dtype.name} {list(target.shape)}; convert labels with .long()"
            )
        if ignore_index >= 0:
            raise ArgumentError(
                f"cross_entropy: expected no ignore_index with probabilities, got {ignore_index}; pass labels"
            )
        return _soft_cross_entropy(input, target, weight, reduction, label_smoothing)
    rows, labels = _rows("cross_entropy", input, target)
    _check_labels("cross_entropy", target, rows.shape[1], ignore_index)
    _check_weight("cross_entropy", weight, rows)
    if reduction in ("mean", "sum") and label_smoothing == 0:
        with no_grad():
            each = _negative_picked(rows - red.log_normalizer(rows, 1), labels, weight, ignore_index)
            out = _reduced_rows(each, labels, target, weight, reduction, ignore_index)
        options = {"weight": weight, "reduction": reduction, "ignore_index": ignore_index}
        record(out, "cross_entropy", _cross_entropy_grad, (rows, labels), options)
        return out
    logp = log_softmax(rows, 1)
    each = _negative_picked(logp, labels, weight, ignore_index)
    if label_smoothing:
        spread = red.mean(logp if weight is None else logp * weight, 1)
        counted = ew.where(ew.ne(labels, ignore_index), spread, 0.0)
        each = each * (1 - label_smoothing) - counted * label_smoothing
    return _reduced_rows(each, labels, target, weight, reduction, ignore_index)


def _soft_cross_entropy(x: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float) -> Tensor:
    same_shape("cross_entropy", x, target)
    dim = 0 if x.ndim == 1 else 1
    if smoothing:
        target = target * (1 - smoothing) + smoothing / x.shape[dim]
    if weight is not None:
        if weight.shape != (x.shape[dim],):
            raise ShapeError(
                f"cross_entropy: expected weight [{x.shape[dim]}], one per class, got {list(weight.shape)}"
            )
        target = target * reshape(weight, (-1,) + (1,) * (x.ndim - dim - 1))
    each = -red.sum(log_softmax(x, dim) * target, dim)
    return reduced(each, reduction)
