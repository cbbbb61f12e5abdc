"""Embeddings that are summed, and tables whose vectors are limited."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad, record
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.creation import ones
from tabgrad.ops.indexing import embedding, index_select, rows_added
from tabgrad.ops.movement import broadcast_to, reshape, unsqueeze
from tabgrad.ops.slicing import narrow
from tabgrad.tensor import Tensor


@public(traced=False)
def embedding_renorm_(weight: Tensor, indices: Tensor, max_norm: float, norm_type: float = 2.0) -> Tensor:
    """Scale those rows of ``weight`` in place that ``indices`` name and whose norm is above ``max_norm``."""
    with no_grad():
        size = ew.abs(weight)
        norms = red.amax(size, 1) if norm_type == float("inf") else red.sum(size**norm_type, 1) ** (1 / norm_type)
        flat = reshape(indices, (indices.numel(),))
        used = rows_added(ones(flat.shape[0]), flat, 0, weight.shape[0])
        scale = ew.where(ew.logical_and(ew.gt(used, 0), ew.gt(norms, max_norm)), max_norm / (norms + 1e-7), 1.0)
        weight.mul_(unsqueeze(scale, 1))
    return weight


def _divided(g: Tensor, out: Tensor, rows: Tensor, counts: Tensor) -> tuple[Any, ...]:
    return g / counts, None


def by_frequency(rows: Tensor, indices: Tensor, size: int) -> Tensor:
    """``rows`` ``[..., D]`` that ``indices`` named in a table, with gradients divided by how often each was named."""
    flat = reshape(indices, (indices.numel(),))
    with no_grad():
        often = index_select(rows_added(ones(flat.shape[0]), flat, 0, size), 0, flat)
        counts = reshape(often, (*indices.shape, 1))
        out = Tensor._from_node(rows._node, rows._session)
    record(out, "embedding_by_frequency", _divided, (rows, counts), {})
    return out


@public(functional=True, traced=False)
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or largest elements of bags of a table's rows: ``[B, D]``.

    Args:
        input: integers ``[B, N]``, or ``[n]`` with ``offsets``.
        weight: ``[V, D]``.
        offsets: ``[B]``, where each bag begins; with ``include_last_offset`` also where the last one ends.
        mode: ``"sum"``, ``"mean"`` or ``"max"``; an empty bag gives 0.
        per_sample_weights: of the shape of ``input``: factors of the rows; with ``"sum"`` only.
        padding_idx: a number whose row does not count.

    Raises:
        NotImplementedError: ``sparse``.
    """
    caller = "embedding_bag"
    if sparse:
        raise NotImplementedError(f"{caller} with sparse=True is not supported; gradients are dense: leave it out")
    if mode not in ("sum", "mean", "max"):
        raise ArgumentError(f"{caller}: expected mode 'sum', 'mean' or 'max', got {mode!r}")
    if per_sample_weights is not None and (mode != "sum" or per_sample_weights.shape != input.shape):
        raise ArgumentError(
            f"{caller}: expected per_sample_weights with mode='sum' and of shape {list(input.shape)}, got "
            f"{list(per_sample_weights.shape)} with mode={mode!r}"
        )
    if input.dtype is not dtypes.int32:
        raise DTypeError(f"{caller}: expected integer indices, got {input.dtype.name}")
    if (input.ndim == 2) is not (offsets is None) or input.ndim not in (1, 2):
        raise ShapeError(f"{caller}: expected input [B, N] without offsets, or [n] with them, got {list(input.shape)}")
    if max_norm is not None:
        embedding_renorm_(weight, input, max_norm, norm_type)
    rows = embedding(input, weight, padding_idx)  # (..., D)
    if scale_grad_by_freq:
        rows = by_frequency(rows, input, weight.shape[0])
    if per_sample_weights is not None:
        rows = rows * unsqueeze(per_sample_weights, -1)
    counts = ew.ne(input, input - 1)  # all
    if padding_idx is not None:
        counts = ew.ne(input, padding_idx % weight.shape[0])
    rows = ew.where(unsqueeze(counts, -1), rows, float("-inf") if mode == "max" else 0.0)
    if offsets is None:
        number = red.sum(counts.float(), 1, True)
        found = red.amax(rows, 1) if mode == "max" else red.sum(rows, 1)
    else:
        bags = offsets.shape[0] - include_last_offset
        starts = narrow(offsets, 0, 0, bags).to(dtypes.int32)
        wide = (input.shape[0], bags)
        begun = ew.ge(ew.iota(wide, 0), broadcast_to(reshape(starts, (1, bags)), wide))
        bag = red.sum(begun.int(), 1) - 1  # of each row
        number = unsqueeze(rows_added(counts.float(), bag, 0, bags), 1)
        if mode == "max":
            member = ew.eq(ew.iota((bags, input.shape[0]), 0), reshape(bag, (1, -1)))
            found = red.amax(ew.where(unsqueeze(member, 2), unsqueeze(rows, 0), float("-inf")), 1)
        else:
            found = rows_added(rows, bag, 0, bags)
    if mode == "max":
        return ew.where(ew.gt(number, 0), found, 0.0)
    return found / ew.maximum(number, 1.0) if mode == "mean" else found


__all__ = ["by_frequency", "embedding_bag", "embedding_renorm_"]
