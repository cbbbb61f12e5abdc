"""``resnet18`` in its form for small images: a 3×3 stem without pooling, eight basic blocks, batch statistics.

Source: He et al. 2015, https://arxiv.org/abs/1512.03385
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workloads.images import CLASSES, images
from workloads.layers import linear, norm
from workloads.workload import Parameters, Start, Workload


@dataclass(frozen=True)
class _Block:
    name: str
    inputs: int
    outputs: int
    stride: int

    @property
    def projects(self) -> bool:
        """Whether the shortcut needs a convolution to fit."""
        return self.stride != 1 or self.inputs != self.outputs


def _blocks(widths: tuple[int, ...]) -> Iterator[_Block]:
    """Two for each width; the first of each but the first width halves the image."""
    inputs, number = widths[0], 0
    for stage, width in enumerate(widths):
        for stride in (1 if stage == 0 else 2, 1):
            yield _Block(f"b{number}", inputs, width, stride)
            inputs, number = width, number + 1


def _conv_norm_start(name: str, inputs: int, outputs: int, side: int) -> dict[str, Start]:
    shape = (outputs, inputs, side, side)
    return {name: Start(shape, math.sqrt(6 / (inputs * side * side)))} | norm(name, outputs)


def _start(widths: tuple[int, ...]) -> dict[str, Start]:
    found = _conv_norm_start("stem", 3, widths[0], 3)
    for block in _blocks(widths):
        found |= _conv_norm_start(f"{block.name}c1", block.inputs, block.outputs, 3)
        found |= _conv_norm_start(f"{block.name}c2", block.outputs, block.outputs, 3)
        if block.projects:
            found |= _conv_norm_start(f"{block.name}sc", block.inputs, block.outputs, 1)
    return found | linear("f", widths[-1], CLASSES)


def _conv_norm(T: Any, p: Parameters, name: str, x: Any, stride: int = 1) -> Any:
    F = T.nn.functional
    x = F.conv2d(x, p[name], stride=stride, padding=p[name].shape[-1] // 2)
    return F.batch_norm(x, None, None, p[f"{name}g"], p[f"{name}b"], training=True)


def _forward(T: Any, p: Parameters, x: Any, widths: tuple[int, ...]) -> Any:
    F = T.nn.functional
    x = F.relu(_conv_norm(T, p, "stem", x))
    for block in _blocks(widths):
        shortcut = _conv_norm(T, p, f"{block.name}sc", x, block.stride) if block.projects else x
        y = F.relu(_conv_norm(T, p, f"{block.name}c1", x, block.stride))
        x = F.relu(_conv_norm(T, p, f"{block.name}c2", y) + shortcut)
    return x.mean((2, 3)) @ p["fw"] + p["fb"]


def _resnet(
    widths: tuple[int, ...], *, side: int, batch: int, max_dispatches: int, losses: dict[int, float]
) -> Workload:
    return Workload(
        name="resnet18",
        parameters=_start(widths),
        forward=functools.partial(_forward, widths=widths),
        optimizer=lambda T, parameters: T.optim.SGD(parameters, lr=0.02, momentum=0.9),
        batch=batch,
        make_batch=functools.partial(images, channels=3, side=side),
        max_dispatches=max_dispatches,
        losses=losses,
        loss_rtol=1e-3,  # batch statistics amplify rounding: two orders of summation are 1e-4 apart at step 5
    )


RESNET18 = _resnet((64, 128, 256, 512), side=32, batch=128, max_dispatches=240, losses={1: 2.42157, 5: 1.94752})
SMALL_RESNET18 = _resnet((4, 8, 8, 16), side=16, batch=8, max_dispatches=240, losses={1: 2.42722, 5: 1.90369})
