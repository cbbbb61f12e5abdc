"""``cnn``: two convolutions with pooling, and two linear layers, on images of 28 × 28."""

from __future__ import annotations

import functools
from typing import Any

from workloads.images import CLASSES, images
from workloads.layers import linear
from workloads.workload import Parameters, Start, Workload

SIDE = 28


def _forward(T: Any, p: Parameters, x: Any) -> Any:
    F = T.nn.functional
    x = F.max_pool2d(F.relu(F.conv2d(x, p["c1w"], p["c1b"], padding=1)), 2)  # [N, 32, 14, 14]
    x = F.max_pool2d(F.relu(F.conv2d(x, p["c2w"], p["c2b"], padding=1)), 2)  # [N, 64, 7, 7]
    x = F.relu(x.flatten(1) @ p["f1w"] + p["f1b"])
    return x @ p["f2w"] + p["f2b"]


def _conv(name: str, inputs: int, outputs: int) -> dict[str, Start]:
    return {f"{name}w": Start((outputs, inputs, 3, 3), (inputs * 9) ** -0.5), f"{name}b": Start((outputs,))}


def _cnn(first: int, second: int, hidden: int, *, batch: int, losses: dict[int, float]) -> Workload:
    flat = second * (SIDE // 4) ** 2
    return Workload(
        name="cnn",
        parameters=_conv("c1", 1, first)
        | _conv("c2", first, second)
        | linear("f1", flat, hidden)
        | linear("f2", hidden, CLASSES),
        forward=_forward,
        optimizer=lambda T, parameters: T.optim.Adam(parameters, lr=1e-3),
        batch=batch,
        make_batch=functools.partial(images, channels=1, side=SIDE),
        max_dispatches=30,
        losses=losses,
    )


CNN = _cnn(32, 64, 128, batch=128, losses={1: 2.30100, 5: 2.10377})
SMALL_CNN = _cnn(4, 8, 16, batch=8, losses={1: 2.31796, 5: 2.30156})
