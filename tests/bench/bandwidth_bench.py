"""Work that is limited by memory, on large float32 tensors; bytes are those that must be read and written once.

- ``elementwise``: ``p = p + 0.001 relu(q)`` in place, on pairs (p, q) of their own; 2 reads and 1 write.
- ``softmax``: ``y = softmax(x)`` over rows, on pairs (x, y) of their own, as chained ones would share a kernel and
  pass over memory once; 1 read and 1 write.
- ``layer norm``: ``y = layer_norm(x)`` with gain and shift, likewise; 1 read and 1 write.
- ``sum``: ``s = Σ (x + s / n)`` over all n elements, again and again; 1 read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import tabgrad as tg
from bench.kernels_bench import Case, Prepared, error
from tabgrad.nn import functional as F

SHAPES = {"full": (65536, 1024), "small": (256, 64)}  # 256 MiB: far more than caches hold
REPETITIONS = 16
SUMS = 32
SAMPLES = 32
RATE = 1e-3
PART = 4096  # rows read back at a time


def cases(scale: str) -> Iterator[Case]:
    """The four."""
    rows, columns = SHAPES[scale]
    whole = 4 * rows * columns
    half = (rows // 2, columns)  # two tensors of that size for each repetition
    makers: dict[str, tuple[int, int, Callable[[], Prepared]]] = {
        "elementwise": (3 * whole // 2, REPETITIONS, lambda: _elementwise(half, REPETITIONS)),
        "softmax": (whole, REPETITIONS, lambda: _softmax(half, REPETITIONS)),
        "layer norm": (whole + 8 * columns, REPETITIONS, lambda: _layer_norm(half, REPETITIONS)),
        "sum": (whole, SUMS, lambda: _sum((rows, columns), SUMS)),
    }
    for name, (work, count, prepare) in makers.items():
        yield Case(name=name, unit="GB/s", work=work, repetitions=count, prepare=prepare)


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
    def softmax(x: np.ndarray) -> np.ndarray:
        powers = np.exp(x)
        return np.asarray(powers / powers.sum(1, keepdims=True))

    return _rows(shape, count, lambda x: F.softmax(x, 1), softmax)


def _layer_norm(shape: tuple[int, int], count: int) -> Prepared:
    columns = shape[1:]
    spread = np.random.default_rng(1).random((2, *columns), np.float32)
    host = spread[0] * 0.2 + 0.9, spread[1] - 0.5
    gain, shift = (tg.tensor(values) for values in host)

    def layer_norm(x: np.ndarray) -> np.ndarray:
        mean, var = x.mean(1, keepdims=True), x.var(1, keepdims=True)
        return np.asarray((x - mean) / np.sqrt(var + 1e-5) * host[0] + host[1])

    return _rows(shape, count, lambda x: F.layer_norm(x, columns, gain, shift), layer_norm)


def _rows(
    shape: tuple[int, int],
    count: int,
    change: Callable[[tg.Tensor], tg.Tensor],
    expected: Callable[[np.ndarray], np.ndarray],
) -> Prepared:
    """What ``change`` makes of each row."""
    sources, targets = ([_random(*shape) for _ in range(count)] for _ in range(2))
    picked = _Rows(shape[0])

    @tg.compile
    def step() -> None:
        with tg.no_grad():
            for x, y in zip(sources, targets, strict=True):
                y.copy_(change(x))

    async def check(_: None, steps: int) -> float:
        worst = 0.0
        for x, y in zip(sources, targets, strict=True):
            worst = max(worst, error(await _wide(picked.of(y)), expected(await _wide(picked.of(x))), 1e-4))
        return worst

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
