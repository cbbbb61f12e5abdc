"""A small problem, and a log of a run's events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer, control, events

Event = dict[str, Any]


class Log:
    """Events in order; ``on(kind, fn)`` calls ``fn(event)`` when one of a kind arrives."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._listeners: list[tuple[str, Callable[[Event], None]]] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        for kind, fn in self._listeners:
            if event["type"] == kind:
                fn(event)

    def on(self, kind: str, fn: Callable[[Event], None]) -> None:
        self._listeners.append((kind, fn))

    def of(self, kind: str) -> list[Event]:
        return [e for e in self.events if e["type"] == kind]

    def states(self) -> list[str]:
        return [e["state"] for e in self.of("state")]

    def points(self) -> list[Event]:
        return [p for e in self.of("metrics") for p in e["points"]]


@contextmanager
def logged() -> Iterator[Log]:
    """Events go to the log inside the block."""
    log = Log()
    events.set_sink(log)
    try:
        yield log
    finally:
        events.set_sink(None)


def regression(n: int = 10, seed: int = 0) -> TensorDataset:
    """Targets are the sum of three inputs."""
    x = np.random.default_rng(seed).standard_normal((n, 3)).astype(np.float32)
    return TensorDataset(x, x.sum(1, keepdims=True))


def trainer(lr: float = 0.1, model: nn.Module | None = None, **options: Any) -> Trainer:
    """A linear model under SGD."""
    tg.manual_seed(0)
    model = model or nn.Linear(3, 1)
    return Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=lr), collectors=[], **options)


def loader(n: int = 10, batch_size: int = 4, seed: int = 0, **options: Any) -> DataLoader:
    return DataLoader(regression(n, seed), batch_size=batch_size, **options)


async def until(condition: Callable[[], Any], timeout_s: float = 20) -> None:
    """Let the run continue until a condition holds."""

    async def wait() -> None:
        while not condition():
            await asyncio.sleep(0)

    await asyncio.wait_for(wait(), timeout_s)


async def turns(count: int = 60) -> None:
    """Let the event loop run as long as many steps of a run take."""
    for _ in range(count):
        await asyncio.sleep(0)


def send(kind: str, **values: Any) -> None:
    control.deliver({"type": kind, **values})
