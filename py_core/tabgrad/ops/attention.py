"""Scaled dot product attention and its gradients, without a matrix of scores in memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.autograd import apply, is_grad_enabled, no_grad, record
from tabgrad.errors import DTypeError, ShapeError, TabgradError
from tabgrad.graph.op import Attrs, Heavy, Op, Shape, first_dtype, register
from tabgrad.names import public
from tabgrad.ops import attention_composed as composed
from tabgrad.ops._broadcast import broadcast_shapes
from tabgrad.ops.movement import broadcast_to, reshape
from tabgrad.ops.random_tensors import fresh_draw, torch_draws
from tabgrad.ops.slicing import narrow
from tabgrad.random import threefry2x32
from tabgrad.tensor import Tensor

_LOWEST, _NO_KEYS = np.float32(-3.4028234e38), np.float32(3.4028234e38)  # the latter in place of a log-sum-exp of -inf


class _Weights:
    """Softmax of the scores as the kernels define it: q [B, L, E], k [B, S, E] -> [B, L, S]."""

    def __init__(self, attrs: Attrs, q: np.ndarray, k: np.ndarray, extra: tuple[np.ndarray, ...]) -> None:
        self.scale = np.float32(attrs["scale"])
        s = np.matmul(q, k.transpose(0, 2, 1)) * self.scale
        if attrs["causal"]:
            s = np.where(np.tri(s.shape[1], s.shape[2], dtype=np.bool_), s, np.float32(-np.inf))
        if attrs["mask"]:
            s = np.where(extra[0], s, np.float32(-np.inf)) if extra[0].dtype == np.bool_ else s + extra[0]
        self.scores = s
        self.factor = np.ones((), np.float32)  # of each weight, by dropout
        if attrs["dropout"]:
            draw, seed = extra[-2:]
            # the compiler may ask for a part of the batches, whose numbers are those that they have among all
            first = np.uint32(attrs.get("first_batch", 0) * s[0].size)
            bits = threefry2x32(seed, np.arange(s.size, dtype=np.uint32).reshape(s.shape) + first, draw)
            kept = (bits >> np.uint32(8)).astype(np.float32) * np.float32(2**-24) >= np.float32(attrs["dropout"])
            self.factor = kept * np.float32(1 / (1 - attrs["dropout"]))


def _flat(*parts: np.ndarray) -> np.ndarray:
    return np.concatenate([p.ravel() for p in parts], dtype=np.float32)


def _reference(attrs: Attrs, q: np.ndarray, k: np.ndarray, v: np.ndarray, *extra: np.ndarray) -> np.ndarray:
    w = _Weights(attrs, q, k, extra)
    top = w.scores.max(-1, keepdims=True, initial=_LOWEST)
    p = np.exp(w.scores - top)
    total = p.sum(-1, keepdims=True)
    none = total == 0
    out = np.matmul(p * w.factor, v) / np.where(none, np.float32(1), total)
    return _flat(out, np.where(none, _NO_KEYS, top + np.log(total)))


def _grad_query_reference(
    attrs: Attrs, q: np.ndarray, k: np.ndarray, v: np.ndarray, g: np.ndarray, out: np.ndarray, lse: np.ndarray,
    *extra: np.ndarray,
) -> np.ndarray:  # fmt: skip
    w = _Weights(attrs, q, k, extra)
    delta = (g * out).sum(-1)
    part = np.matmul(g, v.transpose(0, 2, 1)) * w.factor
    ds = np.exp(w.scores - lse[..., None]) * (part - delta[..., None]) * w.scale
    return _flat(np.matmul(ds, k), delta)


def _grad_key_value_reference(
    attrs: Attrs, q: np.ndarray, k: np.ndarray, v: np.ndarray, g: np.ndarray, lse: np.ndarray, delta: np.ndarray,
    *extra: np.ndarray,
) -> np.ndarray:  # fmt: skip
    w = _Weights(attrs, q, k, extra)
    p = np.exp(w.scores - lse[..., None])
    part = np.matmul(g, v.transpose(0, 2, 1)) * w.factor
    ds = p * (part - delta[..., None]) * w.scale
    return _flat(np.matmul(ds.transpose(0, 2, 1), q), np.matmul((p * w.factor).transpose(0, 2, 1), g))


def _rule(attrs: Attrs, q: Shape, k: Shape, v: Shape, *_: Shape) -> Shape:
    assert len(q) == len(k) == len(v) == 3 and q[0] == k[0] == v[0] and q[2] == k[2] and k[1] == v[1], (q, k, v)
    return (q[0] * q[1] * (v[2] + 1),)


class Pass(Enum):
    """What of attention is computed."""

    FORWARD = "forward"
    GRAD_QUERY = "grad_query"
    GRAD_KEY_VALUE = "grad_key_value"


@dataclass(frozen=True, kw_only=True)
class Attention(Heavy):
    """Attention or one of its gradients: two tensors, one after the other in a flat result."""

    computes: Pass
    arguments: tuple[str, ...]  # by name, before the mask, draw and seed that attrs speak of
    products: tuple[int, int]  # how many there are along the widths E and Ev

    @property
    def rereads(self) -> int:
        return len(self.arguments)

    def label(self, title: str, attrs: Attrs, out: Shape, *args: Shape) -> str:
        q, k = (list(shape) for shape in args[:2])
        return f"{title} {q} x {k}" + (" causal" if attrs["causal"] else "")

    def sections(self, q: Shape, k: Shape, v: Shape) -> tuple[int, int]:
        """Elements of the two tensors in the result, for each batch."""
        if self.computes is Pass.FORWARD:
            return q[1] * v[2], q[1]
        return (q[1] * q[2], q[1]) if self.computes is Pass.GRAD_QUERY else (k[1] * q[2], k[1] * v[2])


def _lowering(computes: Pass, arguments: tuple[str, ...], products: tuple[int, int]) -> Attention:
    def flops(attrs: Attrs, out: Shape, q: Shape, k: Shape, v: Shape, *_: Shape) -> int:
        """Two operations for each product of a query's element and a key's or value's that takes part."""
        (batch, queries, width), keys, value_width = q, k[1], v[2]
        full = min(queries, keys)  # under causality, query i meets min(i + 1, keys) keys
        pairs = full * (full + 1) // 2 + (queries - full) * keys if attrs["causal"] else queries * keys
        by_width, by_value_width = products
        return 2 * batch * pairs * (by_width * width + by_value_width * value_width)

    def terms(attrs: Attrs, out: Shape, *args: Shape) -> int:
        """Along keys or queries, after sums along the head."""
        return max(sum(shape[-2:]) for shape in args)

    return Attention(computes=computes, arguments=arguments, products=products, flops=flops, terms=terms)


