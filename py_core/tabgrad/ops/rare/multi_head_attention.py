"""Multi-head attention as a function of all its parameters."""

from __future__ import annotations

import math

from tabgrad import dtypes
from tabgrad.errors import ArgumentError, DTypeError, ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops import reduce as red
from tabgrad.ops.activation import dropout, softmax
from tabgrad.ops.creation import zeros
from tabgrad.ops.matmul import linear, matmul
from tabgrad.ops.movement import broadcast_to, permute, reshape, transpose, unsqueeze
from tabgrad.ops.slicing import cat, narrow, pad
from tabgrad.tensor import Tensor

_CALLER = "multi_head_attention_forward"


@public(top=False, functional=True)
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """What :class:`tabgrad.nn.MultiheadAttention` computes, of inputs ``[L, N, E]`` or ``[L, E]``.

    Args:
        embed_dim_to_check: E.
        bias_k, bias_v: ``[1, 1, E]``: one key and value more.
        add_zero_attn: whether a key and value of zeros are added.
        static_k, static_v: ``[N * heads, S, E / heads]``: in place of the projected key and value.

    Returns:
        ``[L, N, E]``, and the weights ``[N, L, S]`` (``[N, heads, L, S]`` if not averaged) or None.
    """
    single = query.ndim == 2
    if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
        shapes = [list(t.shape) for t in (query, key, value)]
        raise ShapeError(f"{_CALLER}: expected query, key and value of 2 or 3 dimensions each, got {shapes}")
    if query.shape[-1] != embed_dim_to_check or embed_dim_to_check % num_heads:
        raise ShapeError(
            f"{_CALLER}: expected {embed_dim_to_check} features, a multiple of {num_heads} heads, got "
            f"{list(query.shape)}"
        )
    if is_causal and attn_mask is None:
        raise ArgumentError(f"{_CALLER}: expected attn_mask with is_causal=True, of which it says the kind, got None")
    if single:
        query, key, value = (unsqueeze(t, 1) for t in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else unsqueeze(key_padding_mask, 0)
    length, batch, width = query.shape
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
    else:
        assert in_proj_weight is not None
        weights = tuple(narrow(in_proj_weight, 0, n * width, width) for n in range(3))  # type: ignore[assignment]
    projected = []
    for n, (t, w) in enumerate(zip((query, key, value), weights, strict=True)):
        if w is None:
            raise ArgumentError(f"{_CALLER}: expected q_proj_weight, k_proj_weight and v_proj_weight, got None")
        projected.append(linear(t, w, None if in_proj_bias is None else narrow(in_proj_bias, 0, n * width, width)))
    q, k, v = projected  # (L or S, N, E)
    if bias_k is not None and bias_v is not None:
        k, v = (cat([t, broadcast_to(b, (1, batch, width))]) for t, b in ((k, bias_k), (v, bias_v)))
    size = width // num_heads

    def heads(t: Tensor) -> Tensor:
        return permute(reshape(t, (t.shape[0], batch, num_heads, size)), (1, 2, 0, 3))  # (N, heads, L or S, E / heads)

    given = [heads(k), heads(v)]
    for n, static in enumerate((static_k, static_v)):
        if static is not None:
            given[n] = reshape(static, (batch, num_heads, *static.shape[1:]))
    if add_zero_attn:
        none = zeros(batch, num_heads, 1, size, dtype=q.dtype)
        given = [cat([t, none], 2) for t in given]
    keys = given[0].shape[2]
    scores = matmul(heads(q), transpose(given[0], 2, 3)) * (1 / math.sqrt(size))  # (N, heads, L, S)
    for mask in _masks(attn_mask, key_padding_mask, (batch, num_heads, length, keys)):
        scores = ew.where(mask, float("-inf"), scores) if mask.dtype is dtypes.bool_ else scores + mask
    found = softmax(scores, -1)
    if dropout_p and training:
        found = dropout(found, dropout_p, True)
    out = reshape(permute(matmul(found, given[1]), (2, 0, 1, 3)), (length, batch, width))
    out = linear(out, out_proj_weight, out_proj_bias)
    out = reshape(out, (length, width)) if single else out
    if not need_weights:
        return out, None
    found = red.mean(found, 1) if average_attn_weights else found
    return out, reshape(found, found.shape[1:]) if single else found


def _masks(attn_mask: Tensor | None, key_padding_mask: Tensor | None, shape: tuple[int, int, int, int]) -> list[Tensor]:
    """Both, to ``[N, heads, L, S]``; keys that were added take part."""
    batch, heads, length, keys = shape
    found = []
    for name, mask in (("attn_mask", attn_mask), ("key_padding_mask", key_padding_mask)):
        if mask is None:
            continue
        if mask.dtype is not dtypes.bool_ and not mask.dtype.is_floating_point:
            raise DTypeError(f"{_CALLER}: expected {name} of bool or a floating-point dtype, got {mask.dtype.name}")
        missing = keys - mask.shape[-1]
        if missing:
            wide = mask.int() if mask.dtype is dtypes.bool_ else mask
            wide = pad(wide, [0, missing])
            mask = ew.ne(wide, 0) if mask.dtype is dtypes.bool_ else wide
        if name == "key_padding_mask" and mask.shape == (batch, keys):
            found.append(reshape(mask, (batch, 1, 1, keys)))
        elif name == "attn_mask" and mask.shape == (length, keys):
            found.append(reshape(mask, (1, 1, length, keys)))
        elif name == "attn_mask" and mask.shape == (batch * heads, length, keys):
            found.append(reshape(mask, shape))
        else:
            raise ShapeError(
                f"{_CALLER}: expected {name} that fits {batch} batches, {heads} heads, {length} queries and {keys} "
                f"keys, got {list(mask.shape)}"
            )
    return found


__all__ = ["multi_head_attention_forward"]
