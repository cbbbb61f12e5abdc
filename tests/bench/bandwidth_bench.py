"""Work that is limited by memory, on large float32 tensors; bytes are those that must be read and written once.

- ``elementwise``: ``p = p + 0.001 relu(q)`` in place, on pairs (p, q) of their own; 2 reads and 1 write.
- ``softmax``: ``x = softmax(scale x)`` over rows, again and again; 1 read and 1 write. With the scale a row comes
  near the uniform one slowly: with less at once, with more it ends as a single 1.
- ``layer norm``: ``x = layer_norm(x)`` with gain and shift, again and again; 1 read and 1 write.
- ``sum``: ``s = Σ (x + s / n)`` over all n elements, again and again; 1 read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import tabgrad as tg
from bench.kernels_bench import Case, Prepared, error
from tabgrad.nn import functional as F

SHAPES = {"full": (32768, 1024), "small": (256, 64)}  # 128 MiB: more than caches hold
REPETITIONS = 16
SAMPLES = 32
RATE = 1e-3
PART = 4096  # rows read back at a time


def cases(scale: str) -> Iterator[Case]:
    """The four."""
    rows, columns = SHAPES[scale]
    whole = 4 * rows * columns
    half = (rows // 2, columns)  # two tensors of that size for each repetition
    makers: dict[str, tuple[int, Callable[[], Prepared]]] = {
        "elementwise": (3 * whole // 2, lambda: _elementwise(half, REPETITIONS)),
        "softmax": (2 * whole, lambda: _softmax((rows, columns), REPETITIONS)),
        "layer norm": (2 * whole + 8 * columns, lambda: _layer_norm((rows, columns), REPETITIONS)),
        "sum": (whole, lambda: _sum((rows, columns), REPETITIONS)),
    }
    for name, (work, prepare) in makers.items():
        yield Case(name=name, unit="GB/s", work=work, repetitions=REPETITIONS, prepare=prepare)


def _random(*shape: int) -> tg.Tensor:
    return tg.rand(*shape).realize()


def _elementwise(shape: tuple[int, int], count: int) -> Prepared:
    targets, sources = ([_random(*shape) for _ in range(count)] for _ in range(2))
    picked = _Rows(shape[0])
    starts = [picked.of(t).realize() for t in targets]

    @tg.compile
    def step() -> None:
        with tg.no_grad():
            for p, q in zip(targets, sources, strict=True):
                p.copy_(p + F.relu(q) * RATE)

    async def check(_: None, steps: int) -> float:
        worst = 0.0
        for p, q, start in zip(targets, sources, starts, strict=True):
            grown = steps * RATE * np.maximum(await _wide(picked.of(q)), 0)
            worst = max(worst, error(await _wide(picked.of(p)), await _wide(start) + grown, 1e-4))
        return worst

    return Prepared(step=step, error=check)


def _softmax(shape: tuple[int, int], count: int) -> Prepared:
    scale = 0.7 * shape[1]
    x = (_random(*shape) * (1.4 / shape[1])).realize()
    picked = _Rows(shape[0])

    @tg.compile
    def step() -> tg.Tensor:
        y = x
        for _ in range(count):
            y = F.softmax(y * scale, 1)
        return y

    async def check(result: tg.Tensor, _: int) -> float:
        y = await _wide(picked.of(x))
        for _ in range(count):
            powers = np.exp(y * scale)
            y = powers / powers.sum(1, keepdims=True)
        return error(await _wide(picked.of(result)), y, 1e-4)

    return Prepared(step=step, error=check)


def _layer_norm(shape: tuple[int, int], count: int) -> Prepared:
    x = _random(*shape)
    gain, shift = (_random(shape[1]) * 0.2 + 0.9).realize(), (_random(shape[1]) - 0.5).realize()
    picked = _Rows(shape[0])

    @tg.compile
    def step() -> tg.Tensor:
        y = x
        for _ in range(count):
            y = F.layer_norm(y, (shape[1],), gain, shift)
        return y

    async def check(result: tg.Tensor, _: int) -> float:
        y, g, b = await _wide(picked.of(x)), await _wide(gain), await _wide(shift)
        for _ in range(count):
            mean, var = y.mean(1, keepdims=True), y.var(1, keepdims=True)
            y = (y - mean) / np.sqrt(var + 1e-5) * g + b
        return error(await _wide(picked.of(result)), y, 1e-4)

    return Prepared(step=step, error=check)


def _sum(shape: tuple[int, int], count: int) -> Prepared:
    x = _random(*shape)
    elements = shape[0] * shape[1]

    @tg.compile
    def step() -> tg.Tensor:
        total = x.sum()
        for _ in range(count - 1):
            total = (x + total / elements).sum()
        return total

    async def check(result: tg.Tensor, _: int) -> float:
        once = 0.0
        for start in range(0, shape[0], PART):
            once += (await _wide(x[start : start + PART])).sum()
        return error(await _wide(result), np.float64(count * once), 1e-5)

    return Prepared(step=step, error=check)


class _Rows:
    """Some rows, the first and the last among them."""

    def __init__(self, rows: int) -> None:
        chosen = np.random.default_rng(0).integers(0, rows, SAMPLES)
        self._index = tg.tensor(np.concatenate([[0, rows - 1], chosen]).astype(np.int32))

    def of(self, tensor: tg.Tensor) -> tg.Tensor:
        """Those rows of a tensor."""
        return tg.index_select(tensor, 0, self._index)


async def _wide(tensor: tg.Tensor) -> np.ndarray:
    return np.asarray((await tensor.read()).astype(np.float64))