# Never recorded: scaled_dot_product_attention() records the slice of the result that is the output.
_FORWARD = register(
    Op(
        name="attention",
        lowering=_lowering(Pass.FORWARD, ("q", "k", "v"), (1, 1)),
        shape_rule=_rule,
        dtype_rule=first_dtype,
        reference=_reference,
        grad=None,
    )
)
_GRAD_QUERY = register(
    Op(
        name="attention_grad_query",
        lowering=_lowering(Pass.GRAD_QUERY, ("q", "k", "v", "g", "out", "lse"), (2, 1)),
        shape_rule=lambda attrs, q, k, v, *_: (q[0] * q[1] * (q[2] + 1),),
        dtype_rule=first_dtype,
        reference=_grad_query_reference,
        grad=None,
    )
)
_GRAD_KEY_VALUE = register(
    Op(
        name="attention_grad_key_value",
        lowering=_lowering(Pass.GRAD_KEY_VALUE, ("q", "k", "v", "g", "lse", "delta"), (2, 2)),
        shape_rule=lambda attrs, q, k, v, *_: (k[0] * k[1] * (k[2] + v[2]),),
        dtype_rule=first_dtype,
        reference=_grad_key_value_reference,
        grad=None,
    )
)


def _part(flat: Tensor, start: int, shape: Shape) -> Tensor:
    return reshape(narrow(flat, 0, start, math.prod(shape)), shape)


def _grad(
    g: Tensor, _: Tensor, q: Tensor, k: Tensor, v: Tensor, *extra: Tensor, flat: Tensor, **attrs: Any
) -> tuple[Any, ...]:
    nothing = (None,) * len(extra)
    if is_grad_enabled():  # create_graph: in ops that can be differentiated again
        return (*composed.gradients(g, q, k, v, extra, attrs), *nothing)
    rows = q.shape[:2]
    out, lse = _part(flat, 0, g.shape), _part(flat, g.numel(), rows)
    by_query = apply(_GRAD_QUERY, q, k, v, g, out, lse, *extra, **attrs)
    delta = _part(by_query, q.numel(), rows)
    by_others = apply(_GRAD_KEY_VALUE, q, k, v, g, lse, delta, *extra, **attrs)
    return (_part(by_query, 0, q.shape), _part(by_others, 0, k.shape), _part(by_others, k.numel(), v.shape), *nothing)


