"""What a workload is, where its parameters start, and its training step, here and in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import tabgrad as tg
from workloads.streams import stream

NUM_BATCHES = 4
_AT_ONCE = 2**20  # numbers that are made together, so that large parameters take little more memory than themselves

Batch = tuple[np.ndarray, np.ndarray]
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Start:
    """How a parameter starts: uniform in ``centre`` ± ``bound``."""

    shape: tuple[int, ...]
    bound: float = 0.0
    centre: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One model with its start, and what its first steps must give.

    ``T`` is ``tabgrad`` or ``torch``: models and optimizers are written once, in what the two have in common.
    Linear weights are ``[in, out]``, convolutions ``[out, in, kh, kw]``, images ``[N, C, H, W]``.
    """

    name: str
    parameters: dict[str, Start]
    forward: Callable[[Any, Parameters, Any], Any]  # (T, parameters, inputs) -> logits [rows, classes]
    optimizer: Callable[[Any, Iterable[Any]], Any]  # (T, parameters)
    batch: int
    make_batch: Callable[[int, int], Batch]  # (which, size) -> inputs, labels [rows]
    max_dispatches: int
    losses: dict[int, float]  # step, from 1 -> loss; PyTorch in float32
    loss_rtol: float = 1e-4  # five decimals, and sums in another order

    def batches(self, size: int | None = None) -> list[Batch]:
        """The batches that steps cycle through; ``size`` samples each, or as many as the workload has."""
        return [self.make_batch(which, self.batch if size is None else size) for which in range(NUM_BATCHES)]


def initial(workload: Workload) -> dict[str, np.ndarray]:
    """Parameters; each is a stream of its own, in the order of the table."""
    return dict(_made(workload))


def _made(workload: Workload) -> Iterator[tuple[str, np.ndarray]]:
    """As :func:`initial`, one after the other."""
    for number, (name, start) in enumerate(workload.parameters.items()):
        values = np.empty(math.prod(start.shape), np.float32)
        for first in range(0, values.size, _AT_ONCE):
            part = values[first : first + _AT_ONCE]
            offset = ((stream(number, part.size, first) * 2 - 1) * np.float32(start.bound)).astype(np.float32)
            part[:] = np.float32(start.centre) + offset
        yield name, values.reshape(start.shape)


def plain_step(T: Any, workload: Workload) -> Callable[[Any, Any], Any]:
    """``step(inputs, labels) -> loss``: forward, backward and update, in ``tabgrad`` or in ``torch``."""
    parameters = {name: T.tensor(value, requires_grad=True) for name, value in _made(workload)}
    optimizer = workload.optimizer(T, parameters.values())

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(workload.forward(T, parameters, x), y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def training_step(workload: Workload) -> tg.capture.CompiledStep:
    """The step of :func:`plain_step`, compiled."""
    return tg.compile(plain_step(tg, workload))
