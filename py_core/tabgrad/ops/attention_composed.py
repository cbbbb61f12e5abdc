"""Attention composed of products and elementwise ops, which stores its weights: for what the fused op lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad import dtypes
from tabgrad.autograd import no_grad
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import transpose
from tabgrad.ops.random_tensors import uniform_of
from tabgrad.tensor import Tensor


def weights(q: Tensor, k: Tensor, extra: Sequence[Tensor], attrs: dict[str, Any]) -> Tensor:
    """``softmax(scale q kᵀ + mask)`` before dropout, ``[B, L, S]``; 0 in rows that no key takes part in.

    Args:
        q: ``[B, L, E]``.
        k: ``[B, S, E]``.
        extra: the mask, if ``attrs["mask"]``, then draw and seed, if ``attrs["dropout"]``; or the factors themselves
            if ``attrs["drawn"]``.
    """
    s = matmul(q, transpose(k, 1, 2)) * attrs["scale"]
    if attrs["causal"]:
        s = ew.where(ew.ge(ew.iota(s.shape, 1), ew.iota(s.shape, 2)), s, float("-inf"))
    if attrs["mask"]:
        s = ew.where(extra[0], s, float("-inf")) if extra[0].dtype is dtypes.bool_ else s + extra[0]
    with no_grad():  # the weights do not depend on it
        top = ew.maximum(red.amax(s, -1, keepdim=True), -3.4028234e38) if s.shape[-1] else 0.0
    p = ew.exp(s - top)
    total = red.sum(p, -1, keepdim=True)
    return p / ew.where(ew.eq(total, 0), 1.0, total)


def dropout_factor(shape: tuple[int, ...], extra: Sequence[Tensor], attrs: dict[str, Any]) -> Tensor | None:
    """0 or ``1 / (1 - p)`` for each weight, as the fused op draws it; None without dropout."""
    p = attrs["dropout"]
    if not p:
        return None
    if attrs.get("drawn"):
        return extra[-1]
    return ew.where(ew.ge(uniform_of(shape, *extra[-2:]), p), 1 / (1 - p), 0.0)


def attention(q: Tensor, k: Tensor, v: Tensor, extra: Sequence[Tensor], attrs: dict[str, Any]) -> Tensor:
    """The output ``[B, L, Ev]``; arguments as :func:`weights`."""
    p = weights(q, k, extra, attrs)
    factor = dropout_factor(p.shape, extra, attrs)
    return matmul(p if factor is None else p * factor, v)


def gradients(
    g: Tensor, q: Tensor, k: Tensor, v: Tensor, extra: Sequence[Tensor], attrs: dict[str, Any]
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients by q, k and v for the output's gradient ``g``, in ops that can be differentiated again."""
    p = weights(q, k, extra, attrs)
    factor = dropout_factor(p.shape, extra, attrs)
    part = matmul(g, transpose(v, 1, 2))
    dropped = p
    if factor is not None:
        part, dropped = part * factor, p * factor
    ds = p * (part - red.sum(p * part, -1, keepdim=True)) * attrs["scale"]
    return matmul(ds, k), matmul(transpose(ds, 1, 2), q), matmul(transpose(dropped, 1, 2), g)
