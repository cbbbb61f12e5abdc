"""``gpt-small`` and ``gpt-base``: transformers that predict the next token.

Pre-layer-norm, learned positions, tanh GELU, a head of its own without bias, no dropout.

Source: Radford et al. 2019, https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf
"""

from __future__ import annotations

import functools
import math
from typing import Any

from workloads.layers import linear, norm
from workloads.text import text
from workloads.workload import Parameters, Start, Workload

VOCABULARY = 65
BOUND = 0.02 * math.sqrt(3)  # of uniform numbers whose standard deviation is 0.02


def _attention(T: Any, q: Any, k: Any, v: Any) -> Any:
    """Each place looks at itself and at those before it; ``[B, heads, context, size]`` each, and the result too."""
    return T.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def _forward(T: Any, p: Parameters, x: Any, *, layers: int, heads: int) -> Any:
    F = T.nn.functional
    batch, context = x.shape
    width = p["wte"].shape[1]

    def layer_norm(name: str, value: Any) -> Any:
        return F.layer_norm(value, (width,), p[f"{name}g"], p[f"{name}b"])

    def dense(name: str, value: Any) -> Any:
        return value @ p[f"{name}w"] + p[f"{name}b"]

    x = F.embedding(x, p["wte"]) + p["wpe"]  # [B, context, width]
    for n in range(layers):
        h = f"h{n}"
        qkv = dense(f"{h}qkv", layer_norm(f"{h}ln1", x)).chunk(3, dim=2)
        q, k, v = (t.reshape(batch, context, heads, -1).transpose(1, 2) for t in qkv)  # [B, heads, context, size]
        seen = _attention(T, q, k, v).transpose(1, 2).reshape(batch, context, width)
        x = x + dense(f"{h}pr", seen)
        wide = F.gelu(dense(f"{h}m1", layer_norm(f"{h}ln2", x)), approximate="tanh")  # [B, context, 4 width]
        x = x + dense(f"{h}m2", wide)
    return (layer_norm("lnf", x) @ p["head"]).reshape(batch * context, -1)


def _start(layers: int, width: int, context: int, vocabulary: int) -> dict[str, Start]:
    found = {"wte": Start((vocabulary, width), BOUND), "wpe": Start((context, width), BOUND)}
    for n in range(layers):
        h = f"h{n}"
        found |= norm(f"{h}ln1", width) | linear(f"{h}qkv", width, 3 * width, BOUND)
        found |= linear(f"{h}pr", width, width, BOUND) | norm(f"{h}ln2", width)
        found |= linear(f"{h}m1", width, 4 * width, BOUND) | linear(f"{h}m2", 4 * width, width, BOUND)
    return found | norm("lnf", width) | {"head": Start((width, vocabulary), BOUND)}


def gpt(
    name: str,
    *,
    layers: int,
    heads: int,
    width: int,
    context: int,
    batch: int,
    max_dispatches: int,
    losses: dict[int, float],
    vocabulary: int = VOCABULARY,
) -> Workload:
    """A transformer of so many layers and heads, on text of its context's length."""
    return Workload(
        name=name,
        parameters=_start(layers, width, context, vocabulary),
        forward=functools.partial(_forward, layers=layers, heads=heads),
        optimizer=lambda T, parameters: T.optim.AdamW(parameters, lr=1e-3, weight_decay=0.01),
        batch=batch,
        make_batch=functools.partial(text, context=context, vocabulary=vocabulary),
        max_dispatches=max_dispatches,
        losses=losses,
    )


GPT_SMALL = gpt(
    "gpt-small", layers=4, heads=4, width=128, context=64, batch=16,
    max_dispatches=130, losses={1: 4.21320, 5: 3.08398},
)  # fmt: skip
GPT_BASE = gpt(
    "gpt-base", layers=6, heads=6, width=384, context=256, batch=64,
    max_dispatches=190, losses={1: 4.25606, 5: 2.49330},
)  # fmt: skip
SMALL_GPT_SMALL = gpt(
    "gpt-small", layers=2, heads=2, width=16, context=16, batch=4,
    max_dispatches=130, losses={1: 4.18736, 5: 4.08578},
)  # fmt: skip
SMALL_GPT_BASE = gpt(
    "gpt-base", layers=3, heads=3, width=24, context=24, batch=4,
    max_dispatches=190, losses={1: 4.17168, 5: 3.96550},
)  # fmt: skip
