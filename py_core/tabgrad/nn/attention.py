"""Multi-head attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad import dtypes
from tabgrad.checks import whole_number
from tabgrad.dtypes import DType
from tabgrad.errors import AssertedError, ShapeError, TabgradError
from tabgrad.nn import functional as F
from tabgrad.nn import init
from tabgrad.nn.linear import NonDynamicallyQuantizableLinear
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.ops import logical_and, logical_not, where
from tabgrad.tensor import Tensor


class MultiheadAttention(Module):
    """Multi-head attention: ``num_heads`` parallel attentions between linear projections.

    Args:
        embed_dim: features of query and output; a multiple of ``num_heads``.
        dropout: probability of setting an attention weight to 0 in training.
        bias: ``False`` leaves out the biases of all four projections.
        add_bias_kv: whether a trained key and value are added.
        add_zero_attn: whether a key and value of zeros are added.
        kdim, vdim: features of key and value; default ``embed_dim``.
        batch_first: whether inputs are ``[N, L, E]`` rather than ``[L, N, E]``.

    Parameters: ``in_proj_weight [3 embed_dim, embed_dim]`` (with ``kdim`` or ``vdim``: ``q_proj_weight``,
    ``k_proj_weight``, ``v_proj_weight``), ``in_proj_bias [3 embed_dim]``, and those of ``out_proj``.

    Source: Vaswani et al. 2017, https://arxiv.org/abs/1706.03762
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        embed_dim = whole_number(embed_dim, "MultiheadAttention", "embed_dim", 1)
        num_heads = whole_number(num_heads, "MultiheadAttention", "num_heads", 1)
        for width, name in ((kdim, "kdim"), (vdim, "vdim")):
            if width is not None:
                whole_number(width, "MultiheadAttention", name, 1)
        if embed_dim % num_heads:
            raise AssertedError(
                f"MultiheadAttention: expected embed_dim divisible by num_heads, got {embed_dim} and {num_heads}"
            )
        if not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
            raise TabgradError(f"MultiheadAttention: expected a dropout between 0 and 1, got {dropout!r}")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.dropout = dropout
        self.batch_first = batch_first
        together = self.kdim == self.vdim == embed_dim
        for name, rows, width in (
            ("in_proj_weight", 3 * embed_dim if together else 0, embed_dim),
            ("q_proj_weight", 0 if together else embed_dim, embed_dim),
            ("k_proj_weight", 0 if together else embed_dim, self.kdim),
            ("v_proj_weight", 0 if together else embed_dim, self.vdim),
        ):
            self.register_parameter(name, Parameter(np.zeros((rows, width), np.float32)) if rows else None)
        self.register_parameter("in_proj_bias", Parameter(np.zeros(3 * embed_dim, np.float32)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias)
        for name in ("bias_k", "bias_v"):
            made = Parameter(np.zeros((1, 1, embed_dim), np.float32)) if add_bias_kv else None
            self.register_parameter(name, made)
        self.add_zero_attn = add_zero_attn
        self.reset_parameters()
        self._placed(device, dtype)

    def reset_parameters(self) -> None:
        """Set weights to Xavier uniform values and biases to 0, as in PyTorch."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None and self.out_proj.bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for added in (self.bias_k, self.bias_v):
            if added is not None:
                init.xavier_normal_(added)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The output, and the attention weights. ``need_weights=False`` is faster: the matrix of scores is not
        stored.

        Args:
            query: ``[L, N, E]``, or ``[N, L, E]`` with ``batch_first``, or ``[L, E]``.
            key: as ``query``, of length S, with ``kdim`` features.
            value: as ``key``, with ``vdim`` features.
            key_padding_mask: ``[N, S]`` (or ``[S]``); bool (True: ignore the key) or float32, added to the scores.
            attn_mask: ``[L, S]`` or ``[N * num_heads, L, S]``; dtypes as for ``key_padding_mask``.
            average_attn_weights: whether the weights are averaged over the heads.
            is_causal: a hint that ``attn_mask`` is the causal mask, which is then not read.

        Returns:
            ``[L, N, E]`` as ``query``, and ``[N, L, S]`` (``[N, num_heads, L, S]`` if not averaged) or None.
        """
        self._check(query, key, value)
        if is_causal and attn_mask is None:
            raise TabgradError(
                "MultiheadAttention: expected attn_mask with is_causal=True, got None; is_causal only says of what "
                "kind the mask is"
            )
        if self.bias_k is not None or self.add_zero_attn:
            return self._with_more_keys(query, key, value, key_padding_mask, need_weights, attn_mask,
                                        average_attn_weights)  # fmt: skip
        q, k, v = (self._heads(t) for t in self._project(query, key, value))  # (N, heads, L or S, head_dim)
        if is_causal and key_padding_mask is None and not need_weights:
            mask = None
        else:
            is_causal, mask = False, self._mask(q.shape, k.shape[2], attn_mask, key_padding_mask)
        dropout = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            scores = q @ k.transpose(-2, -1) * (1 / math.sqrt(self.head_dim))  # (N, heads, L, S)
            weights = F.dropout(F.softmax(scores if mask is None else scores + _added(mask), -1), dropout)
            y = weights @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal)
        out = self.out_proj(self._joined(y, query.ndim))
        if weights is not None:
            weights = weights.mean(1) if average_attn_weights else weights
            weights = weights if query.ndim == 3 else weights.squeeze(0)
        return out, weights

    def _with_more_keys(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None,
        need_weights: bool,
        attn_mask: Tensor | None,
        average_attn_weights: bool,
    ) -> tuple[Tensor, Tensor | None]:
        """With a key and value that are trained, or zeros."""
        turned = self.batch_first and query.ndim == 3
        query, key, value = (t.transpose(0, 1) if turned else t for t in (query, key, value))
        out, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, self.training,
            key_padding_mask, need_weights, attn_mask, self.in_proj_weight is None, self.q_proj_weight,
            self.k_proj_weight, self.v_proj_weight, None, None, average_attn_weights,
        )  # fmt: skip
        return (out.transpose(0, 1) if turned else out), weights

    def _check(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        shapes = [list(t.shape) for t in (query, key, value)]
        widths = [self.embed_dim, self.kdim, self.vdim]
        form = "[L, E]" if query.ndim == 2 else "[N, L, E]" if self.batch_first else "[L, N, E]"
        fits = query.ndim in (2, 3) and all(
            len(s) == query.ndim and s[-1] == w for s, w in zip(shapes, widths, strict=True)
        )
        if not fits or shapes[1][:-1] != shapes[2][:-1] or (query.ndim == 3 and self._batch(query) != self._batch(key)):
            raise AssertedError(
                f"MultiheadAttention: expected query, key and value {form} with {widths} features, one batch size, and "
                f"one length of key and value, got {shapes}"
            )

    def _batch(self, x: Tensor) -> int:
        return x.shape[0 if self.batch_first else 1]

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        """Query, key and value projected to ``embed_dim`` features; those with the same input in one product."""
        weight, bias, e = self.in_proj_weight, self.in_proj_bias, self.embed_dim
        if weight is None:
            separate = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
            biases = [None] * 3 if bias is None else bias.split(e)
            inputs = zip((query, key, value), separate, biases, strict=True)
            return tuple(F.linear(x, w, b) for x, w, b in inputs if w is not None)
        if query is key and key is value:
            return tuple(F.linear(query, weight, bias).split(e, dim=-1))
        q = F.linear(query, weight[:e], None if bias is None else bias[:e])
        if key is value:
            return (q, *F.linear(key, weight[e:], None if bias is None else bias[e:]).split(e, dim=-1))
        k = F.linear(key, weight[e : 2 * e], None if bias is None else bias[e : 2 * e])
        return q, k, F.linear(value, weight[2 * e :], None if bias is None else bias[2 * e :])

    def _heads(self, x: Tensor) -> Tensor:
        parts = x.unflatten(-1, (self.num_heads, self.head_dim))
        if x.ndim == 2:
            return parts.unsqueeze(0).transpose(1, 2)  # (1, heads, L, head_dim)
        return parts.permute(0, 2, 1, 3) if self.batch_first else parts.permute(1, 2, 0, 3)  # (N, heads, L, head_dim)

    def _joined(self, y: Tensor, ndim: int) -> Tensor:
        """Undo :meth:`_heads`."""
        if ndim == 2:
            return y.squeeze(0).transpose(0, 1).flatten(1)  # (L, E)
        return (y.permute(0, 2, 1, 3) if self.batch_first else y.permute(2, 0, 1, 3)).flatten(2)

    def _mask(
        self, q: tuple[int, ...], keys: int, attn_mask: Tensor | None, key_padding_mask: Tensor | None
    ) -> Tensor | None:
        """Both masks as one that broadcasts to ``[N, heads, L, S]``: bool (True: attend) or float32."""
        n, heads, length, _ = q
        found = []
        if attn_mask is not None:
            if attn_mask.shape == (n * heads, length, keys):
                attn_mask = attn_mask.reshape(n, heads, length, keys)
            elif attn_mask.shape != (length, keys):
                raise ShapeError(
                    f"MultiheadAttention: expected attn_mask {[length, keys]} or {[n * heads, length, keys]}, "
                    f"got {list(attn_mask.shape)}"
                )
            found.append(attn_mask)
        if key_padding_mask is not None:
            if key_padding_mask.shape != (n, keys) and (n != 1 or key_padding_mask.shape != (keys,)):
                raise ShapeError(
                    f"MultiheadAttention: expected key_padding_mask {[n, keys]}, got {list(key_padding_mask.shape)}"
                )
            found.append(key_padding_mask.reshape(n, 1, 1, keys))
        if not found:
            return None
        masks = [logical_not(m) if m.dtype is dtypes.bool_ else m for m in found]
        if len(masks) == 1:
            return masks[0]
        if all(m.dtype is dtypes.bool_ for m in masks):
            return logical_and(*masks)
        return _added(masks[0]) + _added(masks[1])


def _added(mask: Tensor) -> Tensor:
    """A mask as a float to add to the scores."""
    return where(mask, 0.0, -math.inf) if mask.dtype is dtypes.bool_ else mask


__all__ = ["MultiheadAttention"]
