"""Scaled dot product attention in every form, and the gradients of all its inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from device.op_cases.case import Make, OpCase, bools, case, exact, f


def _call(**options: Any) -> Callable[..., Any]:
    return lambda T, F, q, k, v: F.scaled_dot_product_attention(q, k, v, **options)


def _masked(T: Any, F: Any, q: Any, k: Any, v: Any, mask: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def _sized(batch: tuple[int, ...], length: int, keys: int, width: int, value_width: int) -> tuple[Make, Make, Make]:
    return f(*batch, length, width), f(*batch, keys, width), f(*batch, keys, value_width)


_SIZES = {
    "odd": ((2,), 5, 7, 3, 5),
    "one query": ((3,), 1, 9, 4, 4),
    "one key": ((2,), 6, 1, 3, 2),
    "one of all": ((1,), 1, 1, 1, 1),
    "no batch": ((), 5, 7, 4, 4),
    "two batches": ((2, 3), 6, 6, 8, 8),
    "three batches": ((2, 1, 2), 3, 4, 5, 6),
    "over a tile": ((2,), 67, 71, 12, 9),
    "wide": ((1,), 9, 11, 68, 132),
    "whole tiles": ((2,), 64, 64, 32, 32),
    "no batches at all": ((0, 2), 4, 3, 2, 2),
}
_PLAIN = [case(f"attention {name}", _call(), *_sized(*sizes)) for name, sizes in _SIZES.items()]
_CAUSAL = [
    case(f"attention causal {name}", _call(is_causal=True), *_sized(*sizes))
    for name, sizes in {
        "square": ((2, 2), 7, 7, 3, 5),
        "more keys": ((2,), 5, 9, 4, 4),
        "more queries": ((2,), 9, 5, 4, 4),
        "over a tile": ((1,), 70, 70, 20, 20),
        "few keys over a tile": ((1,), 70, 37, 5, 4),
        "in vectors over two tiles": ((1,), 132, 132, 8, 12),
    }.items()
]

_LOWER = np.tri(5, 7, dtype=np.bool_)
_MASKS: dict[str, Make] = {
    "bool": bools(2, 3, 5, 7),
    "bool of heads": bools(3, 1, 1),
    "bool of keys": bools(2, 1, 1, 7),
    "bool of queries": bools(5, 1),
    "bool lower": exact(_LOWER, np.bool_),
    "no key for some": exact(np.arange(5)[:, None] != 2, np.bool_),
    "no key at all": exact(np.zeros((1, 1)), np.bool_),
}
_MASKED = [case(f"attention mask {name}", _masked, *_sized((2, 3), 5, 7, 4, 6), mask) for name, mask in _MASKS.items()]

_FLOATS: dict[str, tuple[int, ...]] = {"whole": (2, 3, 5, 7), "of pairs": (5, 7), "of keys": (2, 1, 1, 7)}
_ADDED = [
    # its gradient is computed from products that store the scores
    *(case(f"attention added {name}", _masked, *_sized((2, 3), 5, 7, 4, 6), f(*s)) for name, s in _FLOATS.items()),
    *(
        case(
            f"attention added, no gradient, {name}",
            lambda T, F, q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m.detach()),
            *_sized((2, 3), 5, 7, 4, 6),
            f(*shape),
            smooth=False,  # differences see the mask
        )
        for name, shape in _FLOATS.items()
    ),
    case(
        "attention added infinities",
        lambda T, F, q, k, v: F.scaled_dot_product_attention(
            q, k, v, attn_mask=T.where(T.tensor(_LOWER.tolist()), 0.5, -math.inf)
        ),
        *_sized((2,), 5, 7, 4, 6),
    ),
    case(
        "attention mask computed",
        lambda T, F, q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=(m.detach() * 2).exp() > 0.7),
        *_sized((2,), 5, 7, 4, 6),
        f(5, 7),
        smooth=False,  # differences see the mask
    ),
]


def _projected(T: Any, F: Any, x: Any, w: Any) -> Any:
    n, length, width = x.shape
    q, k, v = F.linear(x, w * 0.3).split(width, dim=2)
    q, k, v = (t.view(n, length, 2, width // 2).transpose(1, 2) for t in (q, k, v))  # (n, heads, length, width / 2)
    y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return y.transpose(1, 2).reshape(n, length, width)


def _through(T: Any, F: Any, q: Any, k: Any, v: Any) -> Any:
    # operands and result take part in other ops
    y = F.scaled_dot_product_attention((q * 2).tanh(), k.transpose(-2, -1).relu().transpose(-2, -1), v + 1)
    return (y.tanh() * 2) @ y.transpose(-2, -1)


_USES = [
    case("attention of one projection", _projected, f(2, 9, 8), f(24, 8)),
    case("attention of one projection over a tile", _projected, f(1, 41, 24), f(72, 24)),
    case("attention amid ops", _through, *_sized((2,), 5, 7, 3, 5), smooth=False),
    case("attention broadcast batch", _call(), f(2, 1, 5, 4), f(1, 3, 7, 4), f(3, 7, 5)),
    case(
        "attention of itself",
        lambda T, F, x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
        f(2, 6, 4),
    ),
    case("attention scale", _call(scale=0.3), *_sized((2,), 5, 7, 3, 5)),
    case("attention scale 0", _call(scale=0.0), *_sized((2,), 5, 7, 3, 5)),
    # scores up to several hundred: exp() of them overflows unless the largest is subtracted
    case("attention large scores", _call(scale=30.0), *_sized((2,), 5, 7, 4, 4), smooth=False, rtol=2e-3, atol=2e-3),
    case("attention wider than a tile", _call(), *_sized((1,), 3, 4, 260, 5)),
    case(
        "attention shows NaN",
        lambda T, F, q, k, v, nan: F.scaled_dot_product_attention(q + nan, k, v),
        *_sized((1,), 3, 5, 4, 5),
        exact(np.where(np.arange(3)[:, None] == 1, np.nan, 0)),
        grad=False,
    ),
    case("attention no keys", _call(), *_sized((2,), 3, 0, 4, 5)),
    case("attention no queries", _call(), *_sized((2,), 0, 3, 4, 5)),
    case("attention no value", _call(), *_sized((2,), 3, 4, 4, 0)),
    case("attention dropout 1", _call(dropout_p=1.0), *_sized((2,), 3, 4, 4, 5)),
]

CASES: list[OpCase] = [*_PLAIN, *_CAUSAL, *_MASKED, *_ADDED, *_USES]
