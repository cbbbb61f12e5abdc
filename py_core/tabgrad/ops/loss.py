"""Losses, composed from primitives; cross-entropy with a one-pass gradient."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.errors import DTypeError, ShapeError
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.activation import log_softmax
from tabgrad.ops.movement import broadcast_to, permute, reshape, unsqueeze
from tabgrad.tensor import Tensor


def _reduced(x: Tensor, reduction: str, caller: str) -> Tensor:
    if reduction == "mean":
        return red.mean(x)
    if reduction == "sum":
        return red.sum(x)
    if reduction == "none":
        return x
    raise ValueError(f"{caller}: expected reduction 'mean', 'sum' or 'none', got '{reduction}'")


def _same(caller: str, x: Tensor, target: Tensor) -> None:
    if x.shape != target.shape:
        raise ShapeError(f"{caller}: expected target {list(x.shape)}, got {list(target.shape)}; shapes must be equal")


def mse_loss(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """``(x - target) ** 2``, reduced."""
    _same("mse_loss", x, target)
    d = x - target
    return _reduced(d * d, reduction, "mse_loss")


def l1_loss(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """``|x - target|``, reduced."""
    _same("l1_loss", x, target)
    return _reduced(ew.abs(x - target), reduction, "l1_loss")


def smooth_l1_loss(x: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """Squared below ``beta``, absolute above, reduced. Source: https://arxiv.org/abs/1504.08083"""
    _same("smooth_l1_loss", x, target)
    d = ew.abs(x - target)
    return _reduced(ew.where(ew.lt(d, beta), d * d * (0.5 / beta), d - 0.5 * beta), reduction, "smooth_l1_loss")


def binary_cross_entropy_with_logits(x: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """``-target log sigmoid(x) - (1 - target) log(1 - sigmoid(x))``, without overflow."""
    _same("binary_cross_entropy_with_logits", x, target)
    loss = ew.maximum(x, 0.0) - x * target + ew.log1p(ew.exp(-ew.abs(x)))
    return _reduced(loss, reduction, "binary_cross_entropy_with_logits")


def _rows(caller: str, x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Logits as ``[N, C]`` and labels as ``[N]``."""
    if target.dtype is not dtypes.int32:
        raise DTypeError(f"{caller}: expected integer class labels, got {target.dtype.name}")
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


def nll_loss(x: Tensor, target: Tensor, reduction: str = "mean", ignore_index: int = -100) -> Tensor:
    """``-x[i, target[i]]``, reduced; x holds log-probabilities ``[N, C]`` or ``[N, C, ...]``."""
    rows, labels = _rows("nll_loss", x, target)
    return _nll(rows, labels, target, reduction, ignore_index)


def _nll(rows: Tensor, labels: Tensor, target: Tensor, reduction: str, ignore_index: int) -> Tensor:
    counted = unsqueeze(ew.ne(labels, ignore_index), 1)
    mask = ew.logical_and(_label_mask(rows, labels), broadcast_to(counted, rows.shape))
    strange = ew.logical_and(ew.logical_or(ew.lt(labels, 0), ew.ge(labels, rows.shape[1])), ew.ne(labels, ignore_index))
    # a GPU cannot raise: a label that names no class makes the loss NaN, which stops a run
    picked = ew.where(mask, rows, ew.where(unsqueeze(strange, 1), math.nan, 0.0))
    if reduction == "none":
        return reshape(-red.sum(picked, 1), target.shape)
    if reduction not in ("mean", "sum"):
        raise ValueError(f"cross_entropy: expected reduction 'mean', 'sum' or 'none', got '{reduction}'")
    total = -red.sum(picked)
    return total / _kept(labels, ignore_index) if reduction == "mean" else total


def _kept(labels: Tensor, ignore_index: int) -> Tensor:
    """How many labels count, as float32."""
    return red.sum(ew.ne(labels, ignore_index).float())


def _cross_entropy_grad(
    g: Tensor, out: Tensor, x: Tensor, target: Tensor, reduction: str, ignore_index: int
) -> tuple[Any, ...]:
    # d/dx = softmax(x) - onehot(target): one pass over the logits
    p = ew.exp(x - red.logsumexp(x, 1, keepdim=True))
    scale = g / _kept(target, ignore_index) if reduction == "mean" else g
    rows = ew.where(ew.ne(target, ignore_index), scale, 0.0)
    return ew.where(_label_mask(x, target), p - 1.0, p) * unsqueeze(rows, 1), None


def cross_entropy(
    x: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """``-log softmax(x)[target]``: x logits ``[N, C]``, ``[N, C, ...]`` or ``[C]``; target labels, or probabilities.

    Labels equal to ``ignore_index`` do not count; any other label outside [0, C) makes the loss NaN.

    Raises:
        ShapeError, DTypeError: the target's shape or dtype does not fit the logits.
    """
    if weight is not None:
        raise NotImplementedError("cross_entropy with class weights is not supported; weight a reduction='none' loss")
    if target.dtype.is_floating_point:
        return _soft_cross_entropy(x, target, reduction, label_smoothing)
    rows, labels = _rows("cross_entropy", x, target)
    if reduction in ("mean", "sum") and label_smoothing == 0:
        with no_grad():
            out = _nll(rows - red.logsumexp(rows, 1, keepdim=True), labels, target, reduction, ignore_index)
        record(
            out,
            "cross_entropy",
            _cross_entropy_grad,
            (rows, labels),
            {"reduction": reduction, "ignore_index": ignore_index},
        )
        return out
    logp = log_softmax(rows, 1)
    keep = ew.ne(labels, ignore_index).float()
    hard = _nll(logp, labels, labels, "none", ignore_index)
    each = (hard * (1 - label_smoothing) - red.mean(logp, 1) * label_smoothing) * keep
    if reduction == "none":
        return reshape(each, target.shape)
    return red.sum(each) / red.sum(keep) if reduction == "mean" else _reduced(each, reduction, "cross_entropy")


def _soft_cross_entropy(x: Tensor, target: Tensor, reduction: str, smoothing: float) -> Tensor:
    _same("cross_entropy", x, target)
    dim = 0 if x.ndim == 1 else 1
    if smoothing:
        target = target * (1 - smoothing) + smoothing / x.shape[dim]
    each = -red.sum(log_softmax(x, dim) * target, dim)
    return _reduced(each, reduction, "cross_entropy")
