"""The form of the GEMM and convolution benchmarks: products of different operands, added up one after another.

With operands a₁…aₙ and b₁…bₙ, repetition (i, j) computes ``sum = sum + aᵢ bⱼ``; the addition is done in the
product's own kernel. So no two repetitions are alike, none can be left out, and each waits for the one before it.
As products are linear in both operands, the sum is that of Σ aᵢ and Σ bⱼ, which is what the check computes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tabgrad as tg

RTOL = 1e-4  # float32 sums of many terms; a wrong index is off by far more


def operands(count: int, *shape: int) -> list[tg.Tensor]:
    """Uniform in ±0.5, made on the device."""
    made = [tg.rand(*shape) - 0.5 for _ in range(count)]
    for tensor in made:
        tensor.realize()
    return made


def accumulate(product: Callable[[Any, Any], Any], left: list[tg.Tensor], right: list[tg.Tensor]) -> Callable[[], Any]:
    """The compiled step."""

    @tg.compile
    def step() -> tg.Tensor:
        total = None
        for a in left:
            for b in right:
                one = product(a, b)
                total = one if total is None else total + one
        assert total is not None
        return total

    return step


async def total(tensors: list[tg.Tensor]) -> np.ndarray:
    """The sum in float64 on the host; tensors are read one at a time."""
    found = (await tensors[0].read()).astype(np.float64)
    for tensor in tensors[1:]:
        found += await tensor.read()
    return found


async def entries(tensor: tg.Tensor, places: tuple[np.ndarray, ...]) -> np.ndarray:
    """Single entries of a tensor, gathered on the device; ``places`` has one array of indices per dimension."""
    flat = np.ravel_multi_index(places, tensor.shape).astype(np.int32)
    return await tensor.reshape(-1)[tg.tensor(flat)].read()


def places(count: int, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Where to look: random entries, and the two corners."""
    rng = np.random.default_rng(0)
    return tuple(np.concatenate([[0, n - 1], rng.integers(0, n, count)]) for n in shape)