def _check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool) -> None:
    caller = "scaled_dot_product_attention"
    tensors = (query, key, value)
    if len({t.dtype for t in tensors}) > 1 or not tensors[0].dtype.is_floating_point:
        got = ", ".join(t.dtype.name for t in tensors)
        raise DTypeError(f"{caller}: expected tensors of one floating-point dtype, got {got}; use .float()")
    shapes = ", ".join(str(list(t.shape)) for t in tensors)
    if any(t.ndim < 2 for t in tensors):
        raise ShapeError(f"{caller}: expected [..., L, E], [..., S, E] and [..., S, Ev], got {shapes}")
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2] or query.shape[-1] == 0:
        raise ShapeError(
            f"{caller}: expected query [..., L, E], key [..., S, E] and value [..., S, Ev] with one E >= 1 and one S, "
            f"got {shapes}"
        )
    if not 0 <= dropout_p <= 1:
        raise TabgradError(f"{caller}: expected dropout_p in [0, 1], got {dropout_p}")
    if mask is None:
        return
    if is_causal:
        raise TabgradError(
            f"{caller}: expected attn_mask=None with is_causal=True, got both; put the causality into the mask"
        )
    if mask.dtype is not dtypes.bool_ and not mask.dtype.is_floating_point:
        raise DTypeError(f"{caller}: expected a bool or float32 attn_mask, got {mask.dtype.name}; use .bool()")


def _repeated(query: Tensor, x: Tensor) -> Tensor:
    """Heads that serve several of the query's, repeated one by one."""
    if query.ndim < 3 or x.ndim < 3 or x.shape[-3] == 0 or query.shape[-3] % x.shape[-3]:
        raise ShapeError(
            f"scaled_dot_product_attention: expected a number of the query's heads that is a multiple of the key's and "
            f"the value's, got {list(query.shape)} and {list(x.shape)}"
        )
    *batch, heads, length, width = x.shape
    times = query.shape[-3] // heads
    wide = broadcast_to(reshape(x, (*batch, heads, 1, length, width)), (*batch, heads, times, length, width))
    return reshape(wide, (*batch, heads * times, length, width))


@public(functional=True)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """``softmax(query keyᵀ scale + mask) value``, without a matrix of scores in memory, forward or backward.

    Second derivatives, and gradients of a mask, are computed from products that do store it. Rows of more than
    256 elements (``E`` or ``Ev``) are computed by slower kernels.

    Args:
        query: ``[..., L, E]``, float32; leading dimensions of all three broadcast.
        key: ``[..., S, E]``.
        value: ``[..., S, Ev]``.
        attn_mask: bool (True takes part) or float32 (added to the scores), broadcastable to ``[..., L, S]``.
        dropout_p: probability with which a weight becomes 0; not tied to any module's ``training``.
        is_causal: query ``i`` meets the keys ``0..i`` only; not together with ``attn_mask``.
        scale: default ``1 / sqrt(E)``.
        enable_gqa: whether key and value have fewer heads (the third dimension from the end), each of which serves
            several of the query's.

    Returns:
        ``[..., L, Ev]``; 0 in rows that no key takes part in.

    Raises:
        ShapeError: shapes do not fit.

    Source: Vaswani et al. 2017, https://arxiv.org/abs/1706.03762; Dao 2023, https://arxiv.org/abs/2307.08691
    """
    _check(query, key, value, attn_mask, dropout_p, is_causal)
    if enable_gqa:
        key, value = _repeated(query, key), _repeated(query, value)
    caller = "scaled_dot_product_attention"
    batch = broadcast_shapes(*(t.shape[:-2] for t in (query, key, value)), caller=caller)
    count = math.prod(batch)
    queries, keys = query.shape[-2], key.shape[-2]
    q, k, v = (
        reshape(broadcast_to(t, (*batch, *t.shape[-2:])), (count, *t.shape[-2:])) for t in (query, key, value)
    )  # (B, L, E), (B, S, E), (B, S, Ev)
    extra: list[Tensor] = []
    if attn_mask is not None:
        shape = (*batch, queries, keys)
        if broadcast_shapes(attn_mask.shape, shape, caller=caller) != shape:
            raise ShapeError(f"{caller}: expected attn_mask to broadcast to {list(shape)}, got {list(attn_mask.shape)}")
        extra.append(reshape(broadcast_to(attn_mask, shape), (count, queries, keys)))
    torch = torch_draws(None) if 0 < dropout_p < 1 else None
    if 0 < dropout_p < 1:
        extra.extend(fresh_draw() if torch is None else (torch.factor((count, queries, keys), q.dtype, dropout_p),))
    attrs: dict[str, Any] = {
        "scale": 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale),
        "causal": bool(is_causal),
        "mask": attn_mask is not None,
        "dropout": float(dropout_p) if dropout_p < 1 else 0.0,
    }
    if torch is not None:
        return reshape(composed.attention(q, k, v, extra, {**attrs, "drawn": True}), (*batch, queries, v.shape[2]))
    needs_weights = attn_mask is not None and attn_mask.requires_grad and is_grad_enabled()
    if needs_weights or query.dtype is dtypes.float64:
        out = composed.attention(q, k, v, extra, attrs)
    else:
        with no_grad():
            flat = apply(_FORWARD, q, k, v, *extra, **attrs)
            out = _part(flat, 0, (count, queries, v.shape[2]))
        record(out, caller, _grad, (q, k, v, *extra), {"flat": flat, **attrs})
    if dropout_p == 1:
        out = out * 0.0
    return reshape(out, (*batch, queries, v.shape[2]))
