"""The transformer: layers of attention and feed-forward networks, encoder and decoder."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tabgrad.checks import whole_number
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.nn import functional as F
from tabgrad.nn import init
from tabgrad.nn.attention import MultiheadAttention
from tabgrad.nn.containers import ModuleList
from tabgrad.nn.dropout import Dropout
from tabgrad.nn.layernorm import LayerNorm
from tabgrad.nn.linear import Linear
from tabgrad.nn.module import Module
from tabgrad.ops import full, triu
from tabgrad.tensor import Tensor

Activation = str | Callable[[Tensor], Tensor]


def _activation(value: Activation, caller: str) -> Callable[[Tensor], Tensor]:
    if callable(value):
        return value
    if value not in ("relu", "gelu"):
        raise ArgumentError(f"{caller}: expected activation 'relu', 'gelu' or a function, got {value!r}")
    found: Callable[[Tensor], Tensor] = getattr(F, value)
    return found


class _Layer(Module):
    """What encoder and decoder layers share: the feed-forward network, and norms before or after each part."""

    def __init__(
        self,
        attentions: tuple[str, ...],
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        activation: Activation,
        layer_norm_eps: float,
        batch_first: bool,
        norm_first: bool,
        bias: bool,
        device: Any,
        dtype: DType | None,
    ) -> None:
        super().__init__()
        for name in attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first))
        self.linear1 = Linear(d_model, dim_feedforward, bias)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias)
        self.norm_first = norm_first
        count = len(attentions) + 1
        for n in range(1, count + 1):
            setattr(self, f"norm{n}", LayerNorm(d_model, layer_norm_eps, bias=bias))
        for n in range(1, count + 1):
            setattr(self, f"dropout{n}", Dropout(dropout))
        self.activation = _activation(activation, type(self).__name__)
        self._placed(device, dtype)

    def _joined(self, x: Tensor, part: Callable[[Tensor], Tensor], n: int) -> Tensor:
        """``x`` plus a part of the layer, with the norm before the part or after the sum."""
        norm, dropout = getattr(self, f"norm{n}"), getattr(self, f"dropout{n}")
        found: Tensor
        if self.norm_first:
            found = x + dropout(part(norm(x)))
        else:
            found = norm(x + dropout(part(x)))
        return found

    def _feed_forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return found


class TransformerEncoderLayer(_Layer):
    """Self-attention, then a feed-forward network, each with a residual connection and a norm.

    Args:
        d_model: features of inputs and outputs.
        nhead: heads of the attention.
        dim_feedforward: features between the two linear layers.
        dropout: probability, of attention weights and of both parts.
        activation: ``"relu"``, ``"gelu"`` or a function.
        batch_first: whether inputs are ``[N, S, E]`` rather than ``[S, N, E]``.
        norm_first: whether norms come before the parts rather than after the sums.
        bias: ``False`` leaves out the biases of linear layers and norms.

    Source: Vaswani et al. 2017, https://arxiv.org/abs/1706.03762
    """

    self_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            ("self_attn",), d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, bias, device, dtype,
        )  # fmt: skip

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Shape of ``src``; masks as of :class:`MultiheadAttention`."""

        def attention(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal)[0]

        return self._joined(self._joined(src, attention, 1), self._feed_forward, 2)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, then a feed-forward network.

    Arguments as :class:`TransformerEncoderLayer`.
    """

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            ("self_attn", "multihead_attn"), d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps,
            batch_first, norm_first, bias, device, dtype,
        )  # fmt: skip

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Shape of ``tgt``; ``memory`` is the encoder's output; masks as of :class:`MultiheadAttention`."""

        def attention(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal)[0]

        def to_memory(x: Tensor) -> Tensor:
            return self.multihead_attn(
                x, memory, memory, memory_key_padding_mask, False, memory_mask, is_causal=memory_is_causal
            )[0]

        x = self._joined(tgt, attention, 1)
        return self._joined(self._joined(x, to_memory, 2), self._feed_forward, 3)


def _copies(layer: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    Args:
        encoder_layer: a :class:`TransformerEncoderLayer`.
        norm: applied at the end.
        enable_nested_tensor, mask_check: change no value, and are not used.
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, whole_number(num_layers, "TransformerEncoder", "num_layers", 0))
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Shape of ``src``."""
        for layer in self.layers:
            src = layer(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal))
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other; ``norm`` is applied at the end."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, whole_number(num_layers, "TransformerDecoder", "num_layers", 0))
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Shape of ``tgt``."""
        for layer in self.layers:
            tgt = layer(
                tgt,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder, and a decoder that attends to its output.

    Args:
        custom_encoder, custom_decoder: modules in place of those that the other arguments describe.

    The other arguments are those of :class:`TransformerEncoderLayer`.

    Source: Vaswani et al. 2017, https://arxiv.org/abs/1706.03762
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        options: Any = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
        )  # fmt: skip
        if custom_encoder is None:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias)
            custom_encoder = TransformerEncoder(TransformerEncoderLayer(*options), num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias)
            custom_decoder = TransformerDecoder(TransformerDecoderLayer(*options), num_decoder_layers, norm)
        self.decoder = custom_decoder
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
        self._placed(device, dtype)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Shape of ``tgt``."""
        axis = 0 if self.batch_first else 1
        if src.ndim != tgt.ndim or (src.ndim == 3 and src.shape[axis] != tgt.shape[axis]):
            raise ShapeError(
                f"Transformer: expected src and tgt of one batch size, got {list(src.shape)} and {list(tgt.shape)}"
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ShapeError(
                f"Transformer: expected {self.d_model} features, got src {list(src.shape)} and tgt {list(tgt.shape)}"
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        found: Tensor = self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal,
            memory_is_causal,
        )  # fmt: skip
        return found

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: DType | None = None) -> Tensor:
        """``[sz, sz]``: 0 up to the diagonal, and -inf above, so that no position meets a later one."""
        above = triu(full((sz, sz), 1.0), 1)
        found = full((sz, sz), 0.0).masked_fill(above > 0, float("-inf"))
        return found if dtype is None else found.to(dtype)


__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip
