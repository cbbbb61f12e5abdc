"""What an op case is: one expression that runs on PyTorch and on tabgrad, and its inputs as data.

Nothing here needs torch or pytest, so that the same table runs inside Pyodide. There, and on the
host, :func:`evaluate` gives outputs and gradients; ``tests/device/oracle.py`` compares them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[np.random.Generator], np.ndarray]


@dataclass(frozen=True, kw_only=True)
class OpCase:
    """``fn(T, F, *inputs)`` with ``T`` torch or tabgrad and ``F`` its ``nn.functional``.

    ``grad``: compare the gradients of all float inputs too. ``smooth``: the function is
    differentiable at the inputs, so finite differences apply. ``rtol``, ``atol``: of float32
    against float64; the default allows for sums of a few hundred terms in another order, and
    for WGSL's transcendental functions, which are good to a few units in the last place.
    ``single``: PyTorch computes in float32, too, so that both overflow alike.
    """

    name: str
    fn: Callable[..., Any]
    inputs: tuple[Make, ...]
    grad: bool = True
    smooth: bool = True
    single: bool = False
    rtol: float = 1e-4
    atol: float = 2e-5

    def arrays(self) -> list[np.ndarray]:
        """The inputs; the same on every machine."""
        rng = np.random.default_rng(zlib.crc32(self.name.encode()))
        return [make(rng) for make in self.inputs]


def case(name: str, fn: Callable[..., Any], *inputs: Make, **options: Any) -> OpCase:
    return OpCase(name=name, fn=fn, inputs=inputs, **options)


def f(*shape: int, low: float | None = None, high: float = 1.0) -> Make:
    """Float32, normal, or uniform between ``low`` and ``high``."""

    def make(rng: np.random.Generator) -> np.ndarray:
        values = rng.standard_normal(shape) if low is None else rng.uniform(low, high, shape)
        return np.asarray(values, np.float32)

    return make


def ints(*shape: int, low: int = 0, high: int = 10) -> Make:
    """Int64, as PyTorch's labels are; below ``high``."""
    return lambda rng: np.asarray(rng.integers(low, high, shape), np.int64)


def bools(*shape: int) -> Make:
    return lambda rng: np.asarray(rng.random(shape) < 0.5)


def exact(values: Any, dtype: Any = np.float32) -> Make:
    """These values."""
    return lambda rng: np.asarray(values, dtype)


def cotangent(name: str, index: int, shape: tuple[int, ...]) -> np.ndarray:
    """The weights by which output ``index`` enters the loss whose gradient is compared."""
    rng = np.random.default_rng(zlib.crc32(f"{name}/{index}".encode()))
    return np.asarray(rng.uniform(-1, 1, shape), np.float32)


Leaf = Callable[[np.ndarray, bool], Any]


def evaluate(case: OpCase, T: Any, F: Any, leaf: Leaf) -> dict[str, Any]:
    """Outputs ``out0, out1, ...`` and gradients ``grad0, ...`` by input, as tensors of ``T``.

    ``leaf(array, requires_grad)`` makes an input. The gradient is that of the sum of all float
    outputs, weighted by :func:`cotangent`. An input without a gradient gets None.
    """
    arrays = case.arrays()
    wants = [case.grad and a.dtype == np.float32 for a in arrays]
    inputs = [leaf(a, want) for a, want in zip(arrays, wants, strict=True)]
    result = case.fn(T, F, *inputs)
    outputs = list(result) if isinstance(result, tuple | list) else [result]
    values: dict[str, Any] = {f"out{i}": out for i, out in enumerate(outputs)}
    if any(wants):
        weighted = [
            (out * leaf(cotangent(case.name, i, tuple(out.shape)), False)).sum()
            for i, out in enumerate(outputs)
            if out.dtype.is_floating_point
        ]
        loss = weighted[0]
        for more in weighted[1:]:
            loss = loss + more
        loss.backward()
        values |= {f"grad{i}": x.grad for i, (x, want) in enumerate(zip(inputs, wants, strict=True)) if want}
    return values
