"""What random numbers and dropout must be like; importable without pytest or torch, as the cases are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabgrad.nn.functional import dropout, scaled_dot_product_attention
from tabgrad.ops import attention_composed
from tabgrad.ops.random_tensors import fresh_draw

_N = 20_011


async def check_uniform(tg: Any) -> None:
    """Mean, spread and range of ``rand``; bounds are five standard errors."""
    tg.manual_seed(1)
    x = await tg.rand(_N).read()
    assert x.min() >= 0
    assert x.max() < 1
    assert abs(x.mean() - 0.5) < 5 * (1 / 12) ** 0.5 / _N**0.5
    assert abs(x.var() - 1 / 12) < 5 * (1 / 180) ** 0.5 / _N**0.5
    assert len(np.unique(x)) > 0.99 * _N
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 5 / _N**0.5


async def check_normal(tg: Any) -> None:
    """Mean, spread and tails of ``randn``."""
    tg.manual_seed(2)
    x = await tg.randn(_N).read()
    assert abs(x.mean()) < 5 / _N**0.5
    assert abs(x.var() - 1) < 5 * 2**0.5 / _N**0.5
    assert abs(np.mean(np.abs(x) > 1.96) - 0.05) < 5 * (0.05 * 0.95 / _N) ** 0.5
    assert np.isfinite(x).all()


async def check_seed(tg: Any) -> None:
    """A seed gives the same numbers again; two draws, and two seeds, give different ones."""
    tg.manual_seed(3)
    first, second = await tg.read(tg.rand(101), tg.rand(101))
    tg.manual_seed(3)
    again = await tg.rand(101).read()
    tg.manual_seed(4)
    other = await tg.rand(101).read()
    np.testing.assert_array_equal(first, again)
    assert (first != second).mean() > 0.9
    assert (first != other).mean() > 0.9


async def check_randint(tg: Any) -> None:
    """``randint`` reaches both ends of its range, evenly."""
    tg.manual_seed(5)
    x = await tg.randint(-3, 4, (_N,)).read()
    counts = np.bincount(x + 3, minlength=7)
    assert len(counts) == 7
    assert abs(counts - _N / 7).max() < 5 * (_N * 6 / 49) ** 0.5


async def check_large_randint(tg: Any) -> None:
    """``randint`` of more numbers than a float32 tells apart: the low bits vary, both halves are as likely."""
    tg.manual_seed(10)
    low, high = -(2**31), 2**31 - 5
    x = await tg.randint(low, high, (_N,)).read()
    assert x.min() >= low
    assert x.max() < high
    assert abs(np.mean(x < 0) - 0.5) < 5 * 0.5 / _N**0.5
    assert abs(np.mean(x & 1) - 0.5) < 5 * 0.5 / _N**0.5


async def check_randperm(tg: Any) -> None:
    """Each number once, in an order without structure, another one each time."""
    tg.manual_seed(11)
    x, y = await tg.read(tg.randperm(1009), tg.randperm(1009))
    assert sorted(x.tolist()) == sorted(y.tolist()) == list(range(1009))
    assert abs(np.corrcoef(x, np.arange(1009))[0, 1]) < 5 / 1009**0.5
    assert abs(np.corrcoef(x, y)[0, 1]) < 5 / 1009**0.5


async def check_dropout(tg: Any) -> None:
    """Dropped in proportion, the rest scaled, the gradient masked alike, a fresh mask each time."""
    tg.manual_seed(6)
    x = tg.ones(_N, requires_grad=True)
    y = dropout(x, 0.3)
    (y * 2).sum().backward()
    out, grad, more = await tg.read(y.detach(), x.grad, dropout(tg.ones(_N), 0.3))
    kept = out != 0
    np.testing.assert_allclose(out[kept], 1 / 0.7, rtol=1e-6)
    assert abs(kept.mean() - 0.7) < 5 * (0.21 / _N) ** 0.5
    np.testing.assert_allclose(grad, 2 * out, rtol=1e-6)
    assert ((more != 0) != kept).mean() > 0.3  # two independent masks differ in 2 * 0.3 * 0.7 of all places


async def check_dropout_many_dims(tg: Any) -> None:
    """The mask has no structure along rows or columns."""
    tg.manual_seed(7)
    out = await dropout(tg.ones(113, 127), 0.5).read()
    assert abs((out != 0).mean(axis=0) - 0.5).max() < 5 * (0.25 / 113) ** 0.5
    assert abs((out != 0).mean(axis=1) - 0.5).max() < 5 * (0.25 / 127) ** 0.5


async def check_attention_dropout(tg: Any) -> None:
    """Weights dropped in proportion, the rest scaled, a fresh mask each time."""
    n, p = 61, 0.3
    q, k, v = tg.zeros(3, n, 4), tg.zeros(3, n, 4), tg.eye(n)  # equal weights, and the result shows them
    tg.manual_seed(8)
    first, second = await tg.read(*(scaled_dot_product_attention(q, k, v, dropout_p=p) for _ in range(2)))
    kept = first != 0
    np.testing.assert_allclose(first[kept], 1 / (n * (1 - p)), rtol=1e-5)
    assert abs(kept.mean() - (1 - p)) < 5 * (p * (1 - p) / kept.size) ** 0.5
    assert abs(kept.mean(axis=(0, 1)) - (1 - p)).max() < 5 * (p * (1 - p) / (3 * n)) ** 0.5
    assert abs(kept.mean(axis=(0, 2)) - (1 - p)).max() < 5 * (p * (1 - p) / (3 * n)) ** 0.5
    assert ((second != 0) != kept).mean() > 0.3


async def check_attention_dropout_gradients(tg: Any) -> None:
    """Output and gradients are those of the composed form with the same random numbers."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s).astype(np.float32) for s in ((2, 9, 5), (2, 38, 5), (2, 38, 6), (2, 9, 6))]
    attrs = {"scale": 0.7, "causal": True, "mask": False, "dropout": 0.4}
    found = []
    for fused in (True, False):
        tg.manual_seed(9)
        q, k, v = (tg.tensor(a, requires_grad=True) for a in arrays[:3])
        if fused:
            out = scaled_dot_product_attention(q, k, v, dropout_p=0.4, is_causal=True, scale=0.7)
        else:
            out = attention_composed.attention(q, k, v, fresh_draw(), attrs)
        (out * tg.tensor(arrays[3])).sum().backward()
        found.append(await tg.read(out.detach(), q.grad, k.grad, v.grad))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


CHECKS = (
    check_uniform,
    check_normal,
    check_seed,
    check_randint,
    check_large_randint,
    check_randperm,
    check_dropout,
    check_dropout_many_dims,
    check_attention_dropout,
    check_attention_dropout_gradients,
)
