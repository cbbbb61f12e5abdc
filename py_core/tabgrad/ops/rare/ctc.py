"""Connectionist temporal classification."""

from __future__ import annotations

import math
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.creation import full, tensor
from tabgrad.ops.indexing import gather, index_select
from tabgrad.ops.loss_reduction import chosen_reduction, reduced
from tabgrad.ops.movement import broadcast_to, reshape, unsqueeze
from tabgrad.ops.scan import cumsum
from tabgrad.ops.slicing import narrow, pad, stack
from tabgrad.tensor import Tensor

_NEVER = -1e30  # the logarithm of 0, finite so that gradients are


def _lengths(value: Any, name: str, batch: int) -> tuple[Tensor, int | None]:
    """As a tensor ``[N]``, and the largest where it is known on the host."""
    if isinstance(value, Tensor):
        if value.dtype.is_floating_point:
            raise DTypeError(f"ctc_loss: expected {name} as integers, got {value.dtype.name}")
        found, values = reshape(value, -1).to(dtypes.int32), value._node.host_elements()
        most = None if values is None or not values.size else int(values.max())
    else:
        numbers = [int(n) for n in (value if isinstance(value, tuple | list) else [value])]
        found, most = tensor(numbers, dtype=dtypes.int32), max(numbers, default=0)
    if found.shape != (batch,):
        raise ShapeError(f"ctc_loss: expected {name} [{batch}], one for each sequence, got {list(found.shape)}")
    return found, most


def _added(terms: list[Tensor]) -> Tensor:
    """``log Σ exp``, of numbers that may all be :data:`_NEVER`."""
    with no_grad():
        top = terms[0]
        for term in terms[1:]:
            top = ew.maximum(top, term)
    total = ew.exp(terms[0] - top)
    for term in terms[1:]:
        total = total + ew.exp(term - top)
    return ew.log(total) + top


@public(functional=True, traced=False)
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Minus the logarithm of the probability that sequences are labelled so, at any alignment.

    The gradient is that of ``log_probs`` that come from ``log_softmax``, as PyTorch's.

    Args:
        log_probs: ``[T, N, C]`` or ``[T, C]``.
        targets: labels other than ``blank``: ``[N, S]``, or one after the other in one dimension.
        input_lengths, target_lengths: ``[N]``, as a tensor or numbers.
        blank: the class of no label.
        reduction: ``"mean"`` divides each loss by the target's length first.
        zero_infinity: whether a target that is too long for its input counts as 0, rather than infinity.

    Raises:
        ShapeError: shapes do not fit.

    Source: Graves et al. 2006, https://doi.org/10.1145/1143844.1143891
    """
    reduction = chosen_reduction("ctc_loss", reduction, None, None)
    if log_probs.ndim not in (2, 3):
        raise ShapeError(f"ctc_loss: expected log_probs [T, N, C] or [T, C], got {list(log_probs.shape)}")
    if targets.dtype.is_floating_point:
        raise DTypeError(f"ctc_loss: expected targets as integers, got {targets.dtype.name}")
    rows = log_probs if log_probs.ndim == 3 else unsqueeze(log_probs, 1)
    steps, batch, classes = rows.shape
    if not 0 <= blank < classes:
        raise ArgumentError(f"ctc_loss: expected blank from 0 to {classes - 1}, got {blank}")
    given, most_steps = _lengths(input_lengths, "input_lengths", batch)
    lengths, longest = _lengths(target_lengths, "target_lengths", batch)
    if most_steps is not None and most_steps > steps:
        raise ArgumentError(f"ctc_loss: expected input_lengths of at most {steps}, got {most_steps}")
    labels = _padded(targets.to(dtypes.int32), lengths, longest, batch, blank)  # (N, S)
    size = 2 * labels.shape[1] + 1
    place = ew.iota((batch, size), 1)
    pairs = reshape(stack([ew.where(ew.eq(labels, labels), blank, labels), labels], 2), (batch, size - 1))
    extended = pad(pairs, [0, 1], value=blank)  # blank, label, blank, ..., label, blank
    inside = ew.le(place, unsqueeze(lengths * 2, 1))
    # a label may follow another one without a blank if they differ
    before = pad(narrow(extended, 1, 0, size - 2), [2, 0], value=blank) if size > 2 else extended
    skips = ew.logical_and(ew.ne(extended, blank), ew.logical_and(ew.ne(extended, before), ew.ge(place, 2)))
    chosen = gather(rows, 2, broadcast_to(unsqueeze(extended, 0), (steps, batch, size)))  # (T, N, 2 S + 1)
    starts = ew.logical_and(ew.le(place, 1), inside)
    alpha = ew.where(starts, chosen[0], _NEVER) if steps else ew.where(starts, 0.0, _NEVER)
    for step in range(1, steps):
        terms = [alpha]
        if size > 1:
            terms.append(pad(narrow(alpha, 1, 0, size - 1), [1, 0], value=_NEVER))
        if size > 2:
            terms.append(ew.where(skips, pad(narrow(alpha, 1, 0, size - 2), [2, 0], value=_NEVER), _NEVER))
        after = ew.maximum(_added(terms) + chosen[step], _NEVER)
        alpha = ew.where(ew.logical_and(inside, ew.gt(unsqueeze(given, 1), step)), after, alpha)
    last = unsqueeze(lengths * 2, 1)
    end = gather(alpha, 1, last)
    label_end = ew.where(ew.gt(last, 0), gather(alpha, 1, ew.maximum(last - 1, 0)), _NEVER)
    found = -reshape(_added([end, label_end]), batch)
    infinite = ew.gt(found, -_NEVER / 2)
    found = ew.where(infinite, 0.0 if zero_infinity else math.inf, found)
    taken = ew.logical_and(ew.gt(reshape(given, (1, batch)), ew.iota((steps, batch), 0)), ew.logical_not(infinite))
    total = red.sum(red.sum(ew.where(unsqueeze(taken, 2), ew.exp(rows), 0.0), 2), 0)  # a constant of normalized inputs
    found = found + (total - total.detach())
    if reduction == "mean":
        return red.mean(found / ew.maximum(lengths, 1).float())
    return reduced(found if log_probs.ndim == 3 else reshape(found, ()), reduction)


def _padded(targets: Tensor, lengths: Tensor, longest: int | None, batch: int, blank: int) -> Tensor:
    """``[N, S]``, with blanks behind each target."""
    if targets.ndim == 2:
        if targets.shape[0] != batch:
            raise ShapeError(f"ctc_loss: expected targets [{batch}, S], got {list(targets.shape)}")
        found = targets
    elif targets.ndim == 1:
        size = targets.shape[0] if longest is None else longest
        shape = (batch, size)
        first = unsqueeze(cumsum(lengths, 0) - lengths, 1)
        if targets.shape[0] == 0 or size == 0:
            return full(shape, blank, dtype=dtypes.int32)
        index = ew.minimum(first + ew.iota(shape, 1), targets.shape[0] - 1)
        found = reshape(index_select(targets, 0, reshape(index, -1)), shape)
    else:
        raise ShapeError(f"ctc_loss: expected targets [N, S] or one dimension, got {list(targets.shape)}")
    return ew.where(ew.lt(ew.iota(found.shape, 1), unsqueeze(lengths, 1)), found, blank)


__all__ = ["ctc_loss"]
