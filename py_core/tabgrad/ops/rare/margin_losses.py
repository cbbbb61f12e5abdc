"""Losses that ask for a margin between scores."""

from __future__ import annotations

from collections.abc import Callable

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.indexing import gather, index_select
from tabgrad.ops.loss_reduction import chosen_reduction, reduced, same_shape
from tabgrad.ops.movement import broadcast_to, reshape, unsqueeze
from tabgrad.ops.rare.distances import pairwise_distance
from tabgrad.ops.scan import cumsum
from tabgrad.tensor import Tensor


@public(functional=True)
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``input`` where the target is 1, ``max(0, margin - input)`` where it is -1."""
    reduction = chosen_reduction("hinge_embedding_loss", reduction, size_average, reduce)
    apart = ew.where(ew.eq(target, 1), 0.0, _positive(margin - input))
    together = ew.where(ew.eq(target, -1), 0.0, input)
    return reduced(apart + together, reduction)


def _positive(x: Tensor) -> Tensor:
    """``max(0, x)`` with PyTorch's gradient of ``clamp_min``, 1 at 0."""
    return ew.where(ew.ge(x, 0), x, ew.where(ew.lt(x, 0), 0.0, x))


@public(functional=True)
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``1 - cos`` of the rows where the target is 1, ``max(0, cos - margin)`` where it is -1.

    Args:
        input1, input2: ``[N, D]`` or ``[D]``.
        target: ``[N]`` or ``[]``.
    """
    caller = "cosine_embedding_loss"
    reduction = chosen_reduction(caller, reduction, size_average, reduce)
    if target.ndim not in (0, 1) or input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        shapes = [list(t.shape) for t in (input1, input2, target)]
        raise ShapeError(f"{caller}: expected inputs [N, D] and target [N], or [D] and [], got {shapes}")
    product = red.sum(input1 * input2, -1)
    squares = (red.sum(input1 * input1, -1) + 1e-12) * (red.sum(input2 * input2, -1) + 1e-12)
    cosine = product / ew.sqrt(squares)
    near = ew.where(ew.eq(target, 1), 1 - cosine, 0.0)
    return reduced(near + ew.where(ew.eq(target, -1), _positive(cosine - margin), 0.0), reduction)


@public(functional=True)
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, -target (input1 - input2) + margin)``: target 1 asks for a larger first input, -1 for a smaller one."""
    reduction = chosen_reduction("margin_ranking_loss", reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        shapes = [list(t.shape) for t in (input1, input2, target)]
        raise ShapeError(f"margin_ranking_loss: expected tensors of as many dimensions each, got {shapes}")
    return reduced(_positive(-target * (input1 - input2) + margin), reduction)


def _batch(caller: str, x: Tensor) -> Tensor:
    if x.ndim > 2:
        raise ShapeError(f"{caller}: expected input [N, C] or [C], got {list(x.shape)}")
    if not x.numel() and not (x.ndim == 2 and x.shape[1]):
        raise ShapeError(f"{caller}: expected at least one class, got {list(x.shape)}")
    return x if x.ndim == 2 else reshape(x, (1, -1))


@public(top=False, functional=True)
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``Σ max(0, weight[t] (margin - input[t] + input[i]))**p / C`` over the classes ``i`` other than the label ``t``.

    Args:
        input: scores ``[N, C]`` or ``[C]``.
        target: labels ``[N]`` or ``[]``.
        p: 1 or 2.
        weight: ``[C]``, of the classes; outside the power.
    """
    caller = "multi_margin_loss"
    reduction = chosen_reduction(caller, reduction, size_average, reduce)
    if p not in (1, 2):
        raise ArgumentError(f"{caller}: expected p 1 or 2, got {p}")
    rows = _batch(caller, input)
    if target.dtype is not dtypes.int64:
        raise DTypeError(f"{caller}: expected labels of int64, got {target.dtype.name}; use target.long()")
    labels = reshape(target, -1)
    if labels.shape != rows.shape[:1]:
        raise ShapeError(f"{caller}: expected labels [{rows.shape[0]}], got {list(target.shape)}")
    classes = rows.shape[1]
    if weight is not None and weight.shape != (classes,):
        raise ShapeError(f"{caller}: expected weight [{classes}], one per class, got {list(weight.shape)}")
    column = unsqueeze(labels, 1)
    gap = margin - gather(rows, 1, column) + rows
    active = ew.logical_and(ew.gt(gap, 0), ew.ne(ew.iota(rows.shape, 1), broadcast_to(column, rows.shape)))
    each = ew.where(active, gap if p == 1 else gap * gap, 0.0)
    if weight is not None:
        each = each * unsqueeze(index_select(weight, 0, labels), 1)
    found = red.sum(each, 1) / classes
    return reduced(found if input.ndim == 2 else reshape(found, ()), reduction)


@public(top=False, functional=True)
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``Σ max(0, 1 - input[t] + input[i]) / C`` over the labels ``t`` and the classes ``i`` that are no labels.

    Args:
        input: scores ``[N, C]`` or ``[C]``.
        target: of the same shape: labels, of which those before the first -1 count.
    """
    caller = "multilabel_margin_loss"
    reduction = chosen_reduction(caller, reduction, size_average, reduce)
    same_shape(caller, input, target)
    rows, labels = _batch(caller, input), _batch(caller, target).to(dtypes.int32)
    n, classes = rows.shape
    counts = ew.eq(cumsum(ew.lt(labels, 0).int(), 1), 0)  # before the first -1
    safe = ew.where(counts, labels, 0)
    wide = (n, classes, classes)  # label's place, class
    named = ew.logical_and(
        ew.eq(ew.iota(wide, 2), broadcast_to(unsqueeze(safe, 2), wide)), broadcast_to(unsqueeze(counts, 2), wide)
    )
    is_label = ew.gt(red.sum(named.int(), 1), 0)  # (N, C)
    gap = 1 - unsqueeze(gather(rows, 1, safe), 2) + unsqueeze(rows, 1)
    active = ew.logical_and(broadcast_to(unsqueeze(counts, 2), wide), ew.logical_not(unsqueeze(is_label, 1)))
    each = ew.where(ew.logical_and(active, ew.gt(gap, 0)), gap, 0.0)
    found = red.sum(each, (1, 2)) / classes
    return reduced(found if input.ndim == 2 else reshape(found, ()), reduction)


@public(top=False, functional=True)
def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Mean over the last dimension of ``-target log sigmoid(input) - (1 - target) log sigmoid(-input)``.

    Args:
        weight: of the classes.
    """
    reduction = chosen_reduction("multilabel_soft_margin_loss", reduction, size_average, reduce)
    same_shape("multilabel_soft_margin_loss", input, target)
    each = ew.maximum(input, 0.0) - input * target + ew.log1p(ew.exp(-ew.abs(input)))
    return reduced(red.mean(each if weight is None else each * weight, -1), reduction)


@public(top=False, functional=True)
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``log(1 + exp(-target input))``, reduced; targets are 1 and -1."""
    reduction = chosen_reduction("soft_margin_loss", reduction, size_average, reduce)
    same_shape("soft_margin_loss", input, target)
    z = -target * input
    return reduced(ew.maximum(z, 0.0) + ew.log1p(ew.exp(-ew.abs(z))), reduction)


@public(functional=True)
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` with distances of p-norms of rows.

    Args:
        eps: added to differences.
        swap: whether the distance from positive to negative counts where it is smaller than that from the anchor.

    Source: Balntas et al. 2016, http://www.bmva.org/bmvc/2016/papers/paper119/index.html
    """
    reduction = chosen_reduction("triplet_margin_loss", reduction, size_average, reduce)

    def distance(a: Tensor, b: Tensor) -> Tensor:
        return pairwise_distance(a, b, p, eps)

    return _triplet("triplet_margin_loss", anchor, positive, negative, distance, margin, swap, reduction)


@public(top=False, functional=True, traced=False)
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """As :func:`triplet_margin_loss`, with distances of a function of two tensors; by default of rows."""
    caller = "triplet_margin_with_distance_loss"
    reduction = chosen_reduction(caller, reduction, None, None)
    return _triplet(caller, anchor, positive, negative, distance_function or pairwise_distance, margin, swap, reduction)


def _triplet(
    caller: str,
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance: Callable[[Tensor, Tensor], Tensor],
    margin: float,
    swap: bool,
    reduction: str,
) -> Tensor:
    if margin <= 0:
        raise ArgumentError(f"{caller}: expected margin > 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        shapes = [list(t.shape) for t in (anchor, positive, negative)]
        raise ShapeError(f"{caller}: expected three tensors of as many dimensions, got {shapes}")
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = ew.minimum(far, distance(positive, negative))
    return reduced(_positive(near - far + margin), reduction)


__all__ = [
    "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "soft_margin_loss", "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]  # fmt: skip
