"""The ``mlp`` and ``cnn`` workloads: parameters, batches, the step, and the losses that PyTorch reports for them.

Numbers are a function of a seed and a counter, so that any library in any language can make the same ones:
linear weights are ``[in, out]``, convolutions ``[out, in, kh, kw]``, images ``[N, C, H, W]``.
Importable without torch or pytest, so that it runs inside Pyodide too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tabgrad as tg
from tabgrad.nn import functional as F

BATCH = 128
NUM_BATCHES = 4
IMAGE = 28
CLASSES = 10

Shapes = dict[str, tuple[tuple[int, ...], float]]  # parameter -> shape, bound of its uniform start (0: zeros)


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One model with its start, and what its first steps must give."""

    name: str
    parameters: Shapes
    forward: Callable[[dict[str, Any], Any], Any]
    flat: bool  # whether images come as rows
    max_dispatches: int
    losses: dict[int, float]  # step, from 1 -> loss; PyTorch in float32


def mulberry(seed: int, count: int) -> np.ndarray:
    """``count`` float32 numbers in [0, 1): mulberry32, each from its own state ``seed + i * 0x6D2B79F5``."""
    state = (seed + np.arange(1, count + 1, dtype=np.uint64) * 0x6D2B79F5).astype(np.uint32)
    with np.errstate(over="ignore"):
        mixed = (state ^ (state >> np.uint32(15))) * (state | np.uint32(1))
        mixed ^= mixed + (mixed ^ (mixed >> np.uint32(7))) * (mixed | np.uint32(61))
    mixed ^= mixed >> np.uint32(14)
    return (mixed / 2.0**32).astype(np.float32)


def _seed(stream: int) -> int:
    """The seed of a stream of numbers: multiples of 2**32 over the golden ratio."""
    return 0x9E3779B9 * (stream + 1) % 2**32


def initial(workload: Workload) -> dict[str, np.ndarray]:
    """Parameters; each is a stream of its own, in the order of the table."""
    made = {}
    for stream, (name, (shape, bound)) in enumerate(workload.parameters.items()):
        unit = mulberry(_seed(stream), math.prod(shape)).astype(np.float64)
        made[name] = ((unit * 2 - 1) * np.float32(bound)).astype(np.float32).reshape(shape)
    return made


def batches(workload: Workload, size: int = BATCH) -> list[tuple[np.ndarray, np.ndarray]]:
    """(images, int64 labels): noise in [-0.5, 0.5), raised by 0.5 in the tenth of the rows that the label names."""
    made = []
    for j in range(NUM_BATCHES):
        labels = (mulberry(_seed(2000 + j), size).astype(np.float64) * CLASSES).astype(np.int64)
        noise = mulberry(_seed(3000 + j), size * IMAGE * IMAGE).astype(np.float64).reshape(size, 1, IMAGE, IMAGE) - 0.5
        bright = np.arange(IMAGE) * CLASSES // IMAGE == labels[:, None]  # [size, IMAGE]
        images = (noise + 0.5 * bright[:, None, :, None]).astype(np.float32)
        made.append((images.reshape(size, -1) if workload.flat else images, labels))
    return made


def _mlp(p: dict[str, Any], x: Any) -> Any:
    x = F.relu(x @ p["w1"] + p["b1"])
    x = F.relu(x @ p["w2"] + p["b2"])
    return x @ p["w3"] + p["b3"]


def _cnn(p: dict[str, Any], x: Any) -> Any:
    x = F.max_pool2d(F.relu(F.conv2d(x, p["c1"], p["d1"], padding=1)), 2)  # [N, 32, 14, 14]
    x = F.max_pool2d(F.relu(F.conv2d(x, p["c2"], p["d2"], padding=1)), 2)  # [N, 64, 7, 7]
    x = F.relu(x.flatten(1) @ p["w1"] + p["b1"])
    return x @ p["w2"] + p["b2"]


def _linear(number: int, inputs: int, outputs: int) -> Shapes:
    return {f"w{number}": ((inputs, outputs), inputs**-0.5), f"b{number}": ((outputs,), 0.0)}


def _conv(number: int, inputs: int, outputs: int) -> Shapes:
    return {f"c{number}": ((outputs, inputs, 3, 3), (inputs * 9) ** -0.5), f"d{number}": ((outputs,), 0.0)}


MLP = Workload(
    name="mlp",
    parameters=_linear(1, IMAGE * IMAGE, 512) | _linear(2, 512, 256) | _linear(3, 256, CLASSES),
    forward=_mlp,
    flat=True,
    max_dispatches=16,
    losses={1: 2.30591, 5: 1.84278},
)
CNN = Workload(
    name="cnn",
    parameters=_conv(1, 1, 32) | _conv(2, 32, 64) | _linear(1, 64 * 7 * 7, 128) | _linear(2, 128, CLASSES),
    forward=_cnn,
    flat=False,
    max_dispatches=34,
    losses={1: 2.30100, 5: 2.10377},
)
WORKLOADS = (MLP, CNN)


def training_step(workload: Workload) -> tg.capture.CompiledStep:
    """``step(images, labels) -> loss``: forward, backward and Adam's update, compiled."""
    parameters = {name: tg.tensor(value, requires_grad=True) for name, value in initial(workload).items()}
    optimizer = tg.optim.Adam(parameters.values(), lr=1e-3)

    @tg.compile
    def step(x: tg.Tensor, y: tg.Tensor) -> tg.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(workload.forward(parameters, x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step
