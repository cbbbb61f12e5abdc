"""``mlp``: three linear layers on images of 28 × 28."""

from __future__ import annotations

import functools
from typing import Any

from workloads.images import CLASSES, images
from workloads.layers import linear
from workloads.workload import Parameters, Workload

SIDE = 28


def _forward(T: Any, p: Parameters, x: Any) -> Any:
    F = T.nn.functional
    x = F.relu(x @ p["f1w"] + p["f1b"])
    x = F.relu(x @ p["f2w"] + p["f2b"])
    return x @ p["f3w"] + p["f3b"]


def _mlp(wide: int, narrow: int, *, batch: int, losses: dict[int, float]) -> Workload:
    return Workload(
        name="mlp",
        parameters=linear("f1", SIDE * SIDE, wide) | linear("f2", wide, narrow) | linear("f3", narrow, CLASSES),
        forward=_forward,
        optimizer=lambda T, parameters: T.optim.Adam(parameters, lr=1e-3),
        batch=batch,
        make_batch=functools.partial(images, channels=1, side=SIDE, flat=True),
        max_dispatches=16,
        losses=losses,
    )


MLP = _mlp(512, 256, batch=128, losses={1: 2.30591, 5: 1.84278})
SMALL_MLP = _mlp(32, 16, batch=8, losses={1: 2.31486, 5: 2.26793})
